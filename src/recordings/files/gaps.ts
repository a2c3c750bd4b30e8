import type { Gap } from './contents.ts';

/**
 * The vacant places of files that are no longer in memory: without them, what fills them later in a run would stand at
 * the end, and recording the same traffic again would give another file. Past a bound the oldest are forgotten.
 */
export class Gaps {
  readonly #files = new Map<string, { entries: number; gaps: readonly Gap[]; size: number }>();
  readonly #limit: number;
  #size = 0;

  /** @param limit characters of exchanges */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @param entries how many exchanges the file has */
  put(key: string, entries: number, gaps: readonly Gap[]): void {
    if (gaps.length === 0) return;
    const size = gaps.reduce((sum, { former }) => sum + former.text.length, 0);
    this.#files.set(key, { entries, gaps, size });
    this.#size += size;
    for (const oldest of this.#files.keys()) {
      if (this.#size <= this.#limit) break;
      this.#remove(oldest);
    }
  }

  has(key: string): boolean {
    return this.#files.has(key);
  }

  /** Those of a file that still has so many exchanges; they are the taker's from then on. */
  take(key: string, entries: number): readonly Gap[] {
    const kept = this.#files.get(key);
    this.#remove(key);
    return kept?.entries === entries ? kept.gaps : [];
  }

  #remove(key: string): void {
    this.#size -= this.#files.get(key)?.size ?? 0;
    this.#files.delete(key);
  }
}
