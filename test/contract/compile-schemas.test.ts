import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addKeywords, replaceEquality } from '../../src/contract/compile-schemas.ts';
import type { JsonValue } from '../../src/json/json.ts';
import { draft, project } from '../support/bodies.ts';
import { withValue } from '../support/edit-json.ts';
import { BODIES, check, everyField, type Operation } from '../support/fields.ts';
import { brief, shippedContract } from '../support/gate.ts';

describe('the values that the description shows', () => {
  const OBSERVED: [Operation, string, string[], string][] = [
    ['updateFeature', '/type', ['feature'], 'rollout'],
    [
      'updateFeature',
      '/variables/0/dataType',
      ['string', 'integer', 'json', 'int', 'boolean', 'float'],
      'String',
    ],
    ['updateDraft', '/platform', ['website'], 'mobile'],
    ['updateDraft', '/type', ['ab'], 'AB'],
    ['updateDraft', '/urls/0/type', ['url'], 'pattern'],
    ['updateDraft', '/globalSegment/segmentationType', ['pre'], 'post'],
    ['updateDraft', '/globalSegment/platform', ['website'], ''],
    ['updateDraft', '/globalSegment/id', ['0', '123456789012345678901234567890'], '12a'],
    ['updateDraft', '/globalSegment/type', ['predefined'], 'own'],
    ['updateDraft', '/variations/1/platform', ['website'], 'mobile'],
    ['updateDraft', '/variations/1/segmentEligibility', ['ALL'], 'all'],
    ['updateDraft', '/variations/1/segment/type', ['custom'], 'none'],
    ['updateDraft', '/variations/1/segment/eligibility', ['ALL'], 'ANY'],
    ['updateDraft', '/variations/1/editorData/stack/0/op/opName', ['html'], 'text'],
    ['updateDraft', '/status', ['draft'], 'running'],
    ['updateDraft', '/goals/0/type', ['visitPage'], 'click'],
    ['updateDraft', '/goals/0/urls/0/type', ['url'], 'URL'],
  ];

  it.each(OBSERVED)('%s %s is one of %j; %j warns', (operation, pointer, seen, other) => {
    for (const value of seen)
      expect(check(operation, withValue(BODIES[operation], pointer, value))).toEqual([]);
    expect(check(operation, withValue(BODIES[operation], pointer, other))).toMatchObject([
      { rule: 'schema.observed', severity: 'warn', basis: 'observed', pointer },
    ]);
  });

  it.each(everyField.filter(({ type }) => type === 'string'))(
    '$operation $pointer is otherwise free',
    (field) => {
      const { operation, pointer } = field;
      if (
        OBSERVED.some(
          ([of, at]) => of === operation && at.replace('/0/', '/1/') === pointer.replace('/0/', '/1/'),
        )
      )
        return;
      if (/primaryUrl|urls\/0\/value|languages\/0/.test(pointer)) return;
      for (const value of ['', 'é💡', '\u0000', 'x'.repeat(10_000)])
        expect(check(operation, withValue(BODIES[operation], pointer, value))).toEqual([]);
    },
  );

  it('of languages are all there are', () => {
    for (const language of ['NODEJS', 'PYTHON', 'PHP', 'JAVA', 'DOTNET', 'RUBY', 'GO', 'JAVASCRIPT'])
      expect(check('updateProject', { ...project(), languages: [language] })).toEqual([]);
    const findings = check('updateProject', { ...project(), languages: ['GO', 'go', 'COBOL'] });
    expect(brief(findings)).toEqual(['schema.enum error /languages/1', 'schema.enum error /languages/2']);
    expect(findings[1]?.message).toBe(
      '/languages/2 must be one of "NODEJS", "PYTHON", "PHP", "JAVA", "DOTNET", "RUBY", "GO", "JAVASCRIPT", not "COBOL"',
    );
  });
});

describe('URLs', () => {
  const PLACES = ['/primaryUrl', '/urls/0/value', '/goals/0/urls/0/value'];

  it.each(PLACES)('%s is one that WHATWG knows', (pointer) => {
    const findings = (value: string) => check('updateDraft', withValue(draft(), pointer, value));
    for (const url of [
      'http://localhost',
      'HTTPS://Shop.example.com/a b?c#d',
      'http://[::1]:8080/',
      'https://é.example/',
    ])
      expect(findings(url)).toEqual([]);
    for (const url of ['shop.example.com', '/path', 'https://', 'http://a:b:c', ' ', 'https://exa mple.com'])
      expect(findings(url)).toMatchObject([
        {
          rule: 'schema.format',
          severity: 'error',
          basis: 'inferred',
          pointer,
          message: `${pointer} is no URL`,
        },
      ]);
    expect(findings('')).toMatchObject([
      {
        rule: 'schema.format',
        severity: 'warn',
        basis: 'inferred',
        pointer,
        message: `${pointer} is empty, not a URL`,
      },
    ]);
    for (const url of ['ftp://example.com/', 'javascript:alert(1)', 'about:blank', 'localhost:80'])
      expect(findings(url)).toMatchObject([{ rule: 'schema.format', severity: 'warn', pointer }]);
  });

  it('are known the thousandth time as well', () => {
    // Node 20 has a URL.canParse that forgets how to read é once it is optimised.
    const body = { primaryUrl: 'https://é.example/' };
    const operation = shippedContract().load('updateDraft');
    const findings = Array.from({ length: 20_000 }, () => operation.check(body)).flat();
    expect(findings).toEqual([]);
  });

  it('are judged where the type is url or absent', () => {
    const findings = (item: object) => brief(check('updateDraft', { urls: [item] }));
    expect(findings({ value: 'x' })).toEqual(['schema.format error /urls/0/value']);
    expect(findings({ type: 'url', value: 'x' })).toEqual(['schema.format error /urls/0/value']);
    expect(findings({ type: 'pattern', value: 'x' })).toEqual(['schema.observed warn /urls/0/type']);
    expect(findings({ type: 'pattern', value: 1 }).sort()).toEqual([
      'schema.observed warn /urls/0/type',
      'schema.type error /urls/0/value',
    ]);
    expect(findings({ type: 'url' })).toEqual([]);
    expect(findings({ type: 'url', value: 1 })).toEqual(['schema.type error /urls/0/value']);
  });
});

describe('further keys of integrations', () => {
  const findings = (integrations: object) => brief(check('updateDraft', { integrations }));

  it.each(['heatrecorder', 'recorder_x', 'x', '<recording_tool>', 'a/b', 'toString', 'isPremium'])(
    '%s holds an object',
    (key) => {
      expect(findings({ [key]: {} })).toEqual([]);
      expect(findings({ [key]: { enabled: true } })).toEqual([]);
    },
  );

  it('have an enabled that is a boolean', () => {
    for (const enabled of ['true', 1, null, {}])
      expect(findings({ tool: { enabled } })).toEqual(['schema.type error /integrations/tool/enabled']);
    expect(findings({ 'a/b': { enabled: 1 } })).toEqual(['schema.type error /integrations/a~1b/enabled']);
  });

  it('have no other listed field', () => {
    expect(findings({ tool: { Enabled: true } })).toEqual([
      'schema.field-case error /integrations/tool/Enabled',
    ]);
    expect(findings({ tool: { slot: 1 } })).toEqual(['schema.unknown-field warn /integrations/tool/slot']);
  });

  it('that hold anything else are unlisted fields', () => {
    for (const value of [true, 'on', 1, null, [], [{ enabled: 1 }]])
      expect(findings({ tool: value })).toEqual(['schema.unknown-field warn /integrations/tool']);
  });

  it.each(['GTM', 'Ga', 'u-a', 'isGAPremium', 'is_ga_premium'])(
    'are not %s, which is a listed one spelt wrong',
    (key) => {
      expect(findings({ [key]: { enabled: true } })).toEqual([
        `schema.field-case error /integrations/${key}`,
      ]);
      expect(findings({ [key]: { slot: 1, enabled: 1 } }).sort()).toEqual([
        `schema.field-case error /integrations/${key}`,
        `schema.type error /integrations/${key}/enabled`,
      ]);
      expect(findings({ [key]: true })).toEqual([`schema.field-case error /integrations/${key}`]);
    },
  );
});

describe('a name that loose readers take for a listed one', () => {
  it.each([
    'environmentſ',
    'ENVIRONMENTS',
    'environments\u0000',
    ' environments',
    'en-vironments_',
    'envıronments',
    'ENVİRONMENTS',
    'environments\u001f',
  ])('%j is spelt wrong', (name) => {
    const body = { ...project(), [name]: [] };
    expect(brief(check('updateProject', body))).toEqual([`schema.field-case error /${name}`]);
  });

  it.each(['environment', 'environmentss', 'environmеnts', 'environmentſs', '', 'é'])(
    '%j is another',
    (name) => {
      const body = { ...project(), [name]: [] };
      expect(brief(check('updateProject', body))).toEqual([`schema.unknown-field warn /${name}`]);
    },
  );
});

describe('equality', () => {
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
  ])('%s finds what Ajv does, in the same words', { tags: 'slow' }, (keyword, schemas) => {
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
});

describe('errors of references', () => {
  const SCHEMA = {
    type: 'array',
    items: { $ref: '#/$defs/item' },
    $defs: {
      // Refers to what is compiled only after it.
      tree: { type: 'array', items: { $ref: '#/$defs/branch' } },
      branch: { type: 'array', items: { $ref: '#/$defs/tree' } },
      item: {
        type: 'object',
        properties: { a: { type: 'string', minLength: 2 }, tree: { $ref: '#/$defs/tree' } },
        additionalProperties: false,
      },
    },
  };
  const BODY = [1, { a: 'x' }, { b: 1, c: 2 }, { a: 'xx', tree: [[1, [2]]] }, {}];
  const code = { source: true };
  const plain = new Ajv2020({ allErrors: true, code }).compile(SCHEMA);
  const ajv = new Ajv2020({ allErrors: true, code });
  addKeywords(ajv);
  const appending = ajv.compile(SCHEMA);

  it('are appended to those so far, and not copied', () => {
    expect(plain.source?.validateCode).toContain('vErrors.concat');
    expect(appending.source?.validateCode).not.toContain('vErrors.concat');
  });

  it('are the same, in the second call either', () => {
    for (const body of [BODY, BODY.slice(2), [], BODY]) {
      expect(appending(body)).toBe(plain(body));
      expect(appending.errors).toEqual(plain.errors);
    }
    expect(appending.errors).toHaveLength(6);
  });
});
