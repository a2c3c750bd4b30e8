import { createHash } from 'node:crypto';
import type { RecordedRequest } from '../model/exchange.ts';

/** The one method and path that a file is for. */
export type Place = Pick<RecordedRequest, 'method' | 'path'>;

export const placeKey = ({ method, path }: Place) => `${method} ${path}`;

export function byPlace<T extends { request: Place }>(exchanges: readonly T[]): Map<string, T[]> {
  return grouped(exchanges, ({ request }) => placeKey(request));
}

export function grouped<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (groups.get(key)?.push(item) === undefined) groups.set(key, [item]);
  }
  return groups;
}

/** Characters that file systems take of one name, and of a file's whole place below its recording. */
const LONGEST_NAME = 240;
const LONGEST = 600;
const HASHED = '~hash';
const IN_METHOD = /[^A-Z-]/g;
/** A leading dot hides a file, a trailing one is dropped on Windows; `patch.json` could be another path's PATCH.json. */
const IN_SEGMENT = /[^a-z0-9_.%-]|^\.|\.$|\.(?=json$)/g;
export const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * The file of a method and path below a recording's folder: `<path segments>/<METHOD>.json`. Two methods or paths never share a file,
 * also on file systems that fold letter case, refuse `con` or drop trailing dots.
 *
 * `+x` is a capital X, `~3a` the character of that code, `~u20ac` one beyond ASCII, `~` alone an empty segment; `~~` says that the path
 * has no slash in front. A path that is too long is kept under its hash.
 */
export function locationOf(method: string, path: string): string {
  const file = `${encode(method, IN_METHOD)}.json`;
  const isRooted = path.startsWith('/');
  const names = path
    .slice(isRooted ? 1 : 0)
    .split('/')
    .map((segment) => encode(segment, IN_SEGMENT) || '~');
  const folder = (isRooted ? '' : '~~') + names.join('/');
  if (folder.length <= LONGEST && names.every((name) => name.length <= LONGEST_NAME))
    return `${folder}/${file}`;
  return `${HASHED}/${createHash('sha256').update(path).digest('hex')}/${file}`;
}

/** The method and path of a file; `hashed`: only the file itself says its path; undefined: it is none of ours. */
export function placeOf(location: string): Place | 'hashed' | undefined {
  const [, folder = '', method] = /^(.+)\/([^/]+)\.json$/.exec(location) ?? [];
  if (method === undefined) return undefined;
  if (folder.startsWith(`${HASHED}/`)) return 'hashed';
  const segments = folder.replace(/^~~/, '').split('/').map(decode).join('/');
  const place = { method: decode(method), path: (folder.startsWith('~~') ? '' : '/') + segments };
  return locationOf(place.method, place.path) === location ? place : undefined;
}

/** Escapes what `special` finds, and what would not stand as a file's name. */
function encode(text: string, special: RegExp): string {
  const name = text.replace(special, (char) =>
    /[A-Z]/.test(char) ? `+${char.toLowerCase()}` : codeOf(char),
  );
  return RESERVED.test(name) ? codeOf(name[0] as string) + name.slice(1) : name;
}

function codeOf(char: string): string {
  const code = char.charCodeAt(0);
  return code < 0x80 ? `~${code.toString(16).padStart(2, '0')}` : `~u${code.toString(16).padStart(4, '0')}`;
}

function decode(name: string): string {
  if (name === '~') return '';
  return name.replace(/\+([a-z])|~u([0-9a-f]{4})|~([0-9a-f]{2})/g, (_, capital, unit, code) =>
    capital ? capital.toUpperCase() : String.fromCharCode(Number.parseInt(unit ?? code, 16)),
  );
}
