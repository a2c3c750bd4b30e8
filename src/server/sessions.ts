import { PatchgateError } from '../errors.ts';
import { header, headerValues, type RawHeaders } from '../http/http.ts';
import { isSessionName, SESSION_NAMES } from '../model/session-name.ts';
import { SESSION_HEADER, type Session, type SessionKeeper } from '../upstreams/session.ts';

/** A session in use, or used lately. Times are milliseconds since the epoch. */
export interface LiveSession extends Session {
  readonly startedAt: number;
  lastUsedAt: number;
  /** Requests so far. */
  requests: number;
  /** Those that are not over yet. */
  inFlight: number;
}

/** Sessions at a time, beside the default one. */
export const SESSIONS_AT_MOST = 1000;

/**
 * The sessions of a run, begun by their first request. They end when they are told to, after a while
 * without a request, or the longest unused one where there are too many. The default one goes on as long as the run.
 */
export class Sessions {
  readonly #keeper: SessionKeeper | undefined;
  readonly #idle: number;
  readonly #named = new Map<string, LiveSession>();
  #default: LiveSession;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param idle milliseconds after which an unused session ends; 0: it does not */
  constructor(idle: number, keeper?: SessionKeeper) {
    this.#idle = idle;
    this.#keeper = keeper;
    this.#default = this.#start('');
  }

  /** A request of the session begins; `leave` is called when it is over.
   *  @throws PatchgateError `overloaded`: too many sessions have requests on their way */
  enter(name: string, now = Date.now()): LiveSession {
    const session = this.begin(name);
    session.lastUsedAt = now;
    session.requests++;
    session.inFlight++;
    return session;
  }

  /** The session of that name, begun where there is none. @throws PatchgateError `overloaded` */
  begin(name: string): LiveSession {
    return name === '' ? this.#default : (this.#named.get(name) ?? this.#add(name));
  }

  leave(session: LiveSession, now = Date.now()): void {
    session.lastUsedAt = now;
    session.inFlight--;
    if (session.inFlight === 0 && !this.#isLive(session)) this.#keeper?.end(session);
  }

  /** The default one first, the others in the order of their beginnings. */
  list(): LiveSession[] {
    return [this.#default, ...this.#named.values()];
  }

  get default(): LiveSession {
    return this.#default;
  }

  get(name: string): LiveSession | undefined {
    return name === '' ? this.#default : this.#named.get(name);
  }

  /** Its requests on their way go on. The next one of that name begins another session. @returns whether there was one */
  end(name: string): boolean {
    const session = this.get(name);
    if (session === undefined) return false;
    if (name === '') this.#default = this.#start('');
    else this.#named.delete(name);
    if (session.inFlight === 0) this.#keeper?.end(session);
    return true;
  }

  endAll(): void {
    for (const { name } of this.list()) this.end(name);
  }

  /** Nothing is waited for any more. */
  close(): void {
    clearTimeout(this.#timer);
  }

  #isLive(session: LiveSession): boolean {
    return this.get(session.name) === session;
  }

  #add(name: string): LiveSession {
    if (this.#named.size >= SESSIONS_AT_MOST) this.#makeRoom();
    const session = this.#start(name);
    this.#named.set(name, session);
    if (this.#idle > 0) this.#timer ??= this.#wait(this.#idle);
    return session;
  }

  #start(name: string): LiveSession {
    const now = Date.now();
    const id = ++this.#count;
    const session: LiveSession = { id, name, startedAt: now, lastUsedAt: now, requests: 0, inFlight: 0 };
    this.#keeper?.start?.(session);
    return session;
  }

  #makeRoom(): void {
    const unused = [...this.#named.values()].filter(({ inFlight }) => inFlight === 0);
    const [oldest] = unused.sort((a, b) => a.lastUsedAt - b.lastUsedAt);
    if (oldest) this.end(oldest.name);
    else
      throw new PatchgateError('overloaded', `${SESSIONS_AT_MOST} sessions have requests on their way`, {
        hint: 'use fewer sessions at a time, or send it again in a moment',
      });
  }

  #wait(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.#endIdle(), milliseconds).unref();
  }

  #endIdle(): void {
    const now = Date.now();
    let next = Number.POSITIVE_INFINITY;
    for (const { name, inFlight, lastUsedAt } of [...this.#named.values()]) {
      const left = inFlight > 0 ? this.#idle : lastUsedAt + this.#idle - now;
      if (left <= 0) this.end(name);
      else next = Math.min(next, left);
    }
    // More than that is left only where the clock was set back.
    this.#timer = next === Number.POSITIVE_INFINITY ? undefined : this.#wait(Math.min(next, this.#idle));
  }
}

const HEADER = SESSION_HEADER.toLowerCase();

/**
 * Which session a request is of; `""` where it does not say.
 *
 * @throws PatchgateError `malformed-request`
 */
export function sessionNameOf(headers: RawHeaders): string {
  const name = header(headers, HEADER);
  if (name === undefined) return '';
  const isOne = headerValues(headers, HEADER).length === 1;
  if (isOne && isSessionName(name)) return name;
  const what = isOne ? 'is not a name' : 'comes more than once';
  throw new PatchgateError('malformed-request', `the header ${SESSION_HEADER} ${what}`, {
    hint: `send it once, with ${SESSION_NAMES}`,
  });
}
