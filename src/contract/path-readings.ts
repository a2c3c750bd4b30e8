/**
 * How servers may read a path that is not written plainly. A gate that reads it in one way while the target reads it
 * in another is no gate, so all of these are looked at, and a path that only then names an operation is refused.
 */

/** Segments of plain characters only, with no dot at either end of one: every server reads these alike. */
const PLAIN = /^(?:\/(?!\.)[\w~!$&'()*+,=:@.-]*(?<!\.))+$/;
/** Coded octets are decoded at most this often: past that, a path that still changes is no honest one. */
const DECODINGS = 4;

/** Whether a path has one reading only (letter case aside). An empty segment is not plain. */
export function isPlain(path: string): boolean {
  return PLAIN.test(path) && !path.includes('//');
}

/**
 * The readings of a path that loose servers could have: with the fragment cut off or kept, `;parameters` stripped from
 * each segment or cut off with all that follows, coded octets decoded up to four times, backslashes turned, dot
 * segments resolved or dropped, doubled and trailing slashes removed, trailing dots and spaces stripped, and cut at a
 * NUL. Without the path as it stands.
 */
export function looseReadings(path: string): Set<string> {
  const decoded = new Set<string>([path]);
  let current = path;
  for (let i = 0; i < DECODINGS; i++) {
    const next = decodeOctets(current);
    if (next === current) break;
    decoded.add(next);
    current = next;
  }
  const readings = new Set<string>();
  for (const text of decoded) {
    for (const start of cuts(text)) {
      const turned = start.replaceAll('\\', '/');
      for (const stripped of [turned, turned.replace(/;[^/]*/g, ''), turned.replace(/;.*/s, '')]) {
        const segments = stripped.split('/').map(trimSegment);
        readings.add(join(resolveDots(segments)));
        readings.add(join(segments.filter((segment) => segment !== '.' && segment !== '..')));
        readings.add(join(segments));
      }
    }
  }
  return readings;
}

/** A text as it stands, and cut where a server could take it to end. */
function cuts(text: string): string[] {
  const all = [text];
  for (const mark of ['#', '?', '\0']) {
    const at = text.indexOf(mark);
    if (at >= 0) all.push(text.slice(0, at));
  }
  return all;
}

/** Coded octets and overlong forms of ASCII characters, `%u` forms included. Others stay as they are. */
function decodeOctets(text: string): string {
  return text
    .replace(/%u00([0-9a-f]{2})/gi, '%$1')
    .replace(/%(?:c[01]|e0%8[01]|f0%80%8[01])%([89ab][0-9a-f])/gi, (whole, last: string) =>
      overlong(whole, last),
    )
    .replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** `%c0%af` -> `/`: the last octet has six bits, the one before it the seventh. */
function overlong(whole: string, last: string): string {
  const before = Number.parseInt(whole.slice(-5, -3), 16);
  return String.fromCharCode(((before & 1) << 6) | (Number.parseInt(last, 16) & 0x3f));
}

/** White space, control characters and trailing dots go, as on file systems and in lenient parsers. */
function trimSegment(segment: string): string {
  if (segment === '.' || segment === '..') return segment;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be found
  const bare = segment.replace(/[\u0000-\u0020\u007f]/g, '');
  return bare === '.' || bare === '..' ? bare : bare.replace(/\.+$/, '');
}

function resolveDots(segments: readonly string[]): string[] {
  const resolved: string[] = [];
  for (const segment of segments) {
    if (segment === '..') resolved.pop();
    else if (segment !== '.' && segment !== '') resolved.push(segment);
  }
  return resolved;
}

function join(segments: readonly string[]): string {
  return `/${segments.filter((segment) => segment !== '').join('/')}`;
}
