import { PatchgateError } from '../errors.ts';
import { header, headerValues, type RawHeaders, splitTarget } from '../http/http.ts';
import { isSessionName, SESSION_NAMES } from '../model/session-name.ts';
import { SESSION_HEADER, type Session, type SessionKeeper } from '../upstreams/session.ts';
import { CONTROL_ROOT, isControlPath } from './control/control-path.ts';

/** A session in use, or used lately. */
export interface LiveSession extends Session {
  /** Milliseconds since the epoch. */
  lastUsedAt: number;
  /** Requests that are not over yet. */
  inFlight: number;
}

/** Sessions at a time, beside the default one. */
export const SESSIONS_AT_MOST = 1000;

/**
 * The sessions of a run, begun by their first request. They end when they are told to, after a while without a request, or the longest
 * unused one where there are too many. The default one goes on as long as the run.
 */
export class Sessions {
  readonly #keeper: SessionKeeper | undefined;
  readonly #named = new Map<string, LiveSession>();
  readonly #timer: NodeJS.Timeout | undefined;
  #default: LiveSession;
  #count = 0;

  /** @param idle milliseconds after which an unused session ends; 0: it does not */
  constructor(idle: number, keeper?: SessionKeeper) {
    this.#keeper = keeper;
    this.#default = this.#start('');
    if (idle > 0) this.#timer = setInterval(() => this.#endIdle(idle), idle / 2).unref();
  }

  /** A request of the session begins; `leave` is called when it is over.
   *  @throws PatchgateError `overloaded`: too many sessions have requests on their way */
  enter(name: string, now = Date.now()): LiveSession {
    const session = this.begin(name);
    session.lastUsedAt = now;
    session.inFlight++;
    return session;
  }

  /** The session of that name, begun where there is none. @throws PatchgateError `overloaded` */
  begin(name: string): LiveSession {
    const known = this.get(name);
    if (known) return known;
    if (this.#named.size >= SESSIONS_AT_MOST) this.#makeRoom();
    const session = this.#start(name);
    this.#named.set(name, session);
    return session;
  }

  leave(session: LiveSession, now = Date.now()): void {
    session.lastUsedAt = now;
    session.inFlight--;
    if (session.inFlight === 0 && this.get(session.name) !== session) this.#keeper?.end(session);
  }

  get default(): LiveSession {
    return this.#default;
  }

  get(name: string): LiveSession | undefined {
    return name === '' ? this.#default : this.#named.get(name);
  }

  list(): LiveSession[] {
    return [this.#default, ...this.#named.values()];
  }

  /** Its requests on their way go on. The next one of that name begins another session. */
  end(name: string): void {
    const session = this.get(name);
    if (name === '') this.#default = this.#start('');
    else this.#named.delete(name);
    if (session?.inFlight === 0) this.#keeper?.end(session);
  }

  endAll(): void {
    for (const { name } of this.list()) this.end(name);
  }

  /** Nothing is waited for any more. */
  close(): void {
    clearInterval(this.#timer);
  }

  #start(name: string): LiveSession {
    const session = { id: ++this.#count, name, lastUsedAt: Date.now(), inFlight: 0 };
    this.#keeper?.start?.(session);
    return session;
  }

  #makeRoom(): void {
    const unused = [...this.#named.values()].filter(({ inFlight }) => inFlight === 0);
    const [oldest] = unused.sort((a, b) => a.lastUsedAt - b.lastUsedAt);
    if (!oldest)
      throw new PatchgateError('overloaded', `${SESSIONS_AT_MOST} sessions have requests on their way`, {
        hint: 'use fewer sessions at a time, or send it again in a moment',
      });
    this.end(oldest.name);
  }

  #endIdle(idle: number): void {
    const before = Date.now() - idle;
    for (const { name, inFlight, lastUsedAt } of [...this.#named.values()])
      if (inFlight === 0 && lastUsedAt <= before) this.end(name);
  }
}

/** Which session a request names by its header; `""`: none. @throws PatchgateError `malformed-request` */
export function sessionNameOf(headers: RawHeaders): string {
  const name = header(headers, HEADER);
  if (name === undefined) return '';
  if (headerValues(headers, HEADER).length === 1 && isSessionName(name)) return name;
  throw new PatchgateError('malformed-request', `the header ${SESSION_HEADER} names no session`, {
    hint: `send it once, with ${SESSION_NAMES}`,
  });
}

const HEADER = SESSION_HEADER.toLowerCase();

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
