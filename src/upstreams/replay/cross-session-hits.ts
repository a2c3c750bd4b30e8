import type { StoredExchange } from '../../recordings/store/stored-exchange.ts';
import type { Session } from '../session.ts';

/** A session that was answered with what others recorded, since the recording had nothing of its own for these requests. */
export interface CrossSessionHit {
  /** As the client names it; `""` is the default one. */
  session: string;
  /** Requests. */
  count: number;
}

/** Sessions that are kept track of. */
const MOST = 1000;

/** Which sessions of a run were answered with what others recorded: a test that was renamed since, or is new. */
export class CrossSessionHits {
  readonly #counts = new Map<string, number>();

  /** @param stored what the session is given */
  add({ name }: Session, stored: StoredExchange): void {
    if (stored.session === '' || stored.session === name) return;
    const before = this.#counts.get(name);
    if (before !== undefined || this.#counts.size < MOST) this.#counts.set(name, (before ?? 0) + 1);
  }

  /** In the order of their first such request; the first thousand. */
  list(): CrossSessionHit[] {
    return Array.from(this.#counts, ([session, count]) => ({ session, count }));
  }

  /** Forgets them. @param session this one alone */
  reset(session?: string): void {
    if (session === undefined) this.#counts.clear();
    else this.#counts.delete(session);
  }
}
