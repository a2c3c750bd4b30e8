import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { InitialState, readInitialState } from '../../../src/commands/check/initial-state.ts';
import { lineOf } from '../../../src/guard/state-files.ts';
import type { RecordName } from '../../../src/model/record.ts';
import { laterRefusal } from '../../support/errors.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PROJECT: RecordName = { account: 'current', kind: 'project', id: '42' };
const record = { name: 'Checkout', languages: ['GO'], environments: [] };
const whole = { record, isWhole: true };

it('holds what a state file says, and is not changed by what is learnt from it', async () => {
  const cwd = temporaryFolder();
  const state = { accounts: { current: { projects: { 42: record } }, 77: { projects: { 43: record } } } };
  writeFileSync(join(cwd, 'state.json'), JSON.stringify(state));
  const initial = await readInitialState({ learn: [], state: 'state.json' }, cwd);
  expect(initial.stateOf(PROJECT).of(PROJECT)).toEqual(whole);
  initial.stateOf(PROJECT).forget(PROJECT);
  expect(initial.stateOf(PROJECT).of(PROJECT)).toEqual(whole);
  expect(
    [PROJECT, { ...PROJECT, id: '43' }, { ...PROJECT, id: '44' }].map((name) => initial.has(name)),
  ).toEqual([true, true, false]);
});

it('knows a record by the other names that it may have', () => {
  const under77 = { ...PROJECT, account: '77' };
  const under78 = { ...PROJECT, account: '78' };
  const known = [{ name: PROJECT, known: whole }];
  const open = new InitialState({ learn: [] }, known);
  expect(open.stateOf(under77).of(under77)).toEqual(whole);
  const state = new InitialState({ learn: [], account: '77' }, known);
  expect(state.stateOf(under77).of(under77)).toEqual(whole);
  expect(state.stateOf(under78).of(under78)).toBeUndefined();
});

it('is all that is known of one workspace by two names', () => {
  const languages = (...names: string[]) => ({ record: { ...record, languages: names }, isWhole: true });
  const under77 = { name: { ...PROJECT, account: '77' }, known: languages('GO') };
  const current = { name: PROJECT, known: languages('PHP') };
  const initial = new InitialState({ learn: [], account: '77' }, [under77, current]);
  expect(initial.stateOf(PROJECT).of(PROJECT)).toEqual(languages('GO', 'PHP'));
});

it('holds what a proxy has not moved into its state file yet', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'state.json.journal'), lineOf({ name: PROJECT, known: whole }));
  const initial = await readInitialState({ learn: [], state: 'state.json' }, cwd);
  expect(initial.stateOf(PROJECT).of(PROJECT)).toEqual(whole);
});

it('is nothing without a state file', async () => {
  const nothing = await readInitialState({ learn: ['project'] }, temporaryFolder());
  expect(nothing.has(PROJECT)).toBe(false);
  expect(nothing.stateOf(PROJECT).of(PROJECT)).toBeUndefined();
});

it.each([
  ['does not exist', undefined, /^cannot read the state state\.json: it does not exist \(check the path/],
  ['is no JSON', '{"accounts": ', /state\.json:1:14: the document ends/],
  [
    'has another shape',
    '{\n  "accounts": {"current": {"project": {}}}\n}',
    /unknown field "project" of accounts\.current in .*state\.json:2:28 \(did you mean "projects"\?\)/,
  ],
])('a state file that %s is an error that names it', async (_, text, said) => {
  const cwd = temporaryFolder();
  if (text !== undefined) writeFileSync(join(cwd, 'state.json'), text);
  const message = await laterRefusal('bad-input', readInitialState({ learn: [], state: 'state.json' }, cwd));
  expect(message).toMatch(said);
});
