import { expect, it } from 'vitest';
import { type BaselineWishes, whichBaseline } from '../../../../src/commands/check/known/which-baseline.ts';
import { refusal } from '../../../support/errors.ts';

const NONE: BaselineWishes = {
  baseline: undefined,
  isFlag: false,
  writeBaseline: undefined,
  againstContract: undefined,
};
const SET = { baseline: 'known.json' };
const FLAG = { baseline: 'known.json', isFlag: true };

it.each([
  [{}, { writeBaseline: false }],
  [SET, { baseline: 'known.json', writeBaseline: false }],
  [{ writeBaseline: '' }, { baseline: 'patchgate-baseline.json', writeBaseline: true }],
  [
    { ...SET, writeBaseline: '' },
    { baseline: 'known.json', writeBaseline: true },
  ],
  [
    { ...SET, writeBaseline: 'new.json' },
    { baseline: 'new.json', writeBaseline: true },
  ],
  [
    { ...FLAG, writeBaseline: 'known.json' },
    { baseline: 'known.json', writeBaseline: true },
  ],
  [
    { ...SET, againstContract: 'old' },
    { baseline: 'known.json', writeBaseline: false },
  ],
])('%j', (wishes, which) => {
  expect(whichBaseline({ ...NONE, ...wishes })).toEqual(which);
});

it.each([
  [{ ...FLAG, writeBaseline: 'new.json' }, '--baseline known.json and --write-baseline=new.json name two'],
  [{ ...FLAG, againstContract: 'old' }, '--against-contract and --baseline cannot be given together'],
  [{ writeBaseline: '', againstContract: 'old' }, '--against-contract and --write-baseline cannot be'],
])('%j go ill together', (wishes, message) => {
  expect(refusal('bad-usage', () => whichBaseline({ ...NONE, ...wishes }))).toContain(message);
});
