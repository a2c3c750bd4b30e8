import { PatchgateError } from '../errors.ts';
import { type RawHeaders, splitTarget } from '../http/http.ts';
import { isSessionName, SESSION_NAMES } from '../model/session-name.ts';
import { SESSION_HEADER } from '../upstreams/session.ts';
import { CONTROL_ROOT, isControlPath } from './control/control-path.ts';
import { sessionNameOf } from './sessions.ts';

/** What stands in front of a session's name, for clients that can set nothing but a base URL. */
const SESSION_ROOT = `${CONTROL_ROOT}/session`;
const LITERAL = new RegExp(`^${SESSION_ROOT}(?:/([^/]*)(.*))?$`, 's');

/** What `..` and `.` can look like, with the slashes around them: what stands behind them could lead out of the session. */
const DOTS = /(?:[/\\]|%(?:25)*(?:2f|5c))(?:\.|%(?:25)*2e){1,2}(?:[/\\;]|%(?:25)*(?:2f|5c|3b)|$)/i;

/** Of which session a request is, and what it asks for. */
export interface InSession {
  name: string;
  /** Without the session's prefix: all that anybody else looks at. */
  url: string;
}

/** Whether a request names its session by its path. Written in any other way it does not: then it is the control API's to refuse. */
export function isSessionPath(url: string): boolean {
  return url.includes(SESSION_ROOT) && LITERAL.test(splitTarget(url).path);
}

/** The path in front of a session's requests. @param name one that `isSessionName` takes */
export function sessionPath(name: string): string {
  return `${SESSION_ROOT}/${encodeURIComponent(name)}`;
}

/**
 * Takes the session out of a request. What could be read as leading back over its name is refused, so that what is judged is what is
 * forwarded.
 *
 * @returns undefined where it names none
 * @throws PatchgateError `malformed-request`
 */
export function takeSession(url: string, headers: RawHeaders): InSession | undefined {
  const byHeader = sessionNameOf(headers);
  if (!isSessionPath(url)) return byHeader === '' ? undefined : { name: byHeader, url };
  const { path, query } = splitTarget(url);
  const [, coded = '', rest = ''] = LITERAL.exec(path) as RegExpExecArray;
  const name = decoded(coded);
  if (!isSessionName(name))
    throw malformed(
      'the path names no session',
      `put ${SESSION_ROOT}/NAME in front of the path: ${SESSION_NAMES}, percent-encoded; recordingName(test) of patchgate/testing makes such a name`,
    );
  if (byHeader !== '' && byHeader !== name)
    throw malformed(`the path and the header ${SESSION_HEADER} name two sessions`, 'name it in one of them');
  if (/^\/[/\\]/.test(rest) || DOTS.test(rest) || isControlPath(rest))
    throw malformed(
      'the path could lead out of its session',
      `write what follows ${SESSION_ROOT}/NAME plainly, without dot segments, backslashes or doubled slashes; ask for the control API by its own path`,
    );
  const mark = query === '' && !url.endsWith('?') ? '' : '?';
  return { name, url: `${rest || '/'}${mark}${query}` };
}

/** Undefined where it is not coded well. A backslash that is not coded is a slash to some. */
function decoded(text: string): string | undefined {
  try {
    return text.includes('\\') ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function malformed(message: string, hint: string): PatchgateError {
  return new PatchgateError('malformed-request', message, { hint });
}
