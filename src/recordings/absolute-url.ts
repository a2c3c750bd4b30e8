/**
 * The URL of a recorded request, as text: its path is never normalised, but begins with a slash.
 *
 * @param base `http://127.0.0.1:4010`, or with a path, which is put before the request's unless that begins with it
 */
export function absoluteUrl({ path, query }: { path: string; query: string }, base: string): string {
  const [, origin = '', prefix = ''] = /^([a-z]+:\/\/[^/]*)(.*?)\/*$/.exec(base) ?? [];
  const rooted = path.startsWith('/') ? path : `/${path}`;
  const isBelow = prefix === '' || rooted === prefix || rooted.startsWith(`${prefix}/`);
  return `${origin}${isBelow ? '' : prefix}${rooted}${query === '' ? '' : `?${query}`}`;
}
