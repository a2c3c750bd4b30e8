import type { IncomingMessage } from 'node:http';
import { header, type RawHeaders } from '../http/http.ts';
import { parseUrl } from '../http/url.ts';
import { schemeOf } from '../upstreams/outgoing.ts';
import type { InSession } from './session-path.ts';

/** Any origin that is nobody's: to follow references that name none. */
const HERE = 'http://gate.invalid';
const HAS_ORIGIN = /^(?:[a-z][a-z0-9+.-]*:|[/\\]{2})/i;

/**
 * The headers of an answer in which a `Location` that leads back to the gate leads back to the session, too: whoever follows it
 * must not leave the session that the path named. A cookie for some paths is for those of the session, or it would never come back.
 */
export function headersInSession(headers: RawHeaders, session: InSession, req: IncomingMessage): string[] {
  const host = header(req.rawHeaders, 'host');
  // The gate's, as the client knows it.
  const origin = host ? `${schemeOf(req)}://${host}` : undefined;
  return headers.map((value, index) => {
    const name = index % 2 === 1 ? (headers[index - 1] as string).toLowerCase() : '';
    if (name === 'location' || name === 'content-location') return locationIn(value, session, origin);
    return name === 'set-cookie' ? cookieIn(value, session) : value;
  });
}

/** One of the first kind is only taken for all paths (RFC 6265bis 4.1.3.2); in the name of a session, a semicolon ends the path. */
function cookieIn(cookie: string, { prefix }: InSession): string {
  if (/^\s*__Host-/i.test(cookie) || prefix.includes(';')) return cookie;
  return cookie.replace(/(;\s*path\s*=\s*)(?=\/)/gi, (path) => path + prefix);
}

function locationIn(location: string, { prefix, url }: InSession, origin: string | undefined): string {
  if (HAS_ORIGIN.test(location)) {
    if (origin === undefined) return location;
    const own = parseUrl(origin);
    const at = parseUrl(/^[/\\]/.test(location) ? `${own?.protocol}${location}` : location);
    if (at === undefined || at.origin !== own?.origin) return location;
    return `${origin}${prefix}${at.pathname}${at.search}${at.hash}`;
  }
  const at = parseUrl(location, HERE + url);
  if (at === undefined || at.origin !== HERE) return location;
  return `${prefix}${at.pathname}${at.search}${at.hash}`;
}
