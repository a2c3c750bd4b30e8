import {
  codeOctets,
  decodeOctets,
  decodeOverlong,
  decodeUnits,
  decodeUnreserved,
  dropOctets,
  dropStrayPercents,
  foldCharacters,
  foldWellFormed,
  truncateCharacters,
} from './coded-characters.ts';

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
