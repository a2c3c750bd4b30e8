import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { isSessionName } from '../../src/model/session-name.ts';
import { checkFile, parseFile, problemOf } from '../../src/schemas/check.ts';
import { refusal } from '../support/errors.ts';
import { SCHEMAS } from '../support/gate.ts';

const read = (file: string) => JSON.parse(readFileSync(join(SCHEMAS, file), 'utf8'));
const published = (name: string) =>
  new Ajv({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(
    read(`files/${name}.schema.json`),
  );

const FILES = {
  contract: [read('contract.json'), { contractVersion: 1 }],
  state: [{ accounts: { current: { projects: { 42: {} } } } }, { accounts: { main: {} } }],
  har: [{ log: { entries: [] } }, { log: {} }],
} as const;

describe.each(Object.entries(FILES))('the published schema of %s', (kind, [good, bad]) => {
  it('says what the product says', () => {
    const validate = published(kind);
    expect([validate(good), validate(bad)]).toEqual([true, false]);
    expect(problemOf(kind as keyof typeof FILES, good)).toBeUndefined();
    expect(problemOf(kind as keyof typeof FILES, bad)).toBeDefined();
  });
});

it.each(['a', '', '.', '..', '...', ' ', 'é', 'x'.repeat(100), 'x'.repeat(101)])(
  'a session of a HAR entry is one that has a name: %j',
  (session) => {
    const entry = { request: { method: 'GET', url: '/' }, _patchgate: { session } };
    expect(problemOf('harEntry', entry) === undefined).toBe(isSessionName(session));
  },
);

it.each<[string, string]>([
  ['{"accounts": {},\n"accounts": {}}', 's.json:2:1: "accounts" is given a second time (correct the JSON)'],
  ['{"account": {}}', 'unknown field "account" of s.json:1:2 (did you mean "accounts"?)'],
  ['{"accounts": 5}', 'invalid value 5 for accounts in s.json:1:14 (it takes an object)'],
  [
    '{"accounts": {"current": {"projects": {"a b": {}}}}}',
    'invalid name "a b" in accounts.current.projects in s.json:1:40 (it takes an id, an integer as in the path)',
  ],
])('what is wrong, where, and what to do: %s', (text, message) => {
  const source = { where: 's.json', text };
  const check = () => checkFile('state', parseFile(source, 'bad-input'), source, 'bad-input');
  expect(refusal('bad-input', check)).toBe(message);
});
