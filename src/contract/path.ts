/**
 * A path is judged if its strict form is an operation's, and refused if only a loose form is, as some server may read it:
 *
 * - codes: `%70`, `%2570`, `%u0070`, overlong UTF-8; past eight within each other a path may be any
 * - characters that fold to ASCII, or whose low octet is ASCII: `ſ`, full width, U+0170
 * - another letter case of literal segments; dots, blanks and unseen characters around them; `;x=1`
 * - `//`, `/./`, `/../`; backslashes and coded separators, as separators and as characters
 * - `?`, `#`, `;`, NUL or a blank behind the path
 */
import type { OperationEntry } from '../model/contract.ts';

/** A coded separator or a backslash: a slash to some servers, a character of the segment to others. */
const CODED = '\ue000';
/** A character without an ASCII form: some servers leave it out. */
const UNSEEN = '\ue001';
const SLASH = `[/${CODED}]`;
/** Octets that some servers skip. */
const SKIPPED = `%${UNSEEN}\\0-\\x20\\x7f`;
/** Between two segments. A second one stands where a segment in between is nothing to some server. */
const BETWEEN = `${SLASH}{1,2}`;
const BORDER = `(?=${SLASH}|[?#;\\0-\\x20]|$)`;
/** Where a server may end a path: behind segments that are nothing. */
const END = `(?:${SLASH}[.${SKIPPED}]*)*(?:[?#;\\0-\\x20]|$)`;
/** Two dots or more, and nothing that every server sees. */
const DOTS = new RegExp(`(?:^|${SLASH})[${SKIPPED}]*\\.[${SKIPPED}]*\\.[.${SKIPPED}]*(?:${SLASH}|[?#;]|$)`);
/** Segments that are nothing to some server, with the separators around them. */
const NOTHING = new RegExp(`${SLASH}(?:[.${SKIPPED}]*${SLASH})+`, 'g');
/** Some servers end a parameter at a slash alone, others at a coded one too. */
const PARAMETERS = [/;[^/]*/g, new RegExp(`;[^/${CODED}]*`, 'g')];
const CODE = /%(?:25)*(?:u([0-9a-f]{4})|([0-9a-f]{2}))/gi;
const FOLDED_CODE = new RegExp(`%${UNSEEN}*([0-9a-fu])${UNSEEN}*`, 'gi');
/** Loose decoders take six bits of whatever comes last. */
const OVERLONG = /(?:[\xc0\xc1]|(?:\xe0|\xf0\x80|\xf8\x80{2}|\xfc\x80{3})[\x80\x81])[^/]/g;
/** Slashes that Unicode does not count as forms of the ASCII ones, though code pages do. */
const SLASHES = /[\u2044\u2215\u2216\u29f5]/;
/** Times that a path is decoded; one that changes even then is no honest one. */
const MOST_DECODINGS = 8;
/** Coded separators of which each is tried as a slash and as a character. */
const MOST_CODED = 20;

/** Texts that servers may make of a path, in lower case. Empty if it may be any path. */
type Readings = readonly {
  text: string;
  /** Dots may take any segment away, or there are too many coded separators to try each. */
  isVague: boolean;
}[];

export function readingsOf(path: string): Readings {
  // Node gives a request line in octets, and a file has any characters.
  const octets = path.replace(/[^\0-\x7f]+/g, (text) => (/[^\0-\xff]/.test(text) ? octetsOf(text) : text));
  const decoded = decode(octets);
  const read = [fold, lowOctet].map((write) => {
    // A server that folds characters first sees `%32` in `%３2`.
    const again = decode(withCharacters(decoded, write).replace(FOLDED_CODE, '%$1'));
    return withCharacters(again, write).toLowerCase();
  });
  if (read.some((text) => text.search(CODE) >= 0)) return [];
  const bare = read.flatMap((text) => [text, ...PARAMETERS.map((parameter) => text.replace(parameter, ''))]);
  return [...new Set(bare)].flatMap((text) => {
    const isVague = DOTS.test(text) || text.split(CODED).length > MOST_CODED;
    const joined = text.replace(NOTHING, (found) => (found.includes('/') ? '//' : CODED + CODED));
    return text === joined ? { text, isVague } : [text, joined].map((one) => ({ text: one, isVague }));
  });
}

/** `%2f`, `%252f`, `%u002f` and overlong UTF-8, until nothing changes. */
function decode(octets: string): string {
  let decoded = octets.replaceAll('\\', CODED);
  for (let i = 0, before = ''; i < MOST_DECODINGS && decoded !== before; i++) {
    before = decoded;
    decoded = decoded
      .replace(CODE, (_, unit?: string, octet?: string) => {
        const code = Number.parseInt(unit ?? (octet as string), 16);
        return unit !== undefined && code > 0x7f ? octetsOf(String.fromCharCode(code)) : charOf(code);
      })
      .replace(OVERLONG, (found) => {
        if (found.endsWith(CODED)) return CODED;
        const [lead, last] = [found.charCodeAt(found.length - 2), found.charCodeAt(found.length - 1)];
        return charOf(((lead & 1) << 6) | (last & 0x3f));
      });
  }
  return decoded;
}

const charOf = (code: number) => (code === 0x2f || code === 0x5c ? CODED : String.fromCharCode(code));
const octetsOf = (text: string) => Buffer.from(text).toString('latin1');

/** Reads octets past ASCII as UTF-8, and writes each character as `write` says. */
function withCharacters(decoded: string, write: (char: string) => string): string {
  return decoded.replace(/[\x80-\xff]+/g, (run) =>
    Array.from(Buffer.from(run, 'latin1').toString(), write).join('').replace(/[/\\]/g, CODED),
  );
}

/** `ſ` is `s`, a full-width slash is a slash. */
function fold(char: string): string {
  return char
    .replace(SLASHES, '/')
    .normalize('NFKD')
    .toUpperCase()
    .replace(/[^\0-\x7f]+/g, UNSEEN);
}

/** U+0170 is `p` to a server that keeps one octet of a character. */
function lowOctet(char: string): string {
  const octet = (char.codePointAt(0) ?? 0) & 0xff;
  return octet < 0x80 ? String.fromCharCode(octet) : UNSEEN;
}

export type Template = ReturnType<typeof templateOf>;

/** The templates of a contract, the most specific first: literal segments go before parameters, long paths before short ones. */
export function templatesOf(entries: Readonly<Record<string, OperationEntry>>): readonly Template[] {
  const rankOf = ({ path }: OperationEntry) => {
    const shape = path.replace(/[^/]+/g, (segment) => (segment.includes('{') ? '1' : '0'));
    return { shape, literals: shape.split('0').length };
  };
  return Object.entries(entries)
    .map(([operation, entry]) => ({ ...templateOf(operation, entry), ...rankOf(entry) }))
    .sort(
      (a, b) =>
        b.literals - a.literals ||
        b.shape.length - a.shape.length ||
        Number(a.shape > b.shape) - Number(a.shape < b.shape),
    );
}

function templateOf(operation: string, entry: OperationEntry) {
  const { path, parameters: forms } = entry;
  const base = entry.base?.replace(/\/$/, '');
  const source = path.replace(/\{(\w+)\}|[^\w/]/g, (found, name?: string) => {
    if (name === undefined) return `\\${found}`;
    return `(?<${name}>${forms[name]?.type === 'string' ? '[^/]+' : '[^/%]+'})`;
  });
  // Its first group is the prefix, the second the path behind it, and each parameter has one of its name.
  const strict = new RegExp(`^(${base?.replace(/[^\w/]/g, '\\$&') ?? '[^%]*?'})(${source})$`, 's');
  const start = base === undefined ? `(?:^|${SLASH})` : `^[${SKIPPED}/${CODED}]*`;
  const segments = `${base ?? ''}${path}`.slice(1).split('/').map(looseSegment).join(BETWEEN);
  // A parameter may be left out, but for the last.
  const loose = new RegExp(`${start}${segments.replace(/\[\^\/\]\*$/, '[^/]+')}${END}`);
  const words = path
    .split('/')
    .filter((segment) => /^[^{]+$/.test(segment))
    .map(wordOf);
  return { operation, entry, strict, mayBe: looseMatcher(words, loose) };
}

export const parametersIn = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map((match) => String(match[1]));

/** Tells whether some server finds a path below a first segment. */
export function belowMatcher(first: string): (path: string) => boolean {
  const mayBe = looseMatcher([wordOf(first)], new RegExp(`^${SLASH}*${looseSegment(first)}${BORDER}`));
  return (path) => mayBe(readingsOf(path));
}

/** Tells whether a reading fits a pattern, or is vague and holds the words in their order. */
function looseMatcher(words: readonly RegExp[], pattern: RegExp) {
  return (readings: Readings) =>
    readings.length === 0 ||
    readings.some(({ text, isVague }) => (isVague ? follow(words, text) : pattern.test(text)));
}

function follow(words: readonly RegExp[], text: string): boolean {
  let at = 0;
  return words.every((word) => {
    word.lastIndex = at;
    at = word.test(text) ? word.lastIndex : -1;
    return at >= 0;
  });
}

const wordOf = (segment: string) => new RegExp(`(?:^|${SLASH})${looseSegment(segment)}${BORDER}`, 'g');

/** The source of a pattern for a template's segment, with what some servers skip within and behind it. */
function looseSegment(segment: string): string {
  if (/^\{\w+\}$/.test(segment)) return '[^/]*';
  const letters =
    segment
      .toLowerCase()
      .replace(/;.*/, '')
      .match(/\{\w+\}|./g) ?? [];
  const spelt = letters.map((one) => (one.length > 1 ? '[^/]+' : one.replace(/\W/, '\\$&')));
  return `${spelt.map((one) => `[${SKIPPED}]*${one}`).join('')}[.${SKIPPED}]*`;
}
