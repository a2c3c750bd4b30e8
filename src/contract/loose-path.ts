import { isUtf8 } from 'node:buffer';

/**
 * The loose form of a path: what servers that decode too often, fold letters or skip what they cannot read would make of it.
 * A gate that reads a path in one way while the target reads it in another is no gate.
 */

/** A separator that was coded, or a backslash: some servers see a slash, others a character of the segment. */
const CODED_SLASH = '\ue000';
/** An octet that is no UTF-8: any character, or none. */
const ANY = '\ue001';

/** A character that has no ASCII form: some servers leave it out. */
const UNSEEN = '\ue002';

/** A character that servers read differently, an empty segment, a dot at either end of a segment, or no slash first. */
const NOT_PLAIN = /^[^/]|[^\w~!$&'()*+,=:@./-]|\/[./]|\.\/|[./]$/;

/** Whether a path has one reading only, letter case aside. */
export function isPlain(path: string): boolean {
  return !NOT_PLAIN.test(path);
}

/** A segment of a loose path. */
export interface LooseSegment {
  /** In lower case, fully decoded. */
  text: string;
  /** Whether a coded separator stands before it, so that it may belong to the segment before. */
  isJoined: boolean;
  /** Whether parameters behind `;` stand before it in the same segment, for servers that see no slash between. */
  isBehindParameters: boolean;
}

export interface LoosePath {
  segments: readonly LooseSegment[];
  /** Whether dot segments may take away any other segment. */
  hasDots: boolean;
}

/** The loose forms of a path: one with folded characters, and one with their low octets if that is another. */
export function looseForms(path: string): LoosePath[] {
  const decoded = decode(octetsOf(path));
  const forms = new Set(
    [fold, lowOctet].map((write) => {
      const once = withCharacters(decoded, write);
      // Some servers see `%32` here.
      return withCharacters(decode(once.replace(/%\ue002*([0-9a-fu])\ue002*/gi, '%$1')), write);
    }),
  );
  return Array.from(forms, parse);
}

function decode(octets: string): string {
  return decodeOctets(decodeOverlong(decodeOctets(octets)));
}

function parse(form: string): LoosePath {
  const segments: LooseSegment[] = [];
  let isBehindParameters = false;
  for (const [whole, separator = '', text = ''] of form
    .toLowerCase()
    .matchAll(/([/\ue000]?)([^/\ue000]*)/g)) {
    if (whole === '') break;
    const isJoined = separator === CODED_SLASH;
    isBehindParameters = isJoined && isBehindParameters;
    segments.push({ text, isJoined, isBehindParameters });
    isBehindParameters ||= text.includes(';');
  }
  return { segments, hasDots: segments.some(({ text }) => DOTS.test(text)) };
}

/** Two dots or more and nothing else, but parameters or what a server cuts off. */
const DOTS = /^[%\ue002\0-\x20]*(?:[.\ue001][%\ue002\0-\x20]*){2,}(?:[;?#]|$)/;

/** Each character as an octet, as Node gives a request line. Other characters, as files may hold, are coded in UTF-8. */
function octetsOf(path: string): string {
  return path.replace(/[^\0-\x7f]+/g, (text) =>
    /[^\0-\xff]/.test(text) ? Buffer.from(text).toString('latin1') : text,
  );
}

/** Decodes `%2f` and `%u002f` until nothing changes: from the end, so that each character is looked at once. */
function decodeOctets(octets: string): string {
  if (!octets.includes('%') && !octets.includes('\\')) return octets;
  const decoded: string[] = [];
  const next = (count: number) => decoded.slice(-count).reverse().join('');
  for (let i = octets.length - 1; i >= 0; i--) {
    let char = octets[i] as string;
    while (char === '%') {
      const [unit, octet] = [/^u[0-9a-f]{4}$/i.test(next(5)), /^[0-9a-f]{2}$/i.test(next(2))];
      if (!unit && !octet) break;
      const hex = unit ? next(5).slice(1) : next(2);
      decoded.length -= unit ? 5 : 2;
      const code = Number.parseInt(hex, 16);
      if (unit && code > 0x7f) {
        decoded.push(...[...Buffer.from(String.fromCharCode(code)).toString('latin1')].reverse());
        char = '';
      } else char = code === 0x2f ? CODED_SLASH : String.fromCharCode(code);
    }
    if (char !== '') decoded.push(char === '\\' ? CODED_SLASH : char);
  }
  return decoded.reverse().join('');
}

/** Overlong UTF-8 of ASCII characters, `%c0%af`. Loose decoders take six bits of whatever comes last. */
function decodeOverlong(decoded: string): string {
  return decoded.replace(OVERLONG, (whole, last: string) => {
    if (last === CODED_SLASH) return CODED_SLASH;
    const code = ((whole.charCodeAt(whole.length - 2) & 1) << 6) | (last.charCodeAt(0) & 0x3f);
    return code === 0x2f || code === 0x5c ? CODED_SLASH : String.fromCharCode(code);
  });
}

const OVERLONG =
  /(?:[\xc0\xc1]|\xe0[\x80\x81]|\xf0\x80[\x80\x81]|\xf8\x80\x80[\x80\x81]|\xfc\x80\x80\x80[\x80\x81])([^/])/g;

/** Reads octets past ASCII as UTF-8, and writes each character as `write` says. */
function withCharacters(decoded: string, write: (char: string) => string): string {
  return decoded.replace(/[\x80-\xff]+/g, (run) => {
    const octets = Buffer.from(run, 'latin1');
    const text = isUtf8(octets) ? octets.toString() : octets.toString().replaceAll('\ufffd', ANY);
    return Array.from(text, (char) => (char === ANY ? ANY : write(char)))
      .join('')
      .replace(/[/\\]/g, CODED_SLASH);
  });
}

/** Slashes that Unicode does not count as forms of the ASCII ones, though code pages do. */
const SLASHES = /[\u2044\u2215\u2216\u29f5]/;

/** `ſ` is `s`, a full-width slash is a slash; what has no ASCII form is left out. */
function fold(char: string): string {
  if (SLASHES.test(char)) return '/';
  return (
    char
      .normalize('NFKD')
      .toUpperCase()
      .replace(/[^\0-\x7f]+/g, UNSEEN) || UNSEEN
  );
}

/** U+0170 is `p` to a server that keeps one octet of a character. */
function lowOctet(char: string): string {
  const octet = (char.codePointAt(0) ?? 0) & 0xff;
  return octet < 0x80 ? String.fromCharCode(octet) : UNSEEN;
}

/** Whether a segment is nothing to some server: empty, dots, white space, or parameters alone. */
export function isNothing(text: string): boolean {
  return /^[.%\ue001\ue002\0-\x20\x7f]*(?:;|$)/.test(text);
}

/** Whether a server may end the path before this segment has begun. */
export function startsWithEnd(text: string): boolean {
  return /^[.%\ue001\ue002\x7f]*[?#;\0-\x20]/.test(text);
}

/** Whether a server may end the path within this segment. */
export function mayEndPath(text: string): boolean {
  return /[?#;\0-\x20]/.test(text);
}

/** Whether some server reads a segment as this word, in lower case. */
export function mayBeWord(text: string, word: string): boolean {
  return readingsOf(text).some((reading) => isSpelt(reading, word));
}

/** Whether some server reads a segment as one that the pattern fits. */
export function mayFit(text: string, pattern: RegExp): boolean {
  return readingsOf(text).some((reading) => pattern.test(reading.replaceAll(ANY, '')));
}

/** Without what is invisible; without parameters; cut at what may end a path. */
function readingsOf(text: string): string[] {
  return [text, text.replace(/;.*$/s, ''), text.replace(/[?#;].*$|(?<=[^\0-\x20])[\0-\x20].*$/s, '')].map(
    (reading) => reading.replace(/[%\ue002\0-\x20\x7f]/g, '').replace(/\.+$/, ''),
  );
}

/** Each `ANY` may stand for one letter of the word. */
function isSpelt(reading: string, word: string): boolean {
  const letters = reading.replaceAll(ANY, '');
  if (letters === word) return true;
  if (word.length - letters.length > reading.length - letters.length) return false;
  let at = 0;
  for (const letter of letters) {
    at = word.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
