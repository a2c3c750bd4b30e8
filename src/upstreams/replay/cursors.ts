import type { Session } from '../session.ts';

/** Sequences whose place is remembered, of all sessions; past it the longest unused one starts anew. */
const MOST = 100_000;

/** Where each session is in each sequence of repeated requests. Those of ended sessions are forgotten in time. */
export class Cursors {
  readonly #places = new Map<string, number>();
  readonly #most: number;

  constructor(most = MOST) {
    this.#most = most;
  }

  /** The place of the exchange that comes next, from 0.
   *  @param key the same for every request of the sequence */
  at(session: Session, key: string): number {
    return this.#places.get(nameOf(session, key)) ?? 0;
  }

  move(session: Session, key: string, place: number): void {
    const name = nameOf(session, key);
    // Taken out and put in again: the first in the map is the longest unused.
    this.#places.delete(name);
    this.#places.set(name, place);
    if (this.#places.size > this.#most) this.#places.delete(this.#places.keys().next().value as string);
  }
}

function nameOf({ id }: Session, key: string): string {
  return `${id} ${key}`;
}
