/** Requests that somebody hopes the gate takes for harmless and the service for a PATCH of a record, for fast-check. */
import fc, { type Arbitrary } from 'fast-check';
import { lines, words } from '../fuzz.ts';
import { type BodyEdit, bodyEdits, CODINGS, edited, TEXTS } from './bodies.ts';
import { type PathEdit, pathEdits } from './paths.ts';

export interface HostileRequest {
  bytes: Buffer;
  /** For a counterexample: the request as it goes over the wire, and how it was made. */
  toString(): string;
}

const METHODS = words('PATCH POST GET PUT DELETE OPTIONS HEAD PROPFIND patch Patch M-SEARCH');

const OVERRIDES = fc
  .tuple(
    fc.constantFrom(
      ...words(`X-HTTP-Method-Override x-http-method-override X_HTTP_Method_Override X-HTTP-METHOD
        X-Method-Override X_METHOD-OVERRIDE X.HTTP.Method.Override x!http'method`),
    ),
    fc.constantFrom(
      ...words('PATCH patch PATCH,GET "PATCH" PUT PATCH\t \xa0PATCH'),
      ' PaTcH ',
      'GET, PATCH',
      '',
    ),
  )
  .map(([name, value]) => `${name}: ${value}`);

const OTHER_PATHS = fc
  .tuple(
    fc.constantFrom(...words('X-Original-URL x-rewrite-url X_Original_URL X-Rewrite-Url X.Original!URL')),
    fc.constantFrom('', ...words('http://x / /x/.. /%2e \\')),
    fc.constantFrom(
      ...words(`/api/v2/accounts/current/projects/42 accounts/current/features/42
        /accounts/current/%64rafts/42 /accounts/current//projects/42?x /ACCOUNTS/current/projects/42
        /harmless /accounts/a/projects/42;x`),
    ),
  )
  .map(([name, prefix, path]) => `${name}: ${prefix}${path}`);

/** Several headers of a request are in one line. */
const TYPES = lines(`
  Content-Type: application/json
  content-type:application/json;charset=utf-8
  CONTENT-TYPE: text/plain
  Content-Type:
  Content-Type: application/json | Content-Type: text/plain
  Content-Type: application/json | Content_Type: application/x-www-form-urlencoded
  Content-Type: application/x-www-form-urlencoded
  Content-Type: Application/X-WWW-Form-Urlencoded ;a=b
  Content-Type: application/json; charset=utf-16
  Content-Type: application/json; charset="utf-7"
  Content-Type: application/json; charset*=utf-8''utf-7
  Content-Type: application/json; xcharset=utf-7; charset*0=utf-16
  Content-Type: application/json; x="charset=utf-16"
  Content-Type: application/json; profile="x;charset=latin1"
  Content-Type: application/json; charset=UTF8; x="; charset=utf-16
  Content-Type: application/vnd.x+json; version=1; charset="utf-8"
  Content-Type: application/json; x=application/x-www-form-urlencoded
  Content-Type: \t
  Content_Type: application/json
  Content-Type: text/plain | Content.Type: application/x-www-form-urlencoded
  Content-Type: application/json | Content_Encoding: br
  Content-Type: | content!encoding: gzip
  Content-Type: application/json, application/x-www-form-urlencoded
  Content-Type: multipart/form-data
`).map((line) => line.split(' | '));

const OTHERS = fc.constantFrom(
  ...lines(`
    Connection: close
    Connection: close, Content-Type
    Connection: X-HTTP-Method-Override
    Connection: Host
    Connection: Upgrade\r\nUpgrade: h2c
    Connection: Upgrade\r\nUpgrade: websocket
    Upgrade: TLS/1.0
    Expect: 100-continue
    X-Forwarded-Host: evil.test
    Cookie: _method=PATCH
    X-Note: \xff\xfe
    TE: trailers
    Patchgate-Findings: []
    X-Forwarded-Prefix: /api
    Transfer-Encoding : x
    Content-Encoding:
    Range: bytes=0-
  `),
);

const QUERIES = fc.constantFrom(
  '',
  ...words(`
    ? ?a=b ?_method=PATCH ?_METHOD=patch ?a=1;_method=PATCH ?%5Fmethod=PATCH ?_method[]=PATCH
    ?a&_method=%50ATCH ?.method=PATCH ?%20_method=PATCH ?_method=GET&_method=PATCH ?_method=PUT ?#x
    ?x=/accounts/current/projects/42 #?_method=PATCH ?_method=%20patch%00 ??_method=PATCH ?a[_method]=PATCH
    ?method=PATCH ?x-tunneled-method=patch ?method=card ?/harmless ?a/b&c
    ?/api/v2/accounts/current/projects/42 ?accounts/current/features/7
    ?//api/v2/accounts/current/%64rafts/1&x=/y
  `),
);

interface Parts {
  kind: keyof typeof TEXTS;
  method: string;
  edits: readonly PathEdit[];
  query: string;
  headers: readonly string[];
  types: readonly string[];
  text: number;
  form: boolean;
  bodyEdits: readonly BodyEdit[];
  coding: string;
  isChunked: boolean;
}

const often = <T>(value: T, other: Arbitrary<T>, weight = 3) =>
  fc.oneof({ weight, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: other });

export const hostileRequest: Arbitrary<HostileRequest> = fc
  .record<Parts>({
    kind: fc.constantFrom('project', 'feature', 'draft'),
    method: often('PATCH', fc.constantFrom(...METHODS), 2),
    edits: often<readonly PathEdit[]>([], pathEdits, 1),
    query: often('', QUERIES),
    headers: often<readonly string[]>(
      [],
      fc.array(fc.oneof(OVERRIDES, OTHER_PATHS, OTHERS), { maxLength: 3 }),
      1,
    ),
    types: often<readonly string[]>(['Content-Type: application/json'], fc.constantFrom([], ...TYPES)),
    text: fc.nat(4),
    form: often(false, fc.constant(true), 9),
    bodyEdits: often<readonly BodyEdit[]>([], bodyEdits, 1),
    coding: often('none', fc.constantFrom(...Object.keys(CODINGS)), 4),
    isChunked: fc.boolean(),
  })
  .map((parts) => {
    const bytes = bytesOf(parts);
    return {
      bytes,
      toString: () => `${shown(bytes)}\n— made by ${howOf(parts).join('; ') || 'nothing special'}`,
    };
  });

function bytesOf(parts: Parts): Buffer {
  const path = `/api/v2/accounts/current/${parts.kind}s/42`;
  const [says, encode] = CODINGS[parts.coding] as (typeof CODINGS)[string];
  const text = parts.form ? '_method=PATCH&name=x' : (TEXTS[parts.kind][parts.text] ?? '');
  const body = encode(edited(text, parts.bodyEdits));
  const head = [
    `${parts.method} ${parts.edits.reduce((now, edit) => edit.run(now), path)}${parts.query} HTTP/1.1`,
    'Host: gate.localhost',
    ...parts.headers,
    ...parts.types,
    ...says.map((value) => `Content-Encoding: ${value}`),
    parts.isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`,
  ];
  const start = Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1');
  return Buffer.concat([start, ...(parts.isChunked ? chunked(body) : [body])]);
}

function chunked(body: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  for (const part of [body.subarray(0, 7), body.subarray(7)])
    if (part.length > 0)
      chunks.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  return [...chunks, Buffer.from('0\r\n\r\n')];
}

function howOf({ edits, bodyEdits: ofBody, coding, form }: Parts): string[] {
  return [
    ...edits.map(({ name }) => name),
    ...ofBody.map(({ edit, at }) => `${edit.name} (${at})`),
    ...(coding === 'none' ? [] : [`coding ${coding}`]),
    ...(form ? ['a form'] : []),
  ];
}

function shown(bytes: Buffer): string {
  return JSON.stringify(bytes.toString('latin1'))
    .slice(1, -1)
    .replaceAll('\\r\\n', '\n')
    .replaceAll('\\"', '"');
}
