import type { Run, ServedPath } from '../../recordings/runs.ts';
import type { ServedExchange, ServedInSession, Session } from '../session.ts';

/** Different exchanges that are kept track of: in a run, in all its sessions together, and in one of them. */
const MOST = 100_000;
const MOST_OF_SESSION = 10_000;

/** Which exchanges of a recording were served, in all and to each session. */
export class Served {
  /** `METHOD path index` of each. */
  readonly #names = new Set<string>();
  readonly #sessions = new Map<Session, OfSession>();
  readonly #most: number;
  #inSessions = 0;
  #isCut = false;

  constructor(most = MOST) {
    this.#most = most;
  }

  /** Whether there were more than are kept track of: what `has` denies may have been served. */
  get isCut(): boolean {
    return this.#isCut;
  }

  add(session: Session, { method, path, index, recordedAt }: Omit<ServedExchange, 'times'>): void {
    const name = nameOf(method, path, index);
    let list = this.#sessions.get(session);
    if (list === undefined) {
      list = { count: 0, exchanges: new Map(), isCut: false };
      this.#sessions.set(session, list);
    }
    list.count++;
    const before = list.exchanges.get(name);
    if (before) {
      before.times++;
      return;
    }
    if (this.#names.size < this.#most) this.#names.add(name);
    else if (!this.#names.has(name)) this.#isCut = true;
    if (list.exchanges.size >= MOST_OF_SESSION || this.#inSessions >= this.#most) list.isCut = true;
    else {
      this.#inSessions++;
      list.exchanges.set(name, { method, path, index, recordedAt, times: 1 });
    }
  }

  has(method: string, path: string, index: number): boolean {
    return this.#names.has(nameOf(method, path, index));
  }

  to(session: Session): ServedInSession {
    const { count, exchanges, isCut } = this.#sessions.get(session) ?? NOTHING;
    return { count, exchanges: exchanges.values(), isCut };
  }

  /** Forgets what was served to a session. What was served in all stays. */
  end(session: Session): void {
    this.#inSessions -= this.#sessions.get(session)?.exchanges.size ?? 0;
    this.#sessions.delete(session);
  }

  /** What a run served that begins and ends then. */
  run(startedAt: Date, endedAt: Date): Run {
    const paths = new Map<string, ServedPath>();
    for (const name of this.#names) {
      const end = name.lastIndexOf(' ');
      const place = name.slice(0, end);
      const index = Number(name.slice(end + 1));
      const known = paths.get(place);
      if (known) known.indexes.push(index);
      else {
        const space = place.indexOf(' ');
        paths.set(place, { method: place.slice(0, space), path: place.slice(space + 1), indexes: [index] });
      }
    }
    const served = [...paths.values()];
    for (const { indexes } of served) indexes.sort((a, b) => a - b);
    return {
      startedAt: startedAt.toISOString(),
      endedAt: endedAt.toISOString(),
      served,
      ...(this.#isCut && { isCut: true }),
    };
  }
}

interface OfSession {
  count: number;
  exchanges: Map<string, ServedExchange>;
  isCut: boolean;
}

const NOTHING: OfSession = { count: 0, exchanges: new Map(), isCut: false };

function nameOf(method: string, path: string, index: number): string {
  return `${method} ${path} ${index}`;
}
