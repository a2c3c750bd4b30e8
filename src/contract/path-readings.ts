import { isUtf8 } from 'node:buffer';

/**
 * How servers may read a path that is not written plainly. A gate that reads it in one way while the target reads it
 * in another is no gate, so all of these are looked at, and a path that only then names an operation is refused.
 */

/** A character that servers read differently, an empty segment, a dot at either end of a segment, or no slash first. */
const NOT_PLAIN = /^[^/]|[^\w~!$&'()*+,=:@./-]|\/[./]|\.\/|[./]$/;
/** A path that could be read in more ways than this is no honest one. */
const MOST_READINGS = 500;

/** Characters of readings that may still be looked at. Each takes half a microsecond. */
export interface ReadingBudget {
  left: number;
}

/** What all paths of one request may take together: an honest one of a kilobyte has ten spellings at most. */
export function readingBudget(): ReadingBudget {
  return { left: 12_000 };
}

/** Whether a path has one reading only, letter case aside. */
export function isPlain(path: string): boolean {
  return !NOT_PLAIN.test(path);
}

/**
 * The readings of a path that loose servers could have: every step that one could take, in every order. Undefined
 * where there are too many to look at, or they are longer than the budget.
 *
 * @param isOfInterest whether a path that holds this text, whatever else, is worth the look: no step on the path's form
 *   makes other words of it
 */
export function looseReadings(
  path: string,
  isOfInterest: (text: string) => boolean = () => true,
  budget: ReadingBudget = readingBudget(),
): ReadonlySet<string> | undefined {
  const coded = codeOctets(path);
  const start = coded.startsWith('/') ? coded : `/${coded}`;
  const spellings = closureOf(start, ON_CHARACTERS, budget);
  if (!spellings) return undefined;
  for (const text of spellings) if (isOfInterest(text)) return closureOf(start, STEPS, budget);
  return NONE;
}

const NONE: ReadonlySet<string> = new Set();

function closureOf(
  start: string,
  steps: readonly Step[],
  budget: ReadingBudget,
): ReadonlySet<string> | undefined {
  const readings = new Set([start]);
  // A set that grows is gone through to its end.
  for (const reading of readings) {
    budget.left -= reading.length;
    if (readings.size > MOST_READINGS || budget.left < 0) return undefined;
    for (const step of steps) readings.add(step(reading));
  }
  return readings;
}

/** What servers, proxies and frameworks do to a path before they route it. */
type Step = (path: string) => string;

/** Steps that change what words there are. */
const ON_CHARACTERS: readonly Step[] = [
  decodeOctets,
  decodeUnits,
  decodeOverlong,
  decodeUnreserved,
  foldCharacters,
  foldWellFormed,
  truncateCharacters,
  dropOctets,
  dropStrayPercents,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be found
  (path) => path.replace(/[\u0000-\u0020\u007f]/g, ''),
];

const STEPS: readonly Step[] = [
  ...ON_CHARACTERS,
  (path) => cutAt(path, /#/),
  (path) => cutAt(path, /\?/),
  (path) => cutAt(path, /;/),
  (path) => cutAt(path, /\0/),
  (path) => cutAt(path, /[\t\n\r ]/),
  (path) => path.replace(/;[^/]*/g, ''),
  (path) => path.replaceAll('\\', '/'),
  (path) => path.replace(/\/{2,}/g, '/'),
  // Trailing dots, as on file systems.
  (path) => path.replace(/([^/.])\.+(?=\/|$)/g, '$1'),
  resolveDots,
  (path) => path.replace(/\/\.+(?=\/|$)/g, ''),
];

function cutAt(path: string, mark: RegExp): string {
  const at = path.search(mark);
  return at < 0 ? path : path.slice(0, at);
}

/** RFC 3986 5.2.4: an empty segment is one that `..` takes away. Merged slashes are a reading of their own. */
function resolveDots(path: string): string {
  const resolved: string[] = [];
  for (const segment of path.split('/').slice(1)) {
    if (segment === '..') resolved.pop();
    else if (segment !== '.') resolved.push(segment);
  }
  return `/${resolved.join('/')}`;
}

/**
 * What servers make of coded characters in a path, each function in one way. All take and give ASCII: what is not ASCII
 * stays coded in octets, `%c3%a9`.
 */

/** Raw octets as coded ones. A character that no octet is, as files may hold, is coded in UTF-8. */
export function codeOctets(path: string): string {
  return path.replace(/[^\0-\x7f]+/g, (text) =>
    /[^\0-\xff]/.test(text) ? codeUtf8(text) : codeAll(text, (char) => char.charCodeAt(0)),
  );
}

/** One level of coded octets. */
export function decodeOctets(path: string): string {
  return path.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** The `%u002f` of IIS. */
export function decodeUnits(path: string): string {
  return path.replace(/(?:%u[0-9a-f]{4})+/gi, (forms) =>
    codeUtf8(forms.replace(/%u(....)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))),
  );
}

/** Overlong UTF-8 of ASCII characters: `%c0%af`. */
export function decodeOverlong(path: string): string {
  return path.replace(OVERLONG, (whole, last: string) => overlong(whole, last));
}

/** Only the characters that mean the same coded and plain (RFC 3986 2.3): `%2e`, not `%2f`. */
export function decodeUnreserved(path: string): string {
  return path.replace(/%([2-7][0-9a-f])/gi, (whole, hex: string) => {
    const char = String.fromCharCode(Number.parseInt(hex, 16));
    return /[\w.~-]/.test(char) ? char : whole;
  });
}

/** Characters as the ASCII that they are a form of: `ſ` (long s), full-width letters, `é`; invisible ones as nothing. */
export function foldCharacters(path: string): string {
  return replaceCharacters(path, (char) => {
    const slash = SLASHES[char];
    if (slash !== undefined) return slash;
    const base = char.normalize('NFKD').replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '');
    return /[^\0-\x7f]/.test(base) ? base.toUpperCase() : base;
  });
}

/** The same of what is UTF-8 among octets that are not, as a decoder that goes on behind what it cannot read. */
export function foldWellFormed(path: string): string {
  return path.replace(WELL_FORMED, foldCharacters);
}

const WELL_FORMED =
  /%(?:c[2-9a-f]|d[0-9a-f])%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-4](?:%[89ab][0-9a-f]){3}/gi;

/** Characters as the last octet of their number, as a server that casts them to bytes: U+0170 is `p`. */
export function truncateCharacters(path: string): string {
  return replaceCharacters(path, (char) => String.fromCharCode((char.codePointAt(0) ?? 0) & 0xff));
}

/** Without octets that are not ASCII, as a decoder that skips what it cannot read. */
export function dropOctets(path: string): string {
  return path.replace(/%[89a-f][0-9a-f]/gi, '');
}

/** Without a `%` that starts no coded octet. */
export function dropStrayPercents(path: string): string {
  return path.replace(/%(?![0-9a-f]{2}|u[0-9a-f]{4})/gi, '');
}

/** With any last octet: loose decoders take six bits of whatever it is. */
const OVERLONG = /%(?:c[01]|e0%8[01]|f0%80%8[01]|f8%80%80%8[01]|fc%80%80%80%8[01])%([0-9a-f]{2})/gi;

/** `%c0%af` -> `/`: the last octet has six bits, the one before it the seventh. */
function overlong(whole: string, last: string): string {
  const before = Number.parseInt(whole.slice(-5, -3), 16);
  return String.fromCharCode(((before & 1) << 6) | (Number.parseInt(last, 16) & 0x3f));
}

/** Slashes that Unicode does not count as forms of the ASCII ones, though code pages do. */
const SLASHES: Readonly<Record<string, string>> = {
  '\u2044': '/',
  '\u2215': '/',
  '\u2216': '\\',
  '\u29f5': '\\',
};

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Replaces what is coded by what `of` says of it, where that is ASCII. Octets that are no UTF-8 are a character each. */
function replaceCharacters(path: string, of: (char: string) => string): string {
  return path.replace(/(?:%[89a-f][0-9a-f])+/gi, (coded) => {
    const octets = Uint8Array.from(coded.slice(1).split('%'), (hex) => Number.parseInt(hex, 16));
    const text = isUtf8(octets) ? utf8.decode(octets) : String.fromCharCode(...octets);
    return Array.from(text, (char) => {
      const ascii = of(char);
      return /[^\0-\x7f]/.test(ascii) ? codeUtf8(char) : ascii;
    }).join('');
  });
}

const encoder = new TextEncoder();

function codeUtf8(text: string): string {
  return codeAll(encoder.encode(text), (octet) => octet);
}

function codeAll<T>(all: Iterable<T>, octetOf: (one: T) => number): string {
  return Array.from(all, octetOf)
    .map((octet) => (octet < 0x80 ? String.fromCharCode(octet) : `%${octet.toString(16)}`))
    .join('');
}
