import { createHash } from 'node:crypto';
import { PatchgateError } from '../../errors.ts';

/**
 * Where an exchange is kept: `<path segments>/<METHOD>.json` in its recording's folder. Two different methods or paths
 * never share a file, on any file system: those that fold letter case, refuse `con` or drop trailing dots included.
 *
 * In a segment `+x` is a capital X, `~3a` the character with that code, `~u20ac` one beyond ASCII; `~` alone is an empty
 * segment, `~+` at the end says that the segment goes on in the next folder, and `~~` in front that the path has no `/`
 * in front. A path that would be longer than file systems take is kept under the hash of itself.
 */

/** Characters of a path per folder name; each takes at most 6, and 255 is what file systems take. */
const PIECE = 40;
/** Characters of a file's whole place below its recording. */
const LONGEST = 600;
const HASHED = '~hash';
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** The file of a method and path, relative to the recording's folder, with `/` between its parts. */
export function locationOf(method: string, path: string): string {
  const file = `${methodPart(method)}.json`;
  const segments = path.startsWith('/') ? path.slice(1).split('/') : path.split('/');
  const parts = segments.flatMap(partsOf);
  if (!path.startsWith('/')) parts[0] = `~~${parts[0]}`;
  const location = [...parts, file].join('/');
  if (location.length <= LONGEST) return location;
  return `${HASHED}/${createHash('sha256').update(path).digest('hex')}/${file}`;
}

/** The method as it stands in the names of its files. */
function methodPart(method: string): string {
  return encode(method, /[A-Z-]/);
}

/**
 * The method and path whose file it is; undefined where there is none. `hashed`: it is kept under a hash, so that only
 * the file itself says its path.
 */
export function placeOf(location: string): { method: string; path: string } | 'hashed' | undefined {
  const parts = location.split('/');
  const file = parts.pop() as string;
  if (!file.endsWith('.json') || parts.length === 0) return undefined;
  if (parts[0] === HASHED) return 'hashed';
  const place = { method: decode(file.slice(0, -'.json'.length)), path: pathOf(parts) };
  // Whatever else lies in the folder, only what this module named is a recording's.
  return locationOf(place.method, place.path) === location ? place : undefined;
}

/**
 * @throws PatchgateError `bad-usage` where the name could lead out of its folder or is none that every file system takes
 */
export function checkRecordingName(name: string): void {
  const why =
    name === ''
      ? 'is empty'
      : name.length > 100
        ? 'is longer than 100 characters'
        : /[/\\]/.test(name)
          ? 'has a slash'
          : // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
            /[\u0000-\u001f<>:"|?*]/.test(name)
            ? 'has a character that not every file system takes'
            : /^\.|[. ]$|^ /.test(name)
              ? 'begins or ends with a dot or space'
              : RESERVED.test(name)
                ? 'is reserved on Windows'
                : undefined;
  if (why === undefined) return;
  const last = name.split(/[/\\]/).findLast((part) => /\w/.test(part));
  throw new PatchgateError('bad-usage', `the recording's name ${JSON.stringify(name)} ${why}`, {
    hint:
      why === 'has a slash' && last
        ? `did you mean ${last}? its folder is given with --recordings`
        : 'name it with letters, digits, - and _: checkout-tests',
  });
}

function partsOf(segment: string): string[] {
  if (segment === '') return ['~'];
  const parts: string[] = [];
  for (let at = 0; at < segment.length; at += PIECE) {
    parts.push(encode(segment.slice(at, at + PIECE), /[a-z0-9_.%-]/));
  }
  return parts.map((part, i) => (i < parts.length - 1 ? `${part}~+` : part));
}

/** Escapes all but `plain` characters, and of these what would not stand as a file's name. */
function encode(text: string, plain: RegExp): string {
  let name = '';
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    // A leading dot hides a file, a trailing one is dropped on Windows; `patch.json` could be another path's PATCH.json.
    const isUnsafeDot = char === '.' && (i === 0 || i === text.length - 1 || text.slice(i) === '.json');
    if (plain.test(char) && !isUnsafeDot) name += char;
    else if (/[A-Z]/.test(char)) name += `+${char.toLowerCase()}`;
    else name += codeOf(char);
  }
  return RESERVED.test(name) ? codeOf(name[0] as string) + name.slice(1) : name;
}

function codeOf(char: string): string {
  const code = char.charCodeAt(0);
  return code < 0x80 ? `~${code.toString(16).padStart(2, '0')}` : `~u${code.toString(16).padStart(4, '0')}`;
}

function pathOf(parts: readonly string[]): string {
  const rooted = !parts[0]?.startsWith('~~');
  const joined = (rooted ? parts.join('/') : parts.join('/').slice(2)).replaceAll('~+/', '');
  return (rooted ? '/' : '') + joined.split('/').map(decode).join('/');
}

function decode(name: string): string {
  if (name === '~') return '';
  return name.replace(/\+([a-z])|~u([0-9a-f]{4})|~([0-9a-f]{2})/g, (_, capital, unit, code) =>
    capital ? capital.toUpperCase() : String.fromCharCode(Number.parseInt(unit ?? code, 16)),
  );
}
