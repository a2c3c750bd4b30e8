import { PatchgateError } from '../errors.ts';
import { header, headerValues, type RawHeaders } from '../http/http.ts';
import { isSessionName, SESSION_NAMES } from '../model/session-name.ts';
import { SESSION_HEADER, type Session, type SessionKeeper } from '../upstreams/session.ts';

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
