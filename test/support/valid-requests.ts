/** Requests that the gate must let pass, for fast-check: bodies, paths, headers and codings as honest clients have them. */
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import fc, { type Arbitrary } from 'fast-check';
import type { GateRequest } from '../../src/gate/gate.ts';
import type { JsonValue } from '../../src/json/json.ts';
import { draftBody, featureBody, projectBody } from './arbitraries.ts';
import { writeJson } from './write-json.ts';

export interface ValidRequest {
  operation: 'updateProject' | 'updateFeature' | 'updateDraft';
  request: GateRequest & { body: Buffer };
  /** The body before its content coding. */
  text: string;
}

const int32 = fc.oneof(
  fc.nat({ max: 2147483647 }),
  fc.constantFrom(0, 1, -1, 42, 2147483647, -2147483648),
  fc.integer(),
);
const account = fc.oneof(
  { weight: 3, arbitrary: fc.constant('current') },
  { weight: 1, arbitrary: fc.integer().map(String) },
  { weight: 1, arbitrary: fc.constantFrom('0', '9007199254740993', '-1', '99999999999999999999') },
);
const prefix = fc.constantFrom(
  ...['/api/v2', '', '/v2', '/v2.0', '/a/b/c/api/v2', "/~a!$&'()*+,=:@-_/v2", '/accounts/1/projects/2'],
  ...['http://gate.test/api/v2', 'https://user@gate.test:8443/v2', 'HTTP://[::1]:1'],
);
const query = fc.oneof(
  fc.constantFrom('', '', '?', '?a=b', '?a=1&a=2;b=3', '?q=%zz%00&é', '?next=/accounts/current/projects/42'),
  fc.constantFrom(
    '?next=/accounts//x/../%2e%2e/projects/1',
    '?_method=PATCH',
    '?_method=GET',
    '?a#b',
    '?%3F;',
  ),
  fc.webQueryParameters().map((text) => `?${text}`),
);

const contentType = fc.constantFrom(
  ...[
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
  ],
  ...['application/json ; Charset="utf-8"', 'application/json; charset=utf8', 'application/json;'],
  ...[
    'application/merge-patch+json',
    'application/vnd.api+json; v=2',
    'application/json; profile="a=b"',
    undefined,
  ],
);
const nameOf = (name: string) => fc.constantFrom(name, name.toLowerCase(), name.toUpperCase());

/** What clients, and the proxies before the gate, send along. */
const others: Arbitrary<[name: string, value: string][]> = fc.subarray([
  ['Authorization', 'Bearer a.b.c=='],
  ['Accept', 'application/json, text/plain;q=0.9, */*;q=0.1'],
  ['Accept-Encoding', 'gzip, deflate, br, zstd'],
  ['User-Agent', 'Mozilla/5.0 (X11; Linux x86_64) PATCH/1.0'],
  ['Cookie', '_method=PATCH; a=b'],
  ['X-Forwarded-For', '10.0.0.1, 10.0.0.2'],
  ['X-Forwarded-Prefix', '/api'],
  ['X-Forwarded-Uri', '/public/accounts/current/projects/1?x=1'],
  ['X-Forwarded-Path', '/public/accounts/current/projects/1'],
  ['X-Envoy-Original-Path', '/public//accounts/current/projects/1'],
  ['X-Original-Host', 'api.example.com'],
  ['Referer', 'https://example.com/accounts/current/projects/1'],
  ['Traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
  ['X-HTTP-Method-Override', 'PATCH'],
  ['If-Match', '"abc"'],
  ['X-Note', 'gr\u00fc\u00dfe'],
]);

const CODINGS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes, { level: 1 }),
  'X-GZip': (bytes) => gzipSync(bytes, { level: 0 }),
  deflate: (bytes) => deflateSync(bytes, { level: 1 }),
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  identity: (bytes) => bytes,
};
const codings: Arbitrary<readonly string[]> = fc.oneof(
  { weight: 4, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc.array(fc.constantFrom(...Object.keys(CODINGS)), { minLength: 1, maxLength: 3 }),
  },
);

const target = fc.oneof(
  projectBody.map((body) => ({ operation: 'updateProject' as const, path: 'projects', id: undefined, body })),
  featureBody.map((body) => ({ operation: 'updateFeature' as const, path: 'features', id: undefined, body })),
  int32.chain((id) =>
    draftBody(id).map((body) => ({ operation: 'updateDraft' as const, path: 'drafts', id, body })),
  ),
);

export const validRequest: Arbitrary<ValidRequest> = fc
  .record({
    target,
    id: int32,
    style: fc.nat(1e6),
    prefix,
    account,
    slash: fc.constantFrom('', '', '/'),
    query,
    type: fc.tuple(nameOf('Content-Type'), contentType),
    others,
    codings,
  })
  .map((given) => {
    const { operation, path, body } = given.target;
    const id = given.target.id ?? given.id;
    const headers = given.others.flat();
    if (given.type[1] !== undefined) headers.push(given.type[0], given.type[1]);
    if (given.codings.length > 0) headers.push('Content-Encoding', given.codings.join(', '));
    const text = writeJson(body as JsonValue, given.style);
    let bytes: Buffer = Buffer.from(text);
    for (const coding of given.codings) bytes = CODINGS[coding]?.(bytes) ?? bytes;
    const url = `${given.prefix}/accounts/${given.account}/${path}/${id}${given.slash}${given.query}`;
    return { operation, text, request: { method: 'PATCH', url, headers, body: bytes } };
  });
