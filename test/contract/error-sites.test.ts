import { expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load-contract.ts';
import { FindingBounds } from '../../src/model/finding-bounds.ts';
import type { JsonValue } from '../../src/model/json.ts';
import { contractFolder, FLAG_SCHEMA } from '../support/contract-folder.ts';
import { brief, shippedContract } from '../support/gate.ts';

const { check } = shippedContract().load('updateProject');

function judge(body: JsonValue): { said: string[]; count: number } {
  const bounds = new FindingBounds();
  const findings = check(body, bounds);
  return { said: brief(findings), count: findings.length + bounds.omitted };
}

const many = <T>(item: T): T[] => Array<T>(5000).fill(item);

it('makes few of many errors alike, and counts them all', () => {
  const { said, count } = judge({ name: 'x', languages: many('COBOL'), environments: [] });
  expect(said).toHaveLength(100);
  expect(said[99]).toBe('schema.enum error /languages/99');
  expect(count).toBe(5000);
});

it('lets a flood of one error hide no other, behind it either', () => {
  const environments = [...many({}), { id: 1, name: 2, isEnabled: true, Name: 'x', other: 1 }];
  const { said, count } = judge({ name: 'x', languages: many(1), environments });
  expect(said).toEqual(
    expect.arrayContaining([
      'schema.type error /languages/0',
      'schema.required error /environments/0/id',
      'schema.required error /environments/99/isEnabled',
      'schema.type error /environments/5000/name',
      'schema.field-case error /environments/5000/Name',
      'schema.unknown-field warn /environments/5000/other',
    ]),
  );
  // A language of the wrong type is none of the list either.
  expect(count).toBe(2 * 5000 + 3 * 5000 + 3);
});

it('counts fields that no schema lists, spelt wrong or not', () => {
  const fields = Object.fromEntries(many(0).map((_, index) => [`f${index}`, index]));
  const { said, count } = judge({ name: 'x', languages: [], environments: many({ ID: 1 }), ...fields });
  expect(said).toEqual(
    expect.arrayContaining(['schema.unknown-field warn /f0', 'schema.field-case error /environments/0/ID']),
  );
  expect(count).toBe(5000 + 4 * 5000);
});

it('begins anew with each body', () => {
  const body = { name: 'x', languages: many('COBOL'), environments: [] };
  expect(judge(body)).toEqual(judge(body));
  expect(judge({ name: 1, languages: ['PERL'], environments: [] }).said).toEqual([
    'schema.type error /name',
    'schema.enum error /languages/0',
  ]);
});

it('forgets errors that were taken back, so that no body shows in the findings of the next', () => {
  const items = {
    type: 'array',
    items: { type: 'string', anyOf: [{ enum: ['a', 'b'] }, { pattern: '^secret' }] },
  };
  const folder = contractFolder({
    'put-flag.json': { ...FLAG_SCHEMA, properties: { ...FLAG_SCHEMA.properties, items } },
  });
  const putFlag = loadContract(folder).load('putFlag');
  expect(putFlag.check({ on: true, items: many('secret of another') })).toEqual([]);
  const findings = putFlag.check({ on: true, items: ['b', 'c'] });
  expect(JSON.stringify(findings)).not.toContain('secret of');
  expect(brief(findings)).toContain('schema.enum error /items/1');
});

it('writes names as tokens of a pointer, each its own', () => {
  const tool = (enabled: number | boolean) => ({ enabled });
  const integrations = { 'a/b': tool(1), 'a~b': tool(1), 'a~1b': tool(2), 'a/b~': tool(true), '': tool(0) };
  const { check: checkDraft } = shippedContract().load('updateDraft');
  for (let i = 0; i < 2; i++)
    expect(brief(checkDraft({ integrations }))).toEqual([
      'schema.type error /integrations/a~1b/enabled',
      'schema.type error /integrations/a~0b/enabled',
      'schema.type error /integrations/a~01b/enabled',
      'schema.type error /integrations//enabled',
    ]);
});
