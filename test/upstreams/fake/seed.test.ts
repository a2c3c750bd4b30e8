import { expect, test } from 'vitest';
import { PatchgateError } from '../../../src/errors.ts';
import { readState, recordsOf } from '../../../src/upstreams/fake/seed.ts';

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

test('gives its records one by one', () => {
  const project = { name: 'Checkout' };
  const state = readState(
    JSON.stringify({ accounts: { current: { projects: { 42: project } }, 196: { drafts: { '-1': {} } } } }),
    'seed.json',
  );
  expect([...recordsOf(state)]).toEqual([
    { name: { account: '196', kind: 'draft', id: '-1' }, record: {} },
    { name: { account: 'current', kind: 'project', id: '42' }, record: project },
  ]);
});
