import { LRUCache } from 'lru-cache';
import {
  header,
  headerValues,
  type RawHeaders,
  type RequestHead,
  type ResponseHead,
  splitTarget,
  withoutHeaders,
} from '../http/http.ts';
import type { AnsweredBy } from '../upstreams/upstream.ts';

/** Headers of Patchgate that a page may send. */
const SENT = ['patchgate-approve', 'patchgate-session'];
/** Those that stand in the gate's own answers. */
const SHOWN = 'Patchgate-Blocked, Patchgate-Findings, Patchgate-Fault';

const ALLOWS_HEADERS = 'access-control-allow-headers';

/** Methods that need no leave (Fetch 2.2.1). */
const SIMPLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST']);

/** Preflights that are remembered. */
const KEPT = 1000;

/** Seconds that a browser may keep the gate's answer to a preflight. */
const PREFLIGHT_AGE = '600';

/**
 * What pages of other origins may ask for: as the target or the recording says it in its answers to preflights. What the gate answers
 * itself can be read by the same pages. Pages of some origins may ask for and read all: for these the gate answers preflights itself.
 */
export class Cors {
  readonly #origins: readonly string[];
  /** By origin, method and path: the headers with which an answer can be read. */
  readonly #allowed = new LRUCache<string, readonly string[]>({ max: KEPT });

  /** @param origins of pages that may ask for all: `https://app.example.com`; `*`: any, without credentials */
  constructor(origins: readonly string[] = []) {
    this.#origins = origins;
  }

  /** The headers of the gate's answer to a preflight; undefined where it is for others to answer, or is none. */
  preflight({ method, headers }: RequestHead): RawHeaders | undefined {
    if (method !== 'OPTIONS' || this.#allowedTo(headers) === undefined) return undefined;
    const asked = header(headers, 'access-control-request-method');
    if (asked === undefined) return undefined;
    const names = header(headers, 'access-control-request-headers');
    return [
      ...['Access-Control-Allow-Methods', asked],
      ...(names === undefined ? [] : ['Access-Control-Allow-Headers', names]),
      ...['Access-Control-Max-Age', PREFLIGHT_AGE],
    ];
  }

  /** The value of `Access-Control-Allow-Origin` for a page that may ask for all. */
  #allowedTo(headers: RawHeaders): string | undefined {
    if (this.#origins.length === 0) return undefined;
    const origin = header(headers, 'origin');
    if (origin === undefined) return undefined;
    if (this.#origins.includes(origin)) return origin;
    return this.#origins.includes('*') ? '*' : undefined;
  }

  /** The headers of an answer. @param request as the client sent it */
  headersOf(
    request: RequestHead,
    { status, headers }: Pick<ResponseHead, 'status' | 'headers'>,
    answeredBy: AnsweredBy,
  ): RawHeaders {
    const allowed = this.#allowedTo(request.headers);
    if (allowed !== undefined) return readableBy(allowed, headers);
    if (answeredBy !== 'gate' && request.method !== 'OPTIONS') return headers;
    const origin = header(request.headers, 'origin');
    if (origin === undefined) return headers;
    const keyOf = (method: string) => `${origin}\n${method}\n${splitTarget(request.url).path}`;
    if (answeredBy === 'gate') {
      const readable = this.#allowed.get(keyOf(request.method));
      const isSaid = header(headers, 'access-control-allow-origin') !== undefined;
      return readable && !isSaid ? [...headers, ...readable] : headers;
    }
    const method = header(request.headers, 'access-control-request-method');
    if (method === undefined) return headers;
    const key = keyOf(method);
    this.#allowed.delete(key);
    const asked = listOf(request.headers, 'access-control-request-headers');
    if (status < 200 || status > 299 || !allows(headers, origin, method, asked)) return headers;
    this.#allowed.set(key, readableWith(headers));
    return withLeave(
      headers,
      asked.filter((name) => SENT.includes(name)),
    );
  }
}

/** An answer that a page may read, whatever the target says of that. */
function readableBy(origin: string, headers: RawHeaders): RawHeaders {
  const exposed = [...headerValues(headers, 'access-control-expose-headers'), SHOWN].join(', ');
  return [
    ...withoutHeaders(headers, (name) => OF_READING.has(name)),
    ...['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', exposed],
    ...(origin === '*' ? [] : ['Access-Control-Allow-Credentials', 'true', 'Vary', 'Origin']),
  ];
}

const OF_READING: ReadonlySet<string> = new Set([
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-expose-headers',
]);

/** Whether an answer to a preflight lets the request pass, but for Patchgate's own headers. */
function allows(headers: RawHeaders, origin: string, method: string, asked: readonly string[]): boolean {
  const allowedOrigin = header(headers, 'access-control-allow-origin');
  const methods = headerValues(headers, 'access-control-allow-methods')
    .join()
    .split(/[\s,]+/);
  const names = listOf(headers, ALLOWS_HEADERS);
  return (
    (allowedOrigin === '*' || allowedOrigin === origin) &&
    (SIMPLE.has(method) || methods.includes(method) || methods.includes('*')) &&
    asked.every(
      (name) =>
        SENT.includes(name) || names.includes(name) || (names.includes('*') && name !== 'authorization'),
    )
  );
}

function readableWith(preflight: RawHeaders): string[] {
  const readable = [
    ...['Access-Control-Allow-Origin', header(preflight, 'access-control-allow-origin') as string],
    ...['Access-Control-Expose-Headers', SHOWN],
  ];
  if (header(preflight, 'access-control-allow-credentials') === 'true')
    readable.push('Access-Control-Allow-Credentials', 'true');
  return readable;
}

/** An answer to a preflight that allows further headers, too. */
function withLeave(headers: RawHeaders, names: readonly string[]): RawHeaders {
  if (names.length === 0) return headers;
  const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === ALLOWS_HEADERS);
  if (at < 0) return [...headers, 'Access-Control-Allow-Headers', names.join(', ')];
  return headers.with(at + 1, [headers[at + 1], ...names].filter(Boolean).join(', '));
}

/** Names of headers, in lower case. */
function listOf(headers: RawHeaders, name: string): string[] {
  return headerValues(headers, name)
    .join()
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
}
