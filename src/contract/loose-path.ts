/**
 * How loose servers read a path: decoded too often, letters folded, separators in any coding, dots and parameters taken out. A gate
 * that reads a path in one way while the target reads it in another is no gate.
 */

/** A coded separator or a backslash: a slash to some servers, a character of the segment to others. */
const CODED = '\ue000';
/** A character without an ASCII form: some servers leave it out. */
const UNSEEN = '\ue001';
const SLASH = `[/${CODED}]`;
/** Octets that some servers skip. */
const SKIPPED = `%${UNSEEN}\\0-\\x20\\x7f`;
/** Between two segments. A second one stands where a segment in between is nothing to some server. */
const BETWEEN = `${SLASH}{1,2}`;
/** Where a server may end a path: behind segments that are nothing. */
const END = `(?:${SLASH}[.${SKIPPED}]*)*(?:[?#;\\0-\\x20]|$)`;

const BORDER = `(?=${SLASH}|[?#;\\0-\\x20]|$)`;

/** One text that a server may make of a path, in lower case. */
interface Reading {
  text: string;
  /** Dots may take any segment away, or there are too many coded separators to try each. */
  isVague: boolean;
}

/** Coded separators of which each is tried as a slash and as a character. */
const MOST_CODED = 20;
/** Times that a path is decoded; one that changes even then is no honest one. */
const MOST_DECODINGS = 8;

/** `unreadable`: it may be any path. */
export type Readings = readonly Reading[] | 'unreadable';

export function readingsOf(path: string): Readings {
  const decoded = decode(octetsOf(path));
  const readings: Reading[] = [];
  for (const write of [fold, lowOctet]) {
    // A server that folds characters first sees `%32` in `%３2`.
    const again = decode(withCharacters(decoded, write).replace(FOLDED_CODE, '%$1'));
    const text = withCharacters(again, write).toLowerCase();
    if (HAS_CODE.test(text)) return 'unreadable';
    for (const bare of [text, text.replace(/;[^/]*/g, ''), text.replace(PARAMETERS, '')]) {
      const isVague = DOTS.test(bare) || bare.split(CODED).length > MOST_CODED;
      const joined = bare.replace(NOTHING, (found) => (found.includes('/') ? '/' : CODED).repeat(2));
      readings.push({ text: bare, isVague }, { text: joined, isVague });
    }
  }
  return readings;
}

/** Behind `;`, to the next separator of any kind. */
const PARAMETERS = new RegExp(`;[^/${CODED}]*`, 'g');
const FOLDED_CODE = new RegExp(`%${UNSEEN}*([0-9a-fu])${UNSEEN}*`, 'gi');
const HAS_CODE = /%[0-9a-f]{2}|%u[0-9a-f]{4}/;
/** Two dots or more, and nothing that every server sees. */
const DOTS = new RegExp(`(?:^|${SLASH})[${SKIPPED}]*\\.[${SKIPPED}]*\\.[.${SKIPPED}]*(?:${SLASH}|[?#;]|$)`);
/** Segments that are nothing to some server, with the separators around them. */
const NOTHING = new RegExp(`${SLASH}(?:[.${SKIPPED}]*${SLASH})+`, 'g');

/** A path template as loose servers match it. */
export interface LooseTemplate {
  whole: RegExp;
  /** Its literal segments. */
  words: readonly RegExp[];
}

/** @param base where the path begins; undefined: anywhere */
export function looseTemplate(base: string | undefined, path: string): LooseTemplate {
  const segments = `${base ?? ''}${path}`.split('/').slice(1);
  const start = base === undefined ? `(?:^|${SLASH})` : `^${SLASH}*`;
  const whole = segments.map((segment, index) => {
    const last = index === segments.length - 1;
    return /^\{\w+\}$/.test(segment) ? `[^/]${last ? '+' : '*'}` : spelt(segment);
  });
  const words = segments.filter((segment) => !segment.includes('{'));
  return {
    whole: new RegExp(`${start}${whole.join(BETWEEN)}${END}`),
    words: words.map((word) => new RegExp(`(?:^|${SLASH})${spelt(word)}${BORDER}`, 'g')),
  };
}

export function mayBe({ whole, words }: LooseTemplate, readings: Readings): boolean {
  if (readings === 'unreadable') return true;
  return readings.some(({ text, isVague }) => (isVague ? follow(words, text) : whole.test(text)));
}

/** Tells whether some server finds a path below a first segment. */
export function belowMatcher(first: string): (path: string) => boolean {
  const { words } = looseTemplate('', `/${first}`);
  const whole = new RegExp(`^${SLASH}*${spelt(first)}${BORDER}`);
  return (path) => mayBe({ whole, words }, readingsOf(path));
}

/** Whether the words stand in a text in this order. */
function follow(words: readonly RegExp[], text: string): boolean {
  let at = 0;
  return words.every((word) => {
    word.lastIndex = at;
    const isThere = word.test(text);
    at = word.lastIndex;
    return isThere;
  });
}

/** The source of a pattern for a template's segment, with what some servers skip within and behind it. */
function spelt(segment: string): string {
  const letters =
    segment
      .toLowerCase()
      .replace(/;.*/, '')
      .match(/\{\w+\}|./g) ?? [];
  const skipped = `[${SKIPPED}]*`;
  return `${letters.map((one) => skipped + (one.length > 1 ? '[^/]+' : `\\u00${hex(one)}`)).join('')}[.${SKIPPED}]*`;
}

function hex(char: string): string {
  return char.charCodeAt(0).toString(16).padStart(2, '0');
}

/** Each character as an octet, as Node gives a request line. Other characters, as files may hold, are coded in UTF-8. */
function octetsOf(path: string): string {
  return path.replace(/[^\0-\x7f]+/g, (text) =>
    /[^\0-\xff]/.test(text) ? Buffer.from(text).toString('latin1') : text,
  );
}

/** `%2f`, `%252f`, `%u002f` and overlong UTF-8, until nothing changes. */
function decode(octets: string): string {
  let decoded = octets.replaceAll('\\', CODED);
  for (let i = 0; i < MOST_DECODINGS; i++) {
    const before = decoded;
    decoded = decoded
      .replace(/%(?:25)*(?:u([0-9a-f]{4})|([0-9a-f]{2}))/gi, (_, unit?: string, octet?: string) =>
        octetsOfCode(Number.parseInt(unit ?? (octet as string), 16), unit !== undefined),
      )
      .replace(OVERLONG, (whole, last: string) => {
        if (last === CODED) return CODED;
        // Loose decoders take six bits of whatever comes last.
        const high = (whole.charCodeAt(whole.length - 2) & 1) << 6;
        return octetsOfCode(high | (last.charCodeAt(0) & 0x3f), false);
      });
    if (decoded === before) break;
  }
  return decoded;
}

function octetsOfCode(code: number, isUnit: boolean): string {
  if (code === 0x2f || code === 0x5c) return CODED;
  const char = String.fromCharCode(code);
  return isUnit && code > 0x7f ? Buffer.from(char).toString('latin1') : char;
}

const OVERLONG =
  /(?:[\xc0\xc1]|\xe0[\x80\x81]|\xf0\x80[\x80\x81]|\xf8\x80\x80[\x80\x81]|\xfc\x80\x80\x80[\x80\x81])([^/])/g;

/** Reads octets past ASCII as UTF-8, and writes each character as `write` says. */
function withCharacters(decoded: string, write: (char: string) => string): string {
  return decoded.replace(/[\x80-\xff]+/g, (run) =>
    Array.from(Buffer.from(run, 'latin1').toString(), write).join('').replace(/[/\\]/g, CODED),
  );
}

/** Slashes that Unicode does not count as forms of the ASCII ones, though code pages do. */
const SLASHES = /[\u2044\u2215\u2216\u29f5]/;

/** `ſ` is `s`, a full-width slash is a slash. */
function fold(char: string): string {
  if (SLASHES.test(char)) return '/';
  const folded = char.normalize('NFKD').toUpperCase();
  return folded.replace(/[^\0-\x7f]+/g, UNSEEN) || UNSEEN;
}

/** U+0170 is `p` to a server that keeps one octet of a character. */
function lowOctet(char: string): string {
  const octet = (char.codePointAt(0) ?? 0) & 0xff;
  return octet < 0x80 ? String.fromCharCode(octet) : UNSEEN;
}
