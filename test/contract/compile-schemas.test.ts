import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load-contract.ts';
import type { JsonValue } from '../../src/json/json.ts';
import { draft, project } from '../support/bodies.ts';
import { contractFolder } from '../support/contract-folder.ts';
import { withValue } from '../support/edit-json.ts';
import { BODIES, check, everyField, type Operation } from '../support/fields.ts';
import { brief } from '../support/gate.ts';

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
      ...['http://localhost', 'HTTPS://Shop.example.com/a b?c#d', 'http://[::1]:8080/', 'https://é.example/'],
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
});

describe('a name that loose readers take for a listed one', () => {
  it.each([
    'environmentſ',
    'ENVIRONMENTS',
    'environments\u0000',
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

/** What a schema of one's own says of a body. */
function judge(schema: object, body: JsonValue, isLarge = false): string[] {
  const contract = loadContract(contractFolder({ 'put-flag.json': schema }));
  return brief(contract.load('putFlag').bodies[0].check(body, undefined, isLarge));
}

describe('whole values', () => {
  const odd = { valueOf: null, toString: 1, constructor: { a: 1 } };
  it.each<[object, JsonValue, string[]]>([
    [{ const: { a: 1, b: [odd] } }, { b: [odd], a: 1 }, []],
    [{ const: { a: 1, b: [odd] } }, { b: [{ ...odd, toString: 2 }], a: 1 }, ['schema.const error']],
    [{ enum: [odd, 'x', 1] }, { ...odd }, []],
    [{ enum: [odd, 'x', 1] }, '1', ['schema.enum error']],
    [{ enum: [null, [], 0] }, {}, ['schema.enum error']],
    [{ uniqueItems: true }, [odd, { a: 1, b: 2 }, 1, '1', [1], 0, null], []],
    [{ uniqueItems: true }, [1, { a: 1, b: 2 }, { b: 2, a: 1 }], ['schema.unique-items error']],
    [{ uniqueItems: true }, [odd, { ...odd }], ['schema.unique-items error']],
    [{ uniqueItems: false }, [1, 1], []],
  ])('%j of %j', (schema, body, found) => {
    expect(judge(schema, body)).toEqual(found);
  });
});

it('a large body has its first error alone, and takes no longer for schemas that refer to others', () => {
  const schema = {
    type: 'array',
    items: { $ref: '#/$defs/item' },
    $defs: { item: { properties: { tree: { $ref: '#/$defs/item' } }, type: 'object' } },
  };
  expect(judge(schema, [1, {}, 2])).toEqual(['schema.type error /0', 'schema.type error /2']);
  expect(judge(schema, [{}, ...Array(150_000).fill(1)], true)).toEqual(['schema.type error /1']);
});
