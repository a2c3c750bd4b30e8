import { escapeToken, pointerOf } from '../../json/pointer.ts';
import type { DriftRule } from './drift-rules.ts';

export type Tokens = readonly (string | number)[];

/** One place where a live answer is not the recorded one. What its message quotes is redacted and cut. */
export interface Drift {
  rule: DriftRule;
  /** `status`, `body`, or the header's name after `headers/`. */
  at: 'status' | 'body' | `headers/${string}`;
  /** JSON Pointer in the recorded body; `""` for all of it, and for what is not in it. */
  pointer: string;
  message: string;
}

/** Of differences that are alike (one rule, one place but for the indexes of items) so many are told one by one. */
const MOST_ALIKE = 3;
/** Differences that are told of an answer. */
const MOST = 1000;

interface Alike {
  count: number;
  pattern: string;
  last: Drift;
}

/** Gathers the differences of one answer: all are counted, and a field that changed in ten thousand items is told in a few lines. */
export class Drifts {
  /** All places that differ. */
  count = 0;
  readonly #told: Drift[] = [];
  readonly #alike = new Map<string, Alike>();
  #omitted = 0;

  /** @param message made only where it is told */
  add(rule: DriftRule, at: Drift['at'], tokens: Tokens, message: () => string): void {
    this.count++;
    const pattern = patternOf(tokens);
    const key = `${rule} ${at} ${pattern}`;
    const alike = this.#alike.get(key);
    if (alike && alike.count >= MOST_ALIKE) {
      alike.count++;
      return;
    }
    if (this.#told.length >= MOST) {
      this.#omitted++;
      return;
    }
    const drift = { rule, at, pointer: pointerOf(tokens), message: message() };
    this.#told.push(drift);
    this.#alike.set(key, { count: (alike?.count ?? 0) + 1, pattern, last: drift });
  }

  /** Those that are told, in their order, and how many more there were that are like none of them. */
  all(): { drifts: readonly Drift[]; omitted: number } {
    const more = new Map<Drift, Alike>();
    for (const alike of this.#alike.values()) if (alike.count > MOST_ALIKE) more.set(alike.last, alike);
    const drifts = this.#told.map((drift) => {
      const alike = more.get(drift);
      if (!alike) return drift;
      const further = alike.count - MOST_ALIKE;
      return { ...drift, message: `${drift.message}; ${further} more like it at ${alike.pattern}` };
    });
    return { drifts, omitted: this.#omitted };
  }
}

/** `/items/*\/price`: the place in whichever item. */
function patternOf(tokens: Tokens): string {
  return tokens.map((token) => `/${typeof token === 'number' ? '*' : escapeToken(token)}`).join('');
}
