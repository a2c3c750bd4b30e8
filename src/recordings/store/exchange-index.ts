import type { MatchRules } from '../matching/match-rules.ts';
import { bytesKey, requestFacts } from '../matching/request-form.ts';
import type { StoredExchange } from './stored-exchange.ts';
import { yieldToEventLoop } from './yield-to-event-loop.ts';

const NONE: readonly StoredExchange[] = [];

/** Exchanges of one method and path, found by what is asked for. The lists that it gives stay the same ones, and only grow. */
export class ExchangeIndex {
  /** Oldest first. */
  readonly all: StoredExchange[];
  readonly #rules: MatchRules;
  /** By `requestKey` and by `bytesKey`; those with a placeholder in their request are found by no key. */
  readonly #byKey = new Map<string, StoredExchange[]>();
  readonly #open: StoredExchange[] = [];
  #keyed = 0;

  constructor(all: StoredExchange[], rules: MatchRules) {
    this.all = all;
    this.#rules = rules;
  }

  get length(): number {
    return this.all.length;
  }

  /** Those whose requests have this key (`requestKey`). */
  withKey(key: string): readonly StoredExchange[] {
    this.#keyAll();
    return this.#byKey.get(key) ?? NONE;
  }

  /** Those that a request with this query and body is, where one of them has the very same bytes: it need not be understood.
   *  Undefined where that does not say it. */
  withBytes(query: string, body: Buffer): readonly StoredExchange[] | undefined {
    if (!this.#rules.isByBytes) return undefined;
    this.#keyAll();
    return this.#open.length > 0 ? undefined : this.#byKey.get(bytesKey(query, body));
  }

  /** Those with a placeholder in their request: no key finds these. */
  get open(): readonly StoredExchange[] {
    this.#keyAll();
    return this.#open;
  }

  /** Makes ready what answering from each of these needs, and lets requests go first. */
  async prepare(): Promise<void> {
    for (let i = 0; i < this.all.length; i++) {
      if (i === this.#keyed) this.#keyNext();
      const stored = this.all[i] as StoredExchange;
      // One with a placeholder is compared with what is asked for.
      if (!this.#open.includes(stored)) stored.pack();
      await yieldToEventLoop();
    }
  }

  /** Makes ready what the look-ups need. */
  #keyAll(): void {
    while (this.#keyed < this.all.length) this.#keyNext();
  }

  #keyNext(): void {
    const stored = this.all[this.#keyed++] as StoredExchange;
    const { key, isOpen, byBytes } = requestFacts(stored.request, this.#rules);
    if (isOpen) {
      this.#open.push(stored);
      return;
    }
    let same = this.#byKey.get(key);
    if (same) same.push(stored);
    else {
      same = [stored];
      this.#byKey.set(key, same);
    }
    if (byBytes !== undefined) this.#byKey.set(byBytes, same);
  }
}
