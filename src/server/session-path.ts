import type { IncomingMessage } from 'node:http';
import { PatchgateError } from '../errors.ts';
import { header, type RawHeaders, splitTarget } from '../http/http.ts';
import { parseUrl } from '../http/url.ts';
import { isSessionName, SESSION_NAMES, whyNoSessionName } from '../model/session-name.ts';
import { schemeOf } from '../upstreams/outgoing.ts';
import { SESSION_HEADER } from '../upstreams/session.ts';
import { CONTROL_ROOT, isControlPath } from './control/control-path.ts';
import { sessionNameOf } from './sessions.ts';

/** What stands in front of a session's name, for clients that can set nothing but a base URL. */
const SESSION_ROOT = `${CONTROL_ROOT}/session`;

/** Of which session a request is, and what it asks for. */
export interface InSession {
  name: string;
  /** What named the session, as sent: `/__patchgate/session/NAME`, or `""`. */
  prefix: string;
  /** The rest, which is all that anybody else looks at. */
  url: string;
}

const LITERAL = new RegExp(`^${SESSION_ROOT}(?:/([^/]*)(.*))?$`, 's');

/** What `..` and `.` can look like, with the slashes around them: what stands behind them could lead out of the session. */
const DOTS = /(?:[/\\]|%(?:25)*(?:2f|5c))(?:\.|%(?:25)*2e){1,2}(?:[/\\;]|%(?:25)*(?:2f|5c|3b)|$)/i;

/** Whether a request names its session by its path. Written in any other way it does not: then it is the control API's to refuse. */
export function isSessionPath(url: string): boolean {
  return url.includes(SESSION_ROOT) && LITERAL.test(splitTarget(url).path);
}

/** The path in front of a session's requests. @param name one that `isSessionName` takes */
export function sessionPath(name: string): string {
  return `${SESSION_ROOT}/${encodeURIComponent(name)}`;
}

/**
 * Takes the session out of a request. The rest is read as if it had come alone, so that what is judged is what is forwarded;
 * what could be read as leading back over the name is refused.
 *
 * @param url as sent
 * @returns undefined where it names none
 * @throws PatchgateError `malformed-request`
 */
export function takeSession(url: string, headers: RawHeaders): InSession | undefined {
  const byHeader = sessionNameOf(headers);
  if (!isSessionPath(url)) return byHeader === '' ? undefined : { name: byHeader, prefix: '', url };
  const { path, query } = splitTarget(url);
  const [, coded = '', rest = ''] = LITERAL.exec(path) as RegExpExecArray;
  const name = decoded(coded);
  if (name === undefined || !isSessionName(name)) {
    const why = name === undefined ? 'it is not percent-encoded UTF-8' : whyNoSessionName(name);
    throw malformed(
      coded === ''
        ? `no session is named behind ${SESSION_ROOT}/`
        : `the path names no session, since that is no name: ${why}`,
      `put ${SESSION_ROOT}/NAME in front of the path: ${SESSION_NAMES}, percent-encoded; recordingName(test) of patchgate/testing makes such a name`,
    );
  }
  if (byHeader !== '' && byHeader !== name)
    throw malformed(
      `the path and the header ${SESSION_HEADER} name two sessions`,
      'name the session in one of them',
    );
  if (/^\/[/\\]/.test(rest) || DOTS.test(rest))
    throw malformed(
      'the path could lead out of its session',
      `write what follows ${SESSION_ROOT}/NAME plainly, without dot segments, backslashes or doubled slashes`,
    );
  if (isControlPath(rest))
    throw malformed(
      "within a session's path there is no other one, and no control API",
      `ask for it by its own path: ${CONTROL_ROOT}/`,
    );
  const mark = query === '' && !url.endsWith('?') ? '' : '?';
  return { name, prefix: path.slice(0, path.length - rest.length), url: `${rest || '/'}${mark}${query}` };
}

function decoded(text: string): string | undefined {
  // A backslash that is not coded is a slash to some.
  if (text.includes('\\')) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function malformed(message: string, hint: string): PatchgateError {
  return new PatchgateError('malformed-request', message, { hint });
}

/** An origin that is no server's: to follow references that name none. */
const HERE = 'http://gate.invalid';
const HAS_ORIGIN = /^(?:[a-z][a-z0-9+.-]*:|[/\\]{2})/i;

/**
 * The headers of an answer in which a `Location` that leads back to the gate leads back to the session, too: a client that follows it
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
  // What names an origin may be the gate's; anything else starts from the request.
  const [base, shown] = HAS_ORIGIN.test(location) ? [origin, origin] : [HERE + url, ''];
  const at = base === undefined ? undefined : parseUrl(location, base);
  if (at === undefined || at.origin !== parseUrl(base as string)?.origin) return location;
  return `${shown}${prefix}${at.pathname}${at.search}${at.hash}`;
}
