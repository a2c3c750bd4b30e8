import { describe, expect, test } from 'vitest';
import { PatchgateError } from '../../src/errors.ts';
import type { Known, RecordName } from '../../src/model/record.ts';
import { readState, recordsOf, stateOf } from '../../src/state/state-file.ts';

function errorOf(text: string): PatchgateError {
  try {
    readState(text, 'seed.json');
  } catch (error) {
    if (error instanceof PatchgateError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('reads accounts, kinds and ids', () => {
  const state = { accounts: { current: { projects: { 42: { name: 'Checkout' } }, drafts: {} }, 196: {} } };
  expect(readState(JSON.stringify(state), 'seed.json')).toEqual(state);
});

test.each([
  ['cut off', '{\n  "accounts": {', '2:16'],
  ['a list', '[]', '1:1'],
  ['without accounts', '{}', '1:1'],
  ['an unknown member', '{ "projects": {} }', '1:3'],
  ['an account that is no object', '{ "accounts": {\n  "current": 1 } }', '2:14'],
  ['a name for an account', '{ "accounts": {\n "main": {} } }', '2:2'],
  ['a record that is no object', '{"accounts":{"current":{"projects":{\n\n"42":null}}}}', '3:6'],
  ['an id that no path can have', '{"accounts":{"current":{"projects":{\n"042":{}}}}}', '2:1'],
])('%s: an error with its place', (_, text, place) => {
  const error = errorOf(text);
  expect(error.code).toBe('bad-input');
  expect(error.message).toMatch(new RegExp(`(?:^| )seed\\.json:${place}(?:: |$)`));
  expect(error.hint).toBeTruthy();
});

test('says what is wrong, where, and what is taken', () => {
  expect(errorOf('{}').hint).toContain('{"paths": {"/api/v2": {"current": {"projects": ');
  expect(errorOf('{"paths": {"api": {}}}')).toMatchObject({
    message: 'invalid name "api" in paths in seed.json:1:12',
    hint: 'it takes a path, which begins with a slash: /api/v2',
  });
  expect(errorOf('{"accounts": {"main": {}}}').hint).toBe(
    'it takes an account: current, or the id of a workspace',
  );
  expect(errorOf('{"accounts": {}, "accounts": {}}').message).toBe(
    'seed.json:1:18: "accounts" is given a second time',
  );
});

test('a misspelt kind of record: an error that names the right one', () => {
  const error = errorOf('{"accounts":{"current":{"project":{}}}}');
  expect(error.message).toContain('"project"');
  expect(error.hint).toBe('did you mean "projects"?');
});

describe('the records of a state', () => {
  const project = (name: string) => ({ name, languages: [], environments: [] });
  const records: { name: RecordName; known: Known }[] = [
    // Integers come first, in whatever order they were written.
    {
      name: { account: '196', kind: 'feature', id: '0' },
      known: { record: { variables: [] }, isWhole: false },
    },
    {
      name: { base: '', account: 'current', kind: 'project', id: '42' },
      known: { record: project('A'), isWhole: true },
    },
    {
      name: { base: '/api/v2', account: 'current', kind: 'project', id: '43' },
      known: { record: project('B'), isWhole: false },
    },
    {
      name: { base: '/api/v2', account: 'current', kind: 'draft', id: '-1' },
      known: { record: {}, isWhole: true },
    },
  ];

  test('are the same when they are written and read again', () => {
    const text = JSON.stringify(stateOf(records, 'https://staging.example.com/api/v2'));
    const state = readState(text, 'state.json');
    expect(state.target).toBe('https://staging.example.com/api/v2');
    expect([...recordsOf(state)]).toEqual(records);
    expect(stateOf([])).toEqual({ paths: {} });
  });

  test('are not those that no file can have', () => {
    for (const odd of ['__proto__', 'constructor', 'main', '042', '', '1.5']) {
      const known = { record: { name: 'x' }, isWhole: true };
      const state = stateOf([
        { name: { account: odd, kind: 'project', id: '42' }, known },
        { name: { account: 'current', kind: 'project', id: odd }, known },
        ...records,
      ]);
      expect([...recordsOf(state)]).toEqual(records);
    }
    expect(({} as Record<string, unknown>).projects).toBeUndefined();
  });

  test('hold what they hold, names that lead astray too', () => {
    const text = '{"accounts":{"5":{"projects":{"1":{"__proto__":{"a":1},"incomplete":true}}}}}';
    const [{ known } = { known: undefined }] = recordsOf(readState(text, 'state.json'));
    expect(JSON.stringify(known)).toBe('{"record":{"__proto__":{"a":1}},"isWhole":false}');
  });
});

test.each([
  ['an account', '{"accounts":\n{"__proto__":{}}}', '2:2'],
  ['a kind of record', '{"accounts":{"current":\n{"__proto__":{}}}}', '2:2'],
  ['an id', '{"accounts":{"current":{"projects":\n{"__proto__":{}}}}}', '2:2'],
  ['a member', '{"accounts":{},\n"__proto__":{}}', '2:1'],
  ['a target that is no text', '{"accounts":{},\n"target":5}', '2:10'],
])('%s that is none: an error with its place', (_, text, place) => {
  expect(errorOf(text).message).toMatch(new RegExp(`(?:^| )seed\\.json:${place}(?:: |$)`));
});

test.each([
  ['no list', {}],
  ['no list of environments', { environments: { 1: {} } }],
  ['an environment without an id', { environments: [{ id: 1, name: 'A' }, { name: 'B' }] }],
  ['an id that is a text', { environments: [{ id: '1', name: 'A' }] }],
])('a project of which somebody left %s: nobody knows all of it', (_, project) => {
  const [{ known } = { known: undefined }] = recordsOf({
    accounts: { current: { projects: { 42: { name: 'Checkout', languages: [], ...project } } } },
  });
  expect(known?.isWhole).toBe(false);
});
