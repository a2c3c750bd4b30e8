/** UTF-16 code units of one: far longer than anybody writes. */
const LONGEST = 1000;
/**
 * Of groups, `+(a*)` or `(a*)+`, some take longer for a path than anybody waits, and clients choose the paths. A bar parts the whole glob,
 * `/projects/1|2` being `/projects/1` or `2`, which nobody means.
 */
const BEYOND_PATHS = /[(|]/;

/** UTF-16 code units of a path that is held against globs: no record's is longer, and some globs take long for a long one. */
export const LONGEST_PATH = 1000;

/** For messages. */
export const PATH_GLOBS =
  'a glob or a list of globs, of *, **, ?, [0-9] and {1,2}: ["/accounts/*/projects/{42,43}"]';

/** For picomatch. Without `regex`, a plus repeats nothing. */
export const PATH_GLOB_OPTIONS = { dot: true, nonegate: true, noextglob: true, regex: false };

/** Whether that is a glob, or a list of globs. One that takes something out again would say nothing of what it means. */
export function areGlobs(value: unknown): value is string | string[] {
  const globs: unknown[] = Array.isArray(value) ? value : [value];
  return globs.length > 0 && globs.every(isGlob);
}

/** The same of request paths. */
export function arePathGlobs(value: unknown): value is string | string[] {
  return areGlobs(value) && ![value].flat().some((glob) => BEYOND_PATHS.test(glob));
}

function isGlob(value: unknown): value is string {
  return (
    typeof value === 'string' && value.trim() !== '' && !value.startsWith('!') && value.length <= LONGEST
  );
}
