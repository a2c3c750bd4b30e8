import { expect, it } from 'vitest';
import { type Given, sourceOf } from '../../../src/commands/plan/source.ts';
import { refusal } from '../../support/errors.ts';

const source = (given: Partial<Given> = {}) =>
  sourceOf({
    state: undefined,
    isStateFlag: false,
    recording: undefined,
    recordings: 'recordings',
    fromTarget: undefined,
    headers: [],
    ...given,
  });

const FLAG = { state: 'a.json', isStateFlag: true };
const RECORDING = { recording: 'checkout' };
const TARGET = { fromTarget: 'http://a' };

it('where nothing is said, it is the state that a proxy keeps', () => {
  expect(source()).toEqual({ kind: 'state', file: '.patchgate/state.json', mustExist: false });
});

it('a state that a setting names need not be there, one that a flag names must', () => {
  expect(source({ state: 'a.json' })).toEqual({ kind: 'state', file: 'a.json', mustExist: false });
  expect(source(FLAG)).toEqual({ kind: 'state', file: 'a.json', mustExist: true });
});

it('a flag comes before a setting', () => {
  expect(source({ ...RECORDING, state: 'a.json' })).toEqual({
    kind: 'recording',
    folder: 'recordings',
    name: 'checkout',
  });
  expect(source({ ...TARGET, headers: ['A', '1'], state: 'a.json' })).toEqual({
    kind: 'target',
    url: 'http://a',
    headers: ['A', '1'],
  });
});

it.each([
  [{ ...FLAG, ...RECORDING }, '--state and --recording'],
  [{ ...FLAG, ...TARGET }, '--state and --from-target'],
  [{ ...RECORDING, ...TARGET }, '--recording and --from-target'],
])('more than one is refused: %j', (given, message) => {
  expect(refusal('bad-usage', () => source(given))).toContain(message);
});

it('none is refused, where even the state is turned off', () => {
  expect(refusal('bad-usage', () => source({ state: '', isStateFlag: true }))).toContain('--from-target URL');
  expect(source({ ...RECORDING, state: '', isStateFlag: true })).toMatchObject({ kind: 'recording' });
});

it('headers go nowhere without a service', () => {
  expect(refusal('bad-usage', () => source({ headers: ['A', '1'] }))).toContain('--header');
});
