import type { Exchange } from '../../model/exchange.ts';
import { ageOf, ageText } from './sequences.ts';

/** Paths that are named; of further ones it is only counted how often they were answered. */
const MOST_NAMED = 20;

/** Says which answers are older than they should be: each path once, and at the end how many there were. */
export class StaleNotices {
  readonly #recording: string;
  readonly #maxAge: number;
  readonly #notice: (text: string) => void;
  readonly #named = new Set<string>();
  #count = 0;

  /** @param maxAge in milliseconds */
  constructor(recording: string, maxAge: number, notice: (text: string) => void) {
    this.#recording = recording;
    this.#maxAge = maxAge;
    this.#notice = notice;
  }

  /** @returns the age of an exchange that is served although it is stale, as text: `45d` */
  ageIfStale(exchange: Pick<Exchange, 'meta' | 'request'>): string | undefined {
    const age = ageOf(exchange);
    if (!(age > this.#maxAge)) return undefined;
    this.#count++;
    const text = ageText(age);
    const { method, path } = exchange.request;
    const name = `${method} ${path}`;
    if (this.#named.size < MOST_NAMED && !this.#named.has(name)) {
      this.#named.add(name);
      this.#notice(`stale: ${name} was recorded ${text} ago, and --max-age is ${ageText(this.#maxAge)}`);
      if (this.#named.size === MOST_NAMED) this.#notice('stale: further paths are not named');
    }
    return text;
  }

  /** Says how many there were since it did so last. */
  sum(): void {
    if (this.#count === 0) return;
    const answers = this.#count === 1 ? '1 answer was' : `${this.#count} answers were`;
    this.#notice(
      `${answers} older than ${ageText(this.#maxAge)}; record again: patchgate proxy <target> --record --recording ${this.#recording}`,
    );
    this.#count = 0;
  }
}
