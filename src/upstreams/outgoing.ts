import { byHeaderName, connectionOptions, HOP_BY_HOP, type RawHeaders, splitTarget } from '../model/http.ts';

/**
 * The headers that go to the target: as sent, without those of the connection (the fixed ones and those that
 * `Connection` names), those that this connection makes itself, and Patchgate's own.
 */
export function outgoingHeaders(headers: RawHeaders): string[] {
  const named = connectionOptions(headers);
  const kept: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] as string;
    if (staysHere(name) || (named.length > 0 && named.includes(name.toLowerCase()))) continue;
    kept.push(name, headers[i + 1] as string);
  }
  return kept;
}

/** The host is the target's; the client's wait for `100 Continue` has been answered here. */
const MADE_ANEW: ReadonlySet<string> = new Set(['host', 'expect']);
const staysHere = byHeaderName(
  (name) => HOP_BY_HOP.has(name) || MADE_ANEW.has(name) || name.startsWith('patchgate-'),
);

/** A list of raw headers as the object that Node's client takes; a name that comes several times has a list. */
export function headersObject(headers: RawHeaders): Record<string, string | string[]> {
  const names = new Map<string, string>();
  const object: Record<string, string | string[]> = {};
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = names.get((headers[i] as string).toLowerCase()) ?? (headers[i] as string);
    names.set(name.toLowerCase(), name);
    const value = headers[i + 1] as string;
    const before = object[name];
    object[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value];
  }
  return object;
}

/**
 * The path and query to ask the target for. A path in the target's URL is put before the request's, unless that
 * begins with it already.
 *
 * @param targetPath without a slash at its end
 */
export function outgoingPath(targetPath: string, url: string): string {
  const { path, query } = splitTarget(url);
  const begins = targetPath === '' || path === targetPath || path.startsWith(`${targetPath}/`);
  const whole = begins ? path : targetPath + path;
  return query === '' && !url.endsWith('?') ? whole : `${whole}?${query}`;
}
