/** Requests that somebody hopes the gate takes for harmless and the service for a PATCH of a record, for fast-check. Octets in Latin-1. */
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc, { type Arbitrary } from 'fast-check';
import { draft, feature, project } from '../support/bodies.ts';

/** Octets or texts without spaces between them. */
export const words = (text: string) => text.split(/[ \n]+/).filter(Boolean);
/** One text a line. */
export const lines = (text: string) => text.trim().split(/\n +/);

/** Changes a text. @param at at which of its places, round and round */
type Edit = (text: string, at: number) => string;
/** Edits, each with its place. */
type Edits = readonly (readonly [edit: Edit, at: number])[];

const apply = (text: string, edits: Edits) => edits.reduce((now, [edit, at]) => edit(now, at), text);
const before =
  (more: string): Edit =>
  (text) =>
    more + text;
const after =
  (more: string): Edit =>
  (text) =>
    text + more;
const insert =
  (more: string): Edit =>
  (text, at) =>
    text.slice(0, at % (text.length + 1)) + more + text.slice(at % (text.length + 1));
const at =
  (pattern: RegExp, edit: (match: string) => string): Edit =>
  (text, nth) => {
    const found = [...text.matchAll(pattern)];
    const match = found[nth % Math.max(found.length, 1)];
    if (!match) return text;
    return text.slice(0, match.index) + edit(match[0]) + text.slice(match.index + match[0].length);
  };

// Paths of records, written so that only some servers see that they are.

/** What goes in at a slash, in its place or beside it. Octets in Latin-1. */
const AT_SLASH = [
  ...words(`
  // /./ /x/../ /../ /.../ \\ /\\ %2f %2F %5c /%2e/ /x/%2e%2e/ /x/.%2e/ /x%2fy/../ /x%2fy/%2e%2e/
  /x%2f..%2f /..;/ /x/..;/ /x/..;a=b/ /;/ /;x=1/ ;x=1/ ;/ %252f %25252f /%252e%252e/ %c0%af %e0%80%af
  %c0%2f %u002f %u2215 %uff0f %ef%bc%8f /%c0%ae%c0%ae/ /x/%u002e%u002e/ %e2%81%84 /%20/ %20/ /%09 %00/
  /%00/ %0a/ ./ /. /%c2%ad/ /\xc2\xad %%32%66 %2 /% #/ %23/ ?/ %3f/ %3b/ /x/x/../../ /+/
`),
  ' /',
];
/** What goes on behind the path. */
const BEHIND = [
  ...words(`
  / // /. /./ /.. /x/.. /x/%2e%2e /x/..;/ . .. .json .json/ %2ejson ;x ;/x %20 %09 %00 %00.png %00/x %0a
  %0d%0ax %20HTTP/1.1%0d%0aX:x # #x %23x %3fx %3f/x %23/x %3b/x %3b \\ %5c %2f %252f %c2%a0 %e3%80%80 :80
  ,1 + % %zz ~ %c2%ad %ff * /edit /42 ?x ?_method=PATCH %3f_method=PATCH ::$DATA | %7c %2e %2e%2e %252e
`),
  '\xa0',
];
/** What stands before it. */
const BEFORE = [
  ...words(`
  /api/v2 /v2 /api/v2/ //x /%2e /x/.. /\xc3\xa9 /%C3%A9 /a%20b /x%0ay /# /? http://evil.test
  http://evil.test:1/x http://a@b http:// HTTP://x/ http: http:/x //evil.test http://x? http://x#
  http://x\\ http://x; ftp://x x * . /.. /accounts/1/projects/2 /../v2 /%2e%2e/v2 /..;/v2 /..%2fv2
  /../../api/v2 /\\..\\v2 /../api/v2 /accounts /index.php /;x /x; /~ /__patchgate /__patchgate/..
  /%5f_patchgate/..
`),
  '',
];

/** Before a character: all kinds of nothing. */
const NOTHING = words('%c2%ad \xad %e2%80%8b % %00 %0d%0a %09 %ff %CC%81');

/** Another way to write one character of the path. */
const WAYS: readonly ((char: string) => string)[] = [
  (char) => `%${hex(char)}`,
  (char) => `%${hex(char).toUpperCase()}`,
  (char) => `%25${hex(char)}`,
  (char) => `%25%${[...hex(char)].map((digit) => digit.charCodeAt(0).toString(16)).join('%')}`,
  (char) => `%u00${hex(char)}`,
  (char) => overlong(char),
  (char) => (char === char.toUpperCase() ? char.toLowerCase() : char.toUpperCase()),
  (char) =>
    /[a-z]/i.test(char) ? encodeURIComponent(String.fromCharCode(char.charCodeAt(0) + 0xfee0)) : char,
  (char) => (char === 's' ? '%C5%BF' : char === 'k' ? '%E2%84%AA' : char),
  (char) => (char === 's' ? '\xc5\xbf' : char),
  ...NOTHING.map((nothing) => (char: string) => nothing + char),
];

function hex(char: string): string {
  return (char.charCodeAt(0) & 0xff).toString(16).padStart(2, '0');
}

function overlong(char: string): string {
  const code = char.charCodeAt(0) & 0x7f;
  return `%c${code >> 6}%${(0x80 | (code & 0x3f)).toString(16)}`;
}

const WHOLE: readonly Edit[] = [
  (path) => path.replace('/current/', '//'),
  (path) => path.toUpperCase(),
  (path) => path.replace(/[a-z]/g, (char) => `%${hex(char)}`),
  (path) => path.replaceAll('%', '%25'),
  (path) => path.replace(/^\//, ''),
];

const PATH_EDITS = [
  AT_SLASH.map((text) => at(/\//g, () => text)),
  BEHIND.map(after),
  BEFORE.map(before),
  WAYS.map((way) => at(/./gs, way)),
  WHOLE,
];

const editsOf = (groups: readonly (readonly Edit[])[], maxLength: number): Arbitrary<Edits> =>
  fc.array(fc.tuple(fc.oneof(...groups.map((group) => fc.constantFrom(...group))), fc.nat(2000)), {
    maxLength,
  });

/** Of a record, and what a few edits make of its path. */
export const hostilePath: Arbitrary<string> = fc
  .tuple(fc.constantFrom('project', 'feature', 'draft'), editsOf(PATH_EDITS, 4))
  .map(([kind, edits]) => apply(`/api/v2/accounts/current/${kind}s/42`, edits));

// Bodies that the gate and the service may read differently.

/** Bodies as texts, by what they are for: the good ones are the service's, the bad ones must never get there. */
const TEXTS: Readonly<Record<'project' | 'feature' | 'draft', readonly string[]>> = {
  project: [
    '{"name":"x","languages":["GO"],"environments":[{"id":1,"name":"P","isEnabled":true}]}',
    JSON.stringify(project()),
    '{"name":"x"}',
    '{"name":"x","languages":["go"],"environments":[]}',
    '[]',
  ],
  feature: [
    '{"name":"x","goals":[{"metricId":1}]}',
    JSON.stringify(feature()),
    '{"name":1}',
    '{"goals":[{"metricId":"1"}]}',
    '"x"',
  ],
  draft: [
    '{"draftId":42,"name":"x","percentTraffic":50}',
    JSON.stringify({ ...draft(), draftId: 42 }),
    '{"draftId":"42"}',
    '{"urls":[{"type":"url","value":"x"}]}',
    'null',
  ],
};

const MEMBER = /"\w+"\s*:/g;
const escaped = (text: string) =>
  text.replace(/\w/, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

const BODY_EDITS: readonly Edit[] = [
  ...[
    (found: string) => `${found}{},${found}`,
    (found: string) => `${escaped(found)}{},${found}`,
    (found: string) => found.toUpperCase(),
    (found: string) => found.replace(/\w"/, (end) => `_${end}`),
    escaped,
    (found: string) => `"__proto__":{"name":1},${found}`,
    (found: string) => `"constructor":{"prototype":{"name":1}},${found}`,
    (found: string) => `"\\u005f_proto__":{},${found}`,
    (found: string) => `/*${found}1,*/${found}`,
    (found: string) => found.replace(/\w/, '$&\\u0000'),
  ].map((edit) => at(MEMBER, edit)),
  // One of the first members once more at the end, bad.
  (text, nth) => {
    const name = [...text.matchAll(MEMBER)][nth % 3]?.[0] ?? '"name":';
    return text.replace(/\}\s*$/, `,${nth % 2 ? escaped(name) : name}0}`);
  },
  (text, nth) => text.slice(0, nth % (text.length + 1)),
  at(/./gs, () => ''),
  (text, nth) => '['.repeat(nth % 300) + text + ']'.repeat(nth % 300),
  (text, nth) => `${'{"a":'.repeat(nth % 140)}${text}${'}'.repeat(nth % 140)}`,
  (text) => Buffer.from(text, 'utf16le').toString('latin1'),
  (text) => Buffer.from(text, 'utf16le').swap16().toString('latin1'),
  (text) => text.replaceAll('"', '\xe2\x80\x9c'),
  (text) => text.replaceAll('"', "'"),
  ...words(`\xef\xbb\xbf \xff\xfe \xfe\xff \0 [ {} \x1e \xa0 \v`).map(before),
  ...[")]}',\n", '{}\n'].map(before),
  ...words('\0 \xef\xbb\xbf {} , //x \x1a } \f').map(after),
  ...['\n[]', ' \t\r\n'].map(after),
  ...words(String.raw`, ,, NaN /**/ \u \ud800 \" "a": { ] \x41 \ "`).map(insert),
  ...words('\xff \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x80\xa8 \xc2 \0 \xc2\xa0 \x7f').map(insert),
  insert('\n'),
  ...words(
    '9007199254740993 1e999 -1e999 1e400 01 +1 .5 1. 0x1 NaN - 1e0 -0 1.0 1e-400 "1" true null 1n',
  ).map((text) => at(/-?\d+(?:\.\d+)?/g, () => text)),
];

/** Content-Encoding, true and false: what the headers say, and what is done to the bytes. */
type Coding = readonly [says: readonly string[], does: (bytes: Buffer) => Buffer];
const plain = (bytes: Buffer) => bytes;
const gzip = (bytes: Buffer) => gzipSync(bytes);
const CODINGS: Readonly<Record<string, Coding>> = {
  none: [[], plain],
  gzip: [['gzip'], gzip],
  'x-gzip, identity': [['x-gzip', 'identity'], gzip],
  deflate: [['deflate'], (bytes) => deflateSync(bytes)],
  'raw deflate': [['deflate'], (bytes) => deflateRawSync(bytes)],
  'gzip that is none': [['gzip'], plain],
  'br that is none': [['br'], plain],
  'hidden gzip': [[], gzip],
  twice: [['gzip, deflate'], (bytes) => deflateSync(gzipSync(bytes))],
  'twice, said once': [['gzip'], (bytes) => gzipSync(gzipSync(bytes))],
  'with more behind': [['gzip'], (bytes) => Buffer.concat([gzipSync(bytes), bytes])],
  'two members': [['gzip'], (bytes) => Buffer.concat([gzip(bytes.subarray(0, 9)), gzip(bytes.subarray(9))])],
  'cut gzip': [['gzip'], (bytes) => gzipSync(bytes).subarray(0, -6)],
  unknown: [['zstd'], plain],
  odd: [['gzip;q=1'], gzip],
  identity: [['identity', ''], plain],
};

// The requests.

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
  path: Edits;
  query: string;
  headers: readonly string[];
  types: readonly string[];
  /** Which of the texts; -1: a form. */
  text: number;
  body: Edits;
  coding: string;
  isChunked: boolean;
}

const often = <T>(value: T, other: Arbitrary<T>, weight = 3) =>
  fc.oneof({ weight, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: other });

/** The bytes of a request. */
export const hostileRequest: Arbitrary<Buffer> = fc
  .record<Parts>({
    kind: fc.constantFrom('project', 'feature', 'draft'),
    method: often('PATCH', fc.constantFrom(...METHODS), 2),
    path: often<Edits>([], editsOf(PATH_EDITS, 4), 1),
    query: often('', QUERIES),
    headers: often<readonly string[]>(
      [],
      fc.array(fc.oneof(OVERRIDES, OTHER_PATHS, OTHERS), { maxLength: 3 }),
      1,
    ),
    types: often<readonly string[]>(['Content-Type: application/json'], fc.constantFrom([], ...TYPES)),
    text: fc.oneof({ weight: 9, arbitrary: fc.nat(4) }, { weight: 1, arbitrary: fc.constant(-1) }),
    body: often<Edits>([], editsOf([BODY_EDITS], 3), 1),
    coding: often('none', fc.constantFrom(...Object.keys(CODINGS)), 4),
    isChunked: fc.boolean(),
  })
  .map((parts) => {
    const path = apply(`/api/v2/accounts/current/${parts.kind}s/42`, parts.path);
    const [says, encode] = CODINGS[parts.coding] as Coding;
    const text = TEXTS[parts.kind][parts.text] ?? '_method=PATCH&name=x';
    // As octets, so that an edit can break a character apart.
    const octets = apply(Buffer.from(text).toString('latin1'), parts.body);
    const body = encode(Buffer.from(octets, 'latin1'));
    const head = [
      `${parts.method} ${path}${parts.query} HTTP/1.1`,
      'Host: gate.localhost',
      ...parts.headers,
      ...parts.types,
      ...says.map((value) => `Content-Encoding: ${value}`),
      parts.isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`,
    ];
    const start = Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1');
    return Buffer.concat([start, ...(parts.isChunked ? chunked(body) : [body])]);
  });

function chunked(body: Buffer): Buffer[] {
  const parts = [body.subarray(0, 7), body.subarray(7)].filter(({ length }) => length > 0);
  const line = (text: string) => Buffer.from(`${text}\r\n`);
  return [...parts.flatMap((part) => [line(part.length.toString(16)), part, line('')]), line('0'), line('')];
}
