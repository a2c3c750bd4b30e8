import { hash } from 'node:crypto';
import { HashSet } from './hash-set.ts';
import { DEFAULT_RULES, type MatchRules } from './matching/match-rules.ts';
import { requestKey } from './matching/request-key.ts';
import type { PlainExchange, PlainRequest } from './plain-exchange.ts';
import { toStoredRequest } from './to-stored-exchange.ts';

/** Requests whose failures are counted; past it, those of the longest unused one are forgotten. */
const MOST_FAILING = 10_000;

/** What is looked at of an exchange. */
type Sighted = Pick<PlainExchange, 'request' | 'session'>;

/**
 * Which requests a run has seen answered, as matching tells them apart, and which have failed; in each session by itself.
 * Keeps some bytes for each, never the request itself; a run of a million different ones takes later ones for seen, so that
 * they drop nothing.
 */
export class FirstSights {
  /** Of requests as they came and, asked for less often, as matching sees them. */
  readonly #seen = new HashSet();
  /** How often each has failed. */
  readonly #failures = new Map<string, number>();
  readonly #rules: MatchRules;

  constructor(rules: MatchRules = DEFAULT_RULES) {
    this.#rules = rules;
  }

  /** @returns whether this request is answered for the first time in its session */
  add({ request, session = '' }: Sighted): boolean {
    const { method, path, query, headers, body, omitted } = request;
    // The media type decides whether a body is read as JSON.
    const bytes = hash('sha1', body, 'binary');
    const texts = [session, ...(omitted === undefined ? headers : ['omitted', ...headers])];
    if (this.#seen.has(bytes, method, path, query, ...texts)) return false;
    this.#seen.add(bytes, method, path, query, ...texts);
    const key = this.#keyOf(request);
    return !this.#seen.has(key, session) && this.#seen.add(key, session);
  }

  /** @returns how often this request has failed in its session before */
  failuresOf({ request, session = '' }: Sighted): number {
    if (this.#failures.size === 0) return 0;
    return this.#failures.get(this.#keyOf(request) + session) ?? 0;
  }

  /** @returns how often this request has failed in its session before */
  addFailure({ request, session = '' }: Sighted): number {
    const key = this.#keyOf(request) + session;
    const before = this.#failures.get(key) ?? 0;
    // Taken out and put in again: the first in the map is the longest unused.
    this.#failures.delete(key);
    this.#failures.set(key, before + 1);
    if (this.#failures.size > MOST_FAILING)
      this.#failures.delete(this.#failures.keys().next().value as string);
    return before;
  }

  #keyOf(request: PlainRequest): string {
    return requestKey(toStoredRequest(request), this.#rules);
  }
}
