import type { StoredExchange } from '../../recordings/store/stored-exchange.ts';
import type { Session } from '../session.ts';
import type { Unanswerable } from './answerable.ts';

/** Why no exchange of a sequence is the answer. */
export type Refused =
  | {
      reason: Unanswerable;
      /** The one that would have been. */
      stored: StoredExchange;
    }
  | {
      reason: 'already-served';
      stored: StoredExchange;
      /** How often the request was recorded. */
      recorded: number;
      /** How many of these could be answers, and were. */
      served: number;
    };

/** What matches a request, oldest first: all, and those that its session is given of them. Never none. */
export interface Sequence {
  all: readonly StoredExchange[];
  own: readonly StoredExchange[];
}

/** The exchange that is the answer. */
export interface Chosen {
  reason?: undefined;
  stored: StoredExchange;
  sequence: Sequence;
  place: number;
}

/** Gives out the exchanges of each sequence in their order, to each session by itself. */
export class Sequences {
  /** By session, the place that comes next. A sequence goes by the first of all that matches, which is the same for every
   *  request of it: what is recorded on the way may leave the session others of them. */
  readonly #next = new Map<Session['id'], Map<StoredExchange | undefined, number>>();
  readonly #isStrict: boolean;
  readonly #whyNot: (stored: StoredExchange) => Unanswerable | undefined;

  /** @param isStrict the last one does not repeat
   *  @param whyNot why an exchange is never given out */
  constructor(isStrict: boolean, whyNot: (stored: StoredExchange) => Unanswerable | undefined) {
    this.#isStrict = isStrict;
    this.#whyNot = whyNot;
  }

  /** The first exchange, from where the session is, that can be an answer; past the last of them, that one again. */
  choose(session: Session, sequence: Sequence): Chosen | Refused {
    const { all, own } = sequence;
    const next = this.#next.get(session.id)?.get(all[0]) ?? 0;
    for (let place = next; place < own.length; place++) {
      const stored = own[place] as StoredExchange;
      if (this.#whyNot(stored) === undefined) return { stored, sequence, place };
    }
    for (let place = Math.min(next, own.length) - 1; place >= 0; place--) {
      const stored = own[place] as StoredExchange;
      if (this.#whyNot(stored) !== undefined) continue;
      if (!this.#isStrict) return { stored, sequence, place };
      const served = own.filter((one) => this.#whyNot(one) === undefined).length;
      return { reason: 'already-served', stored, recorded: own.length, served };
    }
    const stored = own.at(-1) as StoredExchange;
    return { reason: this.#whyNot(stored) as Unanswerable, stored };
  }

  /** What was chosen is served. */
  advance(session: Session, { sequence: { all, own }, place }: Chosen): void {
    // One alone has no places.
    if (own.length > 1 || this.#isStrict) this.#move(session, all, place + 1);
  }

  /** Somebody else answers a request for which all was served. Where that is recorded, behind the others, this session
   *  has had it, too. */
  pass(session: Session, { all }: Sequence): void {
    this.#move(session, all, (this.#next.get(session.id)?.get(all[0]) ?? 0) + 1);
  }

  /** The session begins each sequence anew. */
  end({ id }: Session): void {
    this.#next.delete(id);
  }

  #move({ id }: Session, all: readonly StoredExchange[], next: number): void {
    let places = this.#next.get(id);
    if (!places) {
      places = new Map();
      this.#next.set(id, places);
    }
    places.set(all[0], next);
  }
}
