/** Headers as they came on the wire: name, value, name, value, … (the shape of Node's `rawHeaders`). */
export type RawHeaders = readonly string[];

export interface RequestHead {
  /** As sent: `PATCH`. */
  method: string;
  /** The request target as sent: `/api/v2/accounts/current/projects/42?x=1`, or in absolute form. */
  url: string;
  headers: RawHeaders;
}

export interface ResponseHead {
  status: number;
  /** The reason phrase; `""` if there is none. */
  message: string;
  headers: RawHeaders;
}

/** Headers, by their names in lower case, with which a request says that it means another method. */
export const METHOD_OVERRIDES = ['x-http-method-override', 'x-http-method', 'x-method-override'] as const;

/** The same with another path. IIS and the frameworks that follow it (Symfony, Laminas, Yii, CakePHP) route by these. */
export const PATH_OVERRIDES = ['x-original-url', 'x-rewrite-url', 'x-override-url', 'path-info'] as const;

/** Whether a request may be another one to the service, by its method or its path. */
export function mayMeanAnother(headers: RawHeaders): boolean {
  for (let i = 0; i + 1 < headers.length; i += 2) if (isOverride(headers[i] as string)) return true;
  return false;
}

/** Headers that belong to one connection and are never passed on (RFC 9110 7.6.1). */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  'http2-settings',
]);

/** All values of a header, in the order sent. The name is given in lower case. */
export function headerValues(headers: RawHeaders, name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    if (headers[i]?.length === name.length && headers[i]?.toLowerCase() === name)
      values.push(headers[i + 1] as string);
  }
  return values;
}

/** The first value of a header, or undefined. The name is given in lower case. */
export function header(headers: RawHeaders, name: string): string | undefined {
  for (let i = 0; i + 1 < headers.length; i += 2) {
    if (headers[i]?.length === name.length && headers[i]?.toLowerCase() === name) return headers[i + 1];
  }
  return undefined;
}

/** The headers without those that `drop` says yes to. `drop` is asked with the name in lower case. */
export function withoutHeaders(headers: RawHeaders, drop: (name: string) => boolean): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] as string;
    if (!drop(name.toLowerCase())) kept.push(name, headers[i + 1] as string);
  }
  return kept;
}

/**
 * The names that `Connection` lists beside `close` and `keep-alive`, in lower case: of this connection only. Those that say
 * those that say what a body is and where it ends never: a message without them is another one, or two.
 */
export function connectionOptions(headers: RawHeaders): readonly string[] {
  const values = headerValues(headers, 'connection').filter((value) => !/^(?:keep-alive|close)$/.test(value));
  if (values.length === 0) return values;
  const names = values.flatMap((value) => value.split(',').map((one) => one.trim().toLowerCase()));
  return names.filter((name) => !name.startsWith('content-'));
}

/** Remembers what a function says of header names, the same few of which come with every message. A client chooses them: bounded. */
export function byHeaderName<T>(of: (lowerCaseName: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    let result = known.get(name);
    if (result === undefined) {
      result = of(name.toLowerCase());
      if (known.size < 500) known.set(name, result);
    }
    return result;
  };
}

/**
 * A header's name as CGI and the servers like it read it: other characters than letters and digits are `-`. Most of them
 * do so with `_`, PHP with `.` as well, lighttpd with all of them.
 */
export function looseHeaderName(name: string): string {
  return name.replace(/[^a-z0-9]/gi, '-');
}

const OVERRIDES: ReadonlySet<string> = new Set([...METHOD_OVERRIDES, ...PATH_OVERRIDES]);
export const isOverride = byHeaderName((name) => OVERRIDES.has(looseHeaderName(name)));

/** `/a/b?x=1` -> path `/a/b`, query `x=1` (without the `?`). An absolute-form target loses scheme and authority. */
export function splitTarget(url: string): { path: string; query: string } {
  const authority = url.startsWith('/') ? undefined : /^[a-z][a-z0-9+.-]*:\/\/[^/?#\\]*/i.exec(url)?.[0];
  const rest = authority === undefined ? url : url.slice(authority.length).replace(/^(?!\/)/, '/');
  const mark = rest.indexOf('?');
  return mark < 0 ? { path: rest, query: '' } : { path: rest.slice(0, mark), query: rest.slice(mark + 1) };
}

/** Without one of these two headers a request has no body (RFC 9112 6.3). */
export function announcesBody(headers: RawHeaders): boolean {
  return (header(headers, 'content-length') ?? header(headers, 'transfer-encoding')) !== undefined;
}
