import type { RecordingStore } from '../../recordings/store.ts';
import type { StoredExchange } from '../../recordings/stored-exchange.ts';
import type { ServedExchange, ServedInSession, Session } from '../session.ts';

/** Different exchanges that are kept track of, of all sessions together and of one of them. */
const MOST = 100_000;
const MOST_OF_SESSION = 10_000;
/** Sessions whose hits on what others recorded are counted. */
const MOST_SESSIONS = 1000;

/** How often each exchange was served, in the order in which they were first. */
interface OfSession {
  count: number;
  times: Map<StoredExchange, number>;
  isCut: boolean;
}

/** Which exchanges of a recording were served, in all and to each session. */
export class Served {
  readonly #store: RecordingStore;
  readonly #all = new Set<StoredExchange>();
  readonly #sessions = new Map<Session['id'], OfSession>();
  #inSessions = 0;

  constructor(store: RecordingStore) {
    this.#store = store;
  }

  add({ id }: Session, stored: StoredExchange): void {
    this.#all.add(stored);
    const own = this.#sessions.get(id) ?? { count: 0, times: new Map(), isCut: false };
    if (own.count++ === 0) this.#sessions.set(id, own);
    const times = own.times.get(stored);
    if (times !== undefined) own.times.set(stored, times + 1);
    else if (own.times.size >= MOST_OF_SESSION || this.#inSessions >= MOST) own.isCut = true;
    else {
      this.#inSessions++;
      own.times.set(stored, 1);
    }
  }

  has(stored: StoredExchange): boolean {
    return this.#all.has(stored);
  }

  to({ id }: Session): ServedInSession {
    const { count = 0, times = new Map(), isCut = false } = this.#sessions.get(id) ?? {};
    return { count, exchanges: this.#shown(times), isCut };
  }

  /** Forgets what was served to a session. What was served in all stays. */
  end({ id }: Session): void {
    this.#inSessions -= this.#sessions.get(id)?.times.size ?? 0;
    this.#sessions.delete(id);
  }

  *#shown(times: ReadonlyMap<StoredExchange, number>): Generator<ServedExchange> {
    for (const [stored, index] of this.#indexesOf(times.keys())) {
      const { method, path } = stored.request;
      const { recordedAt } = stored.meta;
      yield { method, path, index, recordedAt, times: times.get(stored) as number };
    }
  }

  /** The place of each in its file. One that was replaced since has none. */
  *#indexesOf(exchanges: Iterable<StoredExchange>): Generator<[StoredExchange, number]> {
    const files = new Map<string, ReadonlyMap<StoredExchange, number>>();
    for (const stored of exchanges) {
      const { method, path } = stored.request;
      const name = `${method} ${path}`;
      const places =
        files.get(name) ?? new Map(this.#store.exchanges(method, path).all.map((one, at) => [one, at]));
      files.set(name, places);
      const index = places.get(stored);
      if (index !== undefined) yield [stored, index];
    }
  }
}

/** A session that was answered with what others recorded, since the recording had nothing of its own for these requests. */
export interface CrossSessionHit {
  /** As the client names it; `""` is the default one. */
  session: string;
  /** Requests. */
  count: number;
}

/** Which sessions of a run were answered with what others recorded: a test that was renamed since, or is new. */
export class CrossSessionHits {
  readonly #counts = new Map<string, number>();

  /** @param stored what the session is given */
  add({ name }: Session, stored: StoredExchange): void {
    if (stored.session === '' || stored.session === name) return;
    const count = this.#counts.get(name) ?? 0;
    if (count > 0 || this.#counts.size < MOST_SESSIONS) this.#counts.set(name, count + 1);
  }

  /** In the order of their first such request. */
  list(): CrossSessionHit[] {
    return Array.from(this.#counts, ([session, count]) => ({ session, count }));
  }

  /** Forgets them. @param session this one alone */
  reset(session?: string): void {
    if (session === undefined) this.#counts.clear();
    else this.#counts.delete(session);
  }
}
