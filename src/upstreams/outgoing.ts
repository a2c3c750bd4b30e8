import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { byHeaderName, connectionOptions, HOP_BY_HOP, splitTarget, withoutHeaders } from '../http/http.ts';
import type { SetHeaders } from './set-headers.ts';
import type { Target } from './target.ts';
import type { UpstreamRequest } from './upstream.ts';

/** How requests are forwarded. */
export interface ForwardOptions {
  target: Target;
  /** Milliseconds that the target may be silent before it answers; 0: for ever. */
  timeout: number;
  /** In the place of the client's. */
  setHeaders?: SetHeaders | undefined;
}

type OutgoingRequest = Pick<UpstreamRequest, 'headers' | 'stream'>;

/**
 * The headers that go to the target: as sent, without those of the connection (the fixed ones and those that
 * `Connection` names), those that this connection makes itself, and Patchgate's own; `host` comes first.
 */
export function outgoingHeaders(asked: OutgoingRequest, options: ForwardOptions): string[] {
  const { headers } = asked;
  const { target, setHeaders } = options;
  const named = connectionOptions(headers);
  const kept = ['host', target.url.host];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] as string;
    if (staysHere(name) || (named.length > 0 && named.includes(name.toLowerCase()))) continue;
    kept.push(name, headers[i + 1] as string);
  }
  return setHeaders
    ? [...withoutHeaders(kept, (name) => setHeaders.names.has(name)), ...setHeaders.added]
    : kept;
}

/** What the client speaks. */
export function schemeOf(stream: OutgoingRequest['stream']): 'http' | 'https' {
  const { socket } = stream as Partial<IncomingMessage>;
  return (socket as Partial<TLSSocket> | undefined)?.encrypted ? 'https' : 'http';
}

/** The host is the target's; the client's wait for `100 Continue` has been answered here. */
const MADE_ANEW: ReadonlySet<string> = new Set(['host', 'expect']);
const staysHere = byHeaderName(
  (name) => HOP_BY_HOP.has(name) || MADE_ANEW.has(name) || name.startsWith('patchgate-'),
);

/**
 * The path and query to ask the target for. A path in the target's URL is put before the request's, unless that
 * begins with it already.
 *
 * @param targetPath without a slash at its end
 */
export function outgoingPath(targetPath: string, url: string): string {
  if (targetPath === '' && url.startsWith('/')) return url;
  const { path: asked, query } = splitTarget(url);
  // `*` and a path without a slash first: no client of ours can send them.
  const path = asked.startsWith('/') ? asked : `/${asked}`;
  const begins = targetPath === '' || path === targetPath || path.startsWith(`${targetPath}/`);
  const whole = begins ? path : targetPath + path;
  return query === '' && !url.endsWith('?') ? whole : `${whole}?${query}`;
}
