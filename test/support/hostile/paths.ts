/** Paths of records, written so that only some servers see that they are, for fast-check. */
import fc, { type Arbitrary } from 'fast-check';
import { words } from '../fuzz.ts';

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

export interface PathEdit {
  /** What it does, in words. */
  name: string;
  run: (path: string) => string;
}

const edit: Arbitrary<PathEdit> = fc.oneof(
  fc.tuple(fc.constantFrom(...AT_SLASH), fc.nat(12)).map(([text, nth]) => ({
    name: `${text} for slash ${nth}`,
    run: (path: string) => {
      const slashes = [...path.matchAll(/\//g)].map(({ index }) => index);
      const at = slashes[nth % Math.max(slashes.length, 1)];
      return at === undefined ? path : path.slice(0, at) + text + path.slice(at + 1);
    },
  })),
  fc.constantFrom(...BEHIND).map((text) => ({ name: `${text} behind`, run: (path: string) => path + text })),
  fc.constantFrom(...BEFORE).map((text) => ({ name: `${text} before`, run: (path: string) => text + path })),
  fc.tuple(fc.nat(WAYS.length - 1), fc.nat(80)).map(([way, nth]) => ({
    name: `character ${nth} in way ${way}`,
    run: (path: string) => {
      const at = nth % Math.max(path.length, 1);
      return path.slice(0, at) + (WAYS[way]?.(path[at] ?? '') ?? '') + path.slice(at + 1);
    },
  })),
  fc.constantFrom(
    { name: 'no account', run: (path: string) => path.replace('/current/', '//') },
    { name: 'all in capitals', run: (path: string) => path.toUpperCase() },
    { name: 'all coded', run: (path: string) => path.replace(/[a-z]/g, (char) => `%${hex(char)}`) },
    { name: 'coded once more', run: (path: string) => path.replaceAll('%', '%25') },
    { name: 'without the first slash', run: (path: string) => path.replace(/^\//, '') },
  ),
);

export const pathEdits: Arbitrary<PathEdit[]> = fc.array(edit, { maxLength: 4 });
