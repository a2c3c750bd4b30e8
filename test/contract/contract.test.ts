import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load-contract.ts';
import type { JsonValue } from '../../src/json/json.ts';
import { contractFolder, refused } from '../support/contract-folder.ts';
import { brief } from '../support/gate.ts';

/** What a schema file, with others beside it, has to say of a body. */
function judge(schema: object | boolean, body: JsonValue, files: Record<string, unknown> = {}) {
  const folder = contractFolder({ 'put-flag.json': JSON.stringify(schema), ...files });
  return loadContract(folder).load('putFlag').bodies[0].check(body);
}

const said = (schema: object | boolean, body: JsonValue, files?: Record<string, unknown>) =>
  brief(judge(schema, body, files)).sort();

describe('a schema as others write it', () => {
  it.each<[string, object | boolean, JsonValue, string[]]>([
    ['keywords without type', { properties: { a: { minLength: 2 } } }, { a: 'x' }, ['schema.min-length /a']],
    ['a union of types', { properties: { a: { type: ['string', 'null'] } } }, { a: 1 }, ['schema.type /a']],
    [
      'a boolean schema of a member',
      { properties: { a: false, b: true } },
      { a: 1, b: 1 },
      ['schema.false-schema /a'],
    ],
    ['nothing but false', false, {}, ['schema.false-schema']],
    ['nothing but true', true, {}, []],
    [
      'names that begin with x-',
      { 'x-go.type': 'T', properties: { a: { 'x-order': 1, type: 'string' } } },
      { a: 1 },
      ['schema.type /a'],
    ],
    ['example', { properties: { a: { type: 'string', example: { $id: 1 } } } }, { a: 1 }, ['schema.type /a']],
    [
      'a name that a pattern takes as well',
      { properties: { ab: { type: 'string' } }, patternProperties: { '^a': { minLength: 2 } } },
      { ab: 'x' },
      ['schema.min-length /ab'],
    ],
    ['a list of tuples without a length', { prefixItems: [{ type: 'string' }] }, [1], ['schema.type /0']],
    [
      'an anchor',
      { properties: { a: { $ref: '#t' } }, $defs: { t: { $anchor: 't', type: 'string' } } },
      { a: 1 },
      ['schema.type /a'],
    ],
    [
      'the $schema of 2020-12',
      { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' },
      [],
      ['schema.type'],
    ],
  ])('can have %s', (_, schema, body, found) => {
    expect(said(schema, body)).toEqual(found.map((text) => text.replace(/^\S+/, '$& error')));
  });

  it.each(['propertees', 'exemple', 'X-a', 'xa', 'nullible'])(
    'with the unknown keyword %s is refused',
    (name) => {
      expect(refused({ 'put-flag.json': { properties: { on: { type: 'boolean', [name]: 1 } } } })).toContain(
        `unknown keyword: "${name}"`,
      );
    },
  );
});

describe('each keyword is found where it is broken', () => {
  it.each<[object, JsonValue, string[]]>([
    [
      { additionalProperties: false, properties: { a: {} } },
      { a: 1, 'b/c': 1 },
      ['schema.additional-properties /b~1c'],
    ],
    [{ additionalProperties: { type: 'string' } }, { a: 1 }, ['schema.type /a']],
    [{ patternProperties: { '^x': { type: 'string' } } }, { x1: 1, y: 1 }, ['schema.type /x1']],
    [{ required: ['a'] }, {}, ['schema.required /a']],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, ['schema.dependent-required /b']],
    [{ dependentSchemas: { a: { required: ['b'] } } }, { a: 1 }, ['schema.required /b']],
    [
      { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
      { a: 1, b: 1 },
      ['schema.unevaluated-properties /b'],
    ],
    [{ unevaluatedProperties: { type: 'string' } }, { a: 1 }, ['schema.type /a']],
    [
      { properties: { l: { prefixItems: [{ type: 'string' }], items: { type: 'integer' } } } },
      { l: [1, 2, 'x'] },
      ['schema.type /l/0', 'schema.type /l/2'],
    ],
    [{ properties: { l: { prefixItems: [true], items: false } } }, { l: [1, 2] }, ['schema.items /l']],
    [
      { properties: { l: { prefixItems: [true], unevaluatedItems: false } } },
      { l: [1, 2] },
      ['schema.unevaluated-items /l'],
    ],
    [{ properties: { l: { contains: { type: 'string' } } } }, { l: [1, [2]] }, ['schema.contains /l']],
    [
      {
        properties: { l: { contains: { type: 'string' }, maxContains: 1 } },
      },
      { l: [1, 'a', 'b'] },
      ['schema.contains /l'],
    ],
    [
      { properties: { l: { items: { type: 'string' }, contains: { const: 'z' } } } },
      { l: [1] },
      ['schema.contains /l', 'schema.type /l/0'],
    ],
    [
      { properties: { contains: { properties: { observed: { type: 'string' } } } } },
      { contains: { observed: 1 } },
      ['schema.type /contains/observed'],
    ],
    [
      { properties: { o: { propertyNames: { maxLength: 1 } } } },
      { o: { 'a/b': 1, c: 1 } },
      ['schema.max-length /o/a~1b'],
    ],
    [
      {
        properties: { o: { propertyNames: { $ref: '#/$defs/short' }, required: ['z'] } },
        $defs: { short: { maxLength: 1 } },
      },
      { o: { ab: 1 } },
      ['schema.max-length /o/ab', 'schema.required /o/z'],
    ],
    [{ propertyNames: false }, { a: 1 }, ['schema.false-schema /a']],
    [
      { anyOf: [{ properties: { a: { type: 'string' } } }, { properties: { a: { type: 'null' } } }] },
      { a: 1 },
      ['schema.any-of', 'schema.type /a'],
    ],
    [
      { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      {},
      ['schema.one-of', 'schema.required /a', 'schema.required /b'],
    ],
    // Two hold: that the third does not is right.
    [
      { oneOf: [{ required: ['a'] }, { required: ['b'] }, { required: ['c'] }] },
      { a: 1, b: 1 },
      ['schema.one-of'],
    ],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    [{ if: { required: ['a'] }, then: { required: ['b'] } }, { a: 1 }, ['schema.required /b']],
    [
      { if: { required: ['a'] }, else: { properties: { b: { type: 'null' } } } },
      { b: 1 },
      ['schema.type /b'],
    ],
    [{ properties: { a: { not: { type: 'integer' } } } }, { a: 1 }, ['schema.not /a']],
    [
      { $dynamicAnchor: 'node', properties: { a: { $dynamicRef: '#node' }, v: { type: 'string' } } },
      { a: { v: 1 } },
      ['schema.type /a/v'],
    ],
  ])('%j', (schema, body, found) => {
    expect(said(schema, body)).toEqual(found.map((text) => text.replace(/^\S+/, '$& error')));
  });
});

describe('an absolute $id', () => {
  const base = 'https://schemas.example/flags/';
  const person = { $id: `${base}person.json`, $defs: { name: { type: 'string' } } };

  it.each([
    ['person.json#/$defs/name', base],
    ['/flags/person.json#/$defs/name', base],
    [`${base}person.json#/$defs/name`, base],
    ['urn:example:person#/$defs/name', 'urn:example:'],
  ])('is what %s refers to', (reference, from) => {
    const schema = { $id: `${from}put-flag`, properties: { a: { $ref: reference } } };
    const files = { 'person.json': { ...person, $id: from === base ? person.$id : 'urn:example:person' } };
    expect(said(schema, { a: 1 }, files)).toEqual(['schema.type error /a']);
  });
});

describe('the standard formats', () => {
  const FORMATS = [
    ['date-time', '2026-02-30T00:00:00Z', '2026-02-28T00:00:00Z'],
    ['date', '2026-13-01', '2026-12-01'],
    ['email', 'ana', 'ana@example.com'],
    ['ipv6', ':::', '::1'],
    ['uri', '/a', 'https://a.example/'],
    ['uri-reference', 'a b', '/a'],
    ['uuid', '1', '00000000-0000-4000-8000-000000000000'],
    ['regex', '(', '^a$'],
    ['int32', 2147483648, 1],
    ['byte', 'a\n\n', 'YWJj'],
  ] as const;
  const ofAll = (formats: readonly string[]) => ({
    properties: Object.fromEntries(formats.map((format) => [format, { format }])),
  });
  const names = FORMATS.map(([format]) => format);

  it('are checked', () => {
    const right = Object.fromEntries(FORMATS.map(([format, , value]) => [format, value]));
    expect(said(ofAll(names), right)).toEqual([]);
    const wrong = Object.fromEntries(FORMATS.map(([format, value]) => [format, value]));
    const found = judge(ofAll(names), wrong);
    expect(brief(found)).toEqual(names.map((format) => `schema.format error /${format}`));
    expect(found[0]?.message).toBe('/date-time is no valid date-time');
  });

  it('leave url to the WHATWG parser', () => {
    const schema = { properties: { a: { type: 'string', format: 'url' } } };
    expect(said(schema, { a: 'app://checkout' })).toEqual([]);
    expect(said(schema, { a: 'checkout' })).toEqual(['schema.format error /a']);
  });
});

it.each<[string, object, JsonValue]>([
  ['goes round in a circle', { $ref: '#' }, {}],
  [
    'has a pattern that goes back and forth',
    { properties: { a: { pattern: '^(?:[A-Za-z]{4})*$' } } },
    { a: 'YWJj'.repeat(5_000_000) },
  ],
])('blocks where a schema %s', (_, schema, body) => {
  const [finding] = judge(schema, body);
  expect(finding).toMatchObject({ rule: 'request.too-large', severity: 'error' });
  expect(finding?.message).toContain('the body cannot be held against put-flag.json: ');
});
