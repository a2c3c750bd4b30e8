import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { replaceEquality } from '../../src/contract/equality.ts';
import type { JsonValue } from '../../src/model/json.ts';

const options = { strict: false, allErrors: true, validateSchema: false };
const theirs = new Ajv2020(options);
const ours = new Ajv2020(options);
replaceEquality(ours);

/** What Ajv's own equality calls, or compares by identity: of bodies with such members, it is no oracle. */
const CALLED = /"(?:constructor|toString|valueOf)":/;
const value = fc
  .jsonValue({ maxDepth: 2, depthSize: 'small' })
  .filter((json) => !CALLED.test(JSON.stringify(json))) as fc.Arbitrary<JsonValue>;
const nearby = fc.constantFrom<JsonValue>(
  {},
  [],
  { a: 1 },
  { b: 2, a: 1 },
  { a: 1, b: 2 },
  [1],
  '[1]',
  1,
  '1',
  0,
  -0,
  null,
);
const either = fc.oneof(value, nearby);

it.each<[string, fc.Arbitrary<AnySchemaObject>]>([
  ['uniqueItems', fc.boolean().map((uniqueItems) => ({ uniqueItems }))],
  ['const', either.map((allowed) => ({ const: allowed }))],
  ['enum', fc.array(either, { minLength: 1 }).map((allowed) => ({ enum: allowed }))],
])('%s finds what Ajv does, in the same words', (keyword, schemas) => {
  const said = (validate: ReturnType<Ajv2020['compile']>, data: JsonValue) => [
    validate(data),
    validate.errors?.map(({ params, message, ...error }) =>
      // Of several items that are there again, it may name other ones.
      keyword === 'uniqueItems' ? error : { ...error, params, message },
    ),
  ];
  fc.assert(
    fc.property(schemas, fc.oneof(either, fc.array(either)), (schema, data) => {
      expect(said(ours.compile(schema), data)).toEqual(said(theirs.compile(schema), data));
    }),
    { numRuns: 150 },
  );
});

it('names the items', () => {
  const validate = ours.compile({ uniqueItems: true });
  validate([1, { a: 1, b: 2 }, { b: 2, a: 1 }]);
  expect(validate.errors).toMatchObject([
    {
      params: { i: 2, j: 1 },
      message: 'must NOT have duplicate items (items ## 1 and 2 are identical)',
    },
  ]);
});

it.each<AnySchemaObject>([
  { items: { const: { toString: 1 } } },
  { items: { enum: [{ valueOf: 1 }, 'x'] } },
  { uniqueItems: true },
])('calls nothing of what is judged: %j', (schema) => {
  const validate = ours.compile(schema);
  expect(validate([{ toString: 1 }, { toString: 1 }, { valueOf: 2 }, { valueOf: 2 }])).toBe(false);
});

it('looks at each item of a list once', () => {
  let reads = 0;
  const item = (id: number) =>
    Object.defineProperty({}, 'id', {
      enumerable: true,
      get: () => {
        reads++;
        return id;
      },
    });
  expect(ours.compile({ uniqueItems: true })(Array.from({ length: 1000 }, (_, id) => item(id)))).toBe(true);
  expect(reads).toBe(1000);
});
