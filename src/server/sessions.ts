import { PatchgateError } from '../errors.ts';
import { header, headerValues, type RawHeaders, splitTarget } from '../http/http.ts';
import { isSessionName, SESSION_NAMES } from '../model/session-name.ts';
import { SESSION_HEADER, type Session } from '../upstreams/session.ts';
import { CONTROL_ROOT, isControlPath } from './control-path.ts';

/** Sessions at a time, beside the default one. */
const SESSIONS_AT_MOST = 1000;

/** The sessions of a run, begun by their first request. Past the most, the one whose last request is the longest ago ends. */
export class Sessions {
  /** In the order of their last requests. */
  readonly #named = new Map<string, Session>();
  #count = 0;
  #default = this.#start('');

  /** The session of a request, begun where there is none of that name. */
  enter(name: string): Session {
    if (name === '') return this.#default;
    const session = this.#named.get(name) ?? this.#start(name);
    this.#named.delete(name);
    this.#named.set(name, session);
    const [oldest = ''] = this.#named.keys();
    if (this.#named.size > SESSIONS_AT_MOST) this.end(oldest);
    return session;
  }

  get default(): Session {
    return this.#default;
  }

  get(name: string): Session | undefined {
    return name === '' ? this.#default : this.#named.get(name);
  }

  list(): Session[] {
    return [this.#default, ...this.#named.values()];
  }

  /** The next request of that name begins another session. */
  end(name: string): void {
    if (name === '') this.#default = this.#start('');
    else this.#named.delete(name);
  }

  endAll(): void {
    for (const { name } of this.list()) this.end(name);
  }

  #start(name: string): Session {
    return { id: ++this.#count, name };
  }
}

const HEADER = SESSION_HEADER.toLowerCase();

/** Which session a request names by its header; `""`: none. @throws PatchgateError `malformed-request` */
export function sessionNameOf(headers: RawHeaders): string {
  const name = header(headers, HEADER);
  if (name === undefined) return '';
  if (headerValues(headers, HEADER).length === 1 && isSessionName(name)) return name;
  throw malformed(`the header ${SESSION_HEADER} names no session`, `send it once, with ${SESSION_NAMES}`);
}

/** What stands in front of a session's name, for clients that can set nothing but a base URL. */
const SESSION_ROOT = `${CONTROL_ROOT}/session`;
const IN_SESSION = new RegExp(`^${SESSION_ROOT}(?:/([^/]*)(.*))?$`, 's');

/** What `..` and `.` can look like, with the slashes around them: what stands behind them could lead out of the session. */
const DOTS = /(?:[/\\]|%(?:25)*(?:2f|5c))(?:\.|%(?:25)*2e){1,2}(?:[/\\;]|%(?:25)*(?:2f|5c|3b)|$)/i;

/** Whether a request names its session by its path. Written in any other way it does not: then it is the control API's to refuse. */
export function isSessionPath(url: string): boolean {
  return url.includes(SESSION_ROOT) && IN_SESSION.test(splitTarget(url).path);
}

/** The path in front of a session's requests. @param name one that `isSessionName` takes */
export function sessionPath(name: string): string {
  return `${SESSION_ROOT}/${encodeURIComponent(name)}`;
}

/**
 * Takes the session out of a request. What could be read as leading back over its name is refused, so that what is judged is what is
 * forwarded.
 *
 * @returns the session's name, `""` where it names none, and the URL without it: all that anybody else looks at
 * @throws PatchgateError `malformed-request`
 */
export function takeSession(url: string, headers: RawHeaders): { name: string; url: string } {
  const byHeader = sessionNameOf(headers);
  if (!isSessionPath(url)) return { name: byHeader, url };
  const { path, query } = splitTarget(url);
  const [, coded = '', rest = ''] = IN_SESSION.exec(path) as RegExpExecArray;
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
