/** No false alarm: bodies by the schemas, with paths, headers and codings of honest clients, pass. */
import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import fc, { type Arbitrary } from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonValue } from '../../src/json/json.ts';
import { brief, gate } from '../support/gate.ts';
import { oneOf, sequence } from '../support/numbers.ts';
import { runs } from '../support/rounds.ts';
import { lines, words } from './hostile.ts';

type Value = Arbitrary<JsonValue>;
interface Schema {
  $ref?: string;
  type?: string;
  enum?: string[];
  observed?: { enum?: string[] };
  required?: string[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: object;
  $defs?: Record<string, Schema>;
}

// Values of fields, realistic and wild. Text is of all planes, without lone surrogates.
const text: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...words('Checkout Größe 购物车 سلة 👩‍👩‍👧‍👦 __proto__ {"a":1} </script> \\u0041 ../../x %00'),
  ),
  fc.constantFrom('', ' ', '\u0000', '\u2028\ufeff\ufffe', "' OR 1=1"),
  fc.string({ unit: 'grapheme-ascii' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
);
const integer = fc.oneof(
  fc.nat(200),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -0, -1, 2147483647, -2147483648, 4294967296),
);
const float = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0.1, 1e21, 5e-324, 1.7976931348623157e308),
);
/** Without names that reach into prototypes. */
const dictionaryOf = (value: Value, maxKeys = 4, prefix = '') =>
  fc.dictionary(
    text.filter((name) => name !== '__proto__' && name !== 'prototype').map((name) => prefix + name),
    value,
    { maxKeys, noNullPrototype: true },
  );
const anything = fc
  .jsonValue({ maxDepth: 4, stringUnit: 'binary' })
  .filter((value) => !/"(?:__proto__|prototype)":/.test(JSON.stringify(value))) as Value;
const url = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true, validSchemes: ['http', 'https', 'HTTPS'] }),
  fc.webUrl({ authoritySettings: { withIPv4: true, withIPv6: true, withPort: true, withUserInfo: true } }),
  fc.constantFrom(
    ...words(`https://shop.example.com/?a&b[]=c#top https://例え.テスト/道 http://[2001:db8::1]:8080/%zz
      https:\\\\example.com\\x http://127.0.0.1:1/a//b/../c;d=e|f`),
    ...['https://bücher.example/größe?q=ä b#é', ' https://example.com/*?x={y} '],
    // These only warn.
    ...['', ...words('ftp://example.com/ about:blank javascript:void(0) app://checkout/step/2')],
  ),
);

/** An object with any of these members, and now and then one that no schema lists. */
const some = (members: Record<string, Value>): Value =>
  fc
    .tuple(
      fc.record(members, { requiredKeys: [], noNullPrototype: true }),
      fc.option(dictionaryOf(anything, 1, 'zz'), { freq: 9, nil: {} }),
    )
    .map(([listed, others]) => ({ ...listed, ...others }) as JsonValue);

/** Of another type nobody knows what its value must be. */
const urlItem = fc.oneof(
  some({ type: fc.constant('url'), value: url }),
  fc.record({ type: fc.constantFrom('pattern', 'regex', 'URL'), value: text }),
);

/** @param given what stands at a name, whatever the schema says */
function bodyOf(name: string, given: Record<string, Value> = {}): Value {
  const file = new URL(`../../schemas/update-${name}.json`, import.meta.url);
  const document = JSON.parse(readFileSync(file, 'utf8')) as Schema;
  const arbitraryOf = (schema: Schema): Value => {
    if (schema.$ref === 'url-item.json') return urlItem;
    if (schema.$ref) return arbitraryOf(document.$defs?.[schema.$ref.slice('#/$defs/'.length)] as Schema);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    // Values that nobody has seen only warn.
    if (schema.observed?.enum) return fc.oneof(fc.constantFrom(...schema.observed.enum), text);
    if (schema.type === 'string') return text;
    if (schema.type === 'integer') return integer;
    if (schema.type === 'boolean') return fc.boolean();
    if (schema.type === 'array') return listOf(schema.items ?? {});
    return schema.type === 'object' ? objectOf(schema) : anything;
  };
  const listOf = (items: Schema): Value => {
    if (!items.$ref?.endsWith('environment')) return fc.array(arbitraryOf(items), { maxLength: 4 });
    const environment = arbitraryOf(items) as Arbitrary<{ id: number }>;
    return fc.uniqueArray(environment, { minLength: 1, maxLength: 6, selector: ({ id }) => id + 0 });
  };
  const objectOf = ({ properties = {}, allOf = [], additionalProperties }: Schema): Value => {
    const members = Object.entries(properties).map(([key, schema]) => [
      key,
      given[key] ?? arbitraryOf(schema),
    ]);
    const all = Object.fromEntries(members) as Record<string, Value>;
    if (allOf.some(({ required }) => required)) return fc.record(all, { noNullPrototype: true });
    const tool = some({ enabled: fc.boolean() });
    return some(additionalProperties ? { ...all, heatrecorder: tool, 'x-1': tool, constructor: tool } : all);
  };
  return arbitraryOf(document);
}

const VALUES: Readonly<Record<string, Value>> = {
  ...{ string: text, integer, int: integer, float: fc.oneof(float, integer), boolean: fc.boolean() },
  ...{ json: dictionaryOf(anything), double: anything },
};
const variable = fc.constantFrom(...Object.keys(VALUES)).chain((dataType) =>
  fc.record({
    ...{ id: fc.nat(), variableName: text, dataType: fc.constant(dataType) },
    defaultValue: VALUES[dataType] as Value,
  }),
);
/** The values of variations are of variables that the body does not have. */
const featureBody = fc
  .tuple(
    bodyOf('feature', { variableId: fc.integer({ max: -1 }) }),
    fc.option(fc.array(variable, { maxLength: 4 })),
  )
  .map(([body, variables]) => {
    const { variables: _, ...rest } = body as Record<string, JsonValue>;
    return { ...rest, ...(variables && { variables }) } as JsonValue;
  });

const anyId = fc.oneof(fc.nat(), fc.constantFrom(0, 1, -1, 42, 2147483647, -2147483648), fc.integer());
const target = fc.oneof(
  fc.record({ kind: fc.constant('Project' as const), id: anyId, body: bodyOf('project') }),
  fc.record({ kind: fc.constant('Feature' as const), id: anyId, body: featureBody }),
  anyId.chain((id) =>
    fc.record({
      ...{ kind: fc.constant('Draft' as const), id: fc.constant(id) },
      body: bodyOf('draft', { draftId: fc.constant(id), primaryUrl: url }),
    }),
  ),
);

/** The same value in another order, spacing and spelling, as anybody may write it. */
function writeJson(value: JsonValue, style: number): string {
  if (style === 0) return JSON.stringify(value);
  const next = sequence(style);
  const escapes = oneOf(next, [0, 0.05, 0.9]);
  const spaces = oneOf(next, ['', '', ' ', '\n\t', '\r\n  ']);
  const spaced = (part: string) => (next() < 0.5 ? spaces : '') + part + (next() < 0.5 ? spaces : '');
  const escaped = (char: string) =>
    Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`);
  const spell = (char: string) =>
    next() < escapes ? escaped(char).join('') : JSON.stringify(char).slice(1, -1);
  const quote = (content: string) => `"${Array.from(content, spell).join('')}"`;
  // 50 as `5e+1` or `5.0E1`.
  const number = (of: number) => {
    const [digits = '', exponent = ''] = of.toExponential().split('e');
    const longer = digits.includes('.') ? `${digits}0` : `${digits}.0`;
    return oneOf(next, [JSON.stringify(of), `${digits}e${exponent}`, `${longer}E${Number(exponent)}`]);
  };
  const write = (at: JsonValue): string => {
    if (typeof at === 'string') return quote(at);
    if (typeof at === 'number') return Object.is(at, -0) ? '-0' : number(at);
    if (typeof at !== 'object' || at === null) return JSON.stringify(at);
    if (Array.isArray(at)) return `[${at.map((item) => spaced(write(item))).join(',') || spaced('')}]`;
    const members = Object.entries(at).map((entry) => ({ entry, order: next() }));
    const parts = members
      .sort((a, b) => a.order - b.order)
      .map(({ entry: [name, member] }) => `${spaced(quote(name))}:${spaced(write(member as JsonValue))}`);
    return `{${parts.join(',') || spaced('')}}`;
  };
  return spaced(write(value));
}

const account = fc.oneof(
  fc.constantFrom('current', 'current', '0', '9007199254740993', '-1', '99999999999999999999'),
  fc.integer().map(String),
);
const prefix = fc.constantFrom(
  '',
  ...words(`/api/v2 /v2 /v2.0 /a/b/c/api/v2 /~a!$&'()*+,=:@-_/v2 /accounts/1/projects/2
    http://gate.test/api/v2 https://user@gate.test:8443/v2 HTTP://[::1]:1`),
);
const query = fc.oneof(
  fc.constantFrom(
    '',
    ...words(`? ?a=b ?a=1&a=2;b=3 ?q=%zz%00&é ?next=/accounts/current/projects/42 ?_method=PATCH ?_method=GET
      ?next=/accounts//x/../%2e%2e/projects/1 ?a#b ?%3F;`),
  ),
  fc.webQueryParameters().map((parameters) => `?${parameters}`),
);
const contentType = fc.constantFrom(
  undefined,
  ...lines(`
    application/json
    Application/JSON
    application/json; charset=utf-8
    application/json;charset=UTF-8
    application/json ; Charset="utf-8"
    application/json; charset=utf8
    application/json;
    application/merge-patch+json
    application/vnd.api+json; v=2
    application/json; profile="a=b"
  `),
);

/** Headers that clients, and the proxies before the gate, send along. */
const others = fc.subarray(
  lines(`
    Authorization: Bearer a.b.c==
    Accept: application/json, text/plain;q=0.9, */*;q=0.1
    Accept-Encoding: gzip, deflate, br, zstd
    User-Agent: Mozilla/5.0 (X11; Linux x86_64) PATCH/1.0
    Cookie: _method=PATCH; a=b
    X-Forwarded-For: 10.0.0.1, 10.0.0.2
    X-Forwarded-Prefix: /api
    X-Forwarded-Uri: /public/accounts/current/projects/1?x=1
    X-Forwarded-Path: /public/accounts/current/projects/1
    X-Envoy-Original-Path: /public//accounts/current/projects/1
    X-Original-Host: api.example.com
    Referer: https://example.com/accounts/current/projects/1
    X-HTTP-Method-Override: PATCH
    If-Match: "abc"
    X-Note: gr\u00fc\u00dfe
  `).map((line) => line.split(/: (.*)/).slice(0, 2)),
);

const CODINGS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes, { level: 1 }),
  'X-GZip': (bytes) => gzipSync(bytes, { level: 0 }),
  deflate: (bytes) => deflateSync(bytes, { level: 1 }),
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  identity: (bytes) => bytes,
};
const codings = fc.array(fc.constantFrom(...Object.keys(CODINGS)), { minLength: 1, maxLength: 3 });

const validRequest = fc
  .record({
    ...{ target, style: fc.nat(1e6), prefix, account, slash: fc.constantFrom('', '', '/'), query },
    ...{ typeName: fc.constantFrom('Content-Type', 'content-type', 'CONTENT-TYPE'), contentType, others },
    codings: fc.option(codings, { freq: 1, nil: [] as string[] }),
  })
  .map((given) => {
    const { kind, id, body } = given.target;
    const headers = given.others.flat();
    if (given.contentType !== undefined) headers.push(given.typeName, given.contentType);
    if (given.codings.length > 0) headers.push('Content-Encoding', given.codings.join(', '));
    const written = writeJson(body, given.style);
    const bytes = given.codings.reduce<Buffer>(
      (now, coding) => CODINGS[coding]?.(now) ?? now,
      Buffer.from(written),
    );
    const path = `/accounts/${given.account}/${kind.toLowerCase()}s/${id}`;
    const url = `${given.prefix}${path}${given.slash}${given.query}`;
    return {
      ...{ operation: `update${kind}`, text: written },
      request: { method: 'PATCH', url, headers, body: bytes },
    };
  });

const COUNT = runs('valid requests', 1000, 100_000);

it(`lets ${COUNT} valid requests pass`, () => {
  const { inspect } = gate();
  const operations = new Set<string | undefined>();
  fc.assert(
    fc.property(validRequest, ({ operation, request, text }) => {
      const { verdict, json } = inspect(request);
      const errors = verdict.findings.filter(({ severity }) => severity === 'error');
      expect({ outcome: verdict.outcome, errors: brief(errors) }).toEqual({ outcome: 'pass', errors: [] });
      expect(verdict.operation).toBe(operation);
      expect(json).toEqual(JSON.parse(text));
      operations.add(verdict.operation);
    }),
    { numRuns: COUNT },
  );
  expect(operations.size).toBe(3);
});
