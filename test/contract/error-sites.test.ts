import { expect, it } from 'vitest';
import { FindingBounds } from '../../src/model/finding-bounds.ts';
import type { JsonValue } from '../../src/model/json.ts';
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
