/**
 * How servers may read a path that is not written plainly. A gate that reads it in one way while the target reads it
 * in another is no gate, so all of these are looked at, and a path that only then names an operation is refused.
 */

/** A character that servers read differently, an empty segment, a dot at either end of a segment, or no slash first. */
const NOT_PLAIN = /^[^/]|[^\w~!$&'()*+,=:@./-]|\/[./]|\.\/|[./]$/;
/** A path that could be read in more ways than this is no honest one. */
const MOST_READINGS = 500;

/** Whether a path has one reading only, letter case aside. */
export function isPlain(path: string): boolean {
  return !NOT_PLAIN.test(path);
}

/**
 * The readings of a path that loose servers could have: every step that one could take, in every order. Undefined
 * where there are too many to look at.
 */
export function looseReadings(path: string): ReadonlySet<string> | undefined {
  const readings = new Set([path.startsWith('/') ? path : `/${path}`]);
  // A set that grows is gone through to its end.
  for (const reading of readings) {
    for (const step of STEPS) readings.add(step(reading));
    if (readings.size > MOST_READINGS) return undefined;
  }
  return readings;
}

/** What servers, proxies and frameworks do to a path before they route it. */
const STEPS: readonly ((path: string) => string)[] = [
  decodeOctets,
  (path) => cutAt(path, '#'),
  (path) => cutAt(path, '?'),
  (path) => cutAt(path, '\0'),
  (path) => cutAt(path, ';'),
  (path) => path.replace(/;[^/]*/g, ''),
  (path) => path.replaceAll('\\', '/'),
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be found
  (path) => path.replace(/[\u0000-\u0020\u007f]/g, ''),
  (path) => path.replace(/\/{2,}/g, '/'),
  // Trailing dots, as on file systems.
  (path) => path.replace(/([^/.])\.+(?=\/|$)/g, '$1'),
  resolveDots,
  (path) => path.replace(/\/\.{1,2}(?=\/|$)/g, ''),
];

function cutAt(path: string, mark: string): string {
  const at = path.indexOf(mark);
  return at < 0 ? path : path.slice(0, at);
}

/** One level of coded octets and overlong forms of ASCII characters, `%u` forms included. Others stay as they are. */
function decodeOctets(path: string): string {
  return path
    .replace(/[\x80-\xff]/g, (octet) => `%${octet.charCodeAt(0).toString(16)}`)
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

/** RFC 3986 5.2.4: an empty segment is one that `..` takes away. Merged slashes are a reading of their own. */
function resolveDots(path: string): string {
  const resolved: string[] = [];
  for (const segment of path.split('/').slice(1)) {
    if (segment === '..') resolved.pop();
    else if (segment !== '.') resolved.push(segment);
  }
  return `/${resolved.join('/')}`;
}
