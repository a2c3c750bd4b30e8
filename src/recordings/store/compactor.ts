/** Nothing has changed for so long: then it is time to compact. */
const QUIET_MS = 300;
/** After a failure it is tried again so much later. */
const RETRY_MS = 1000;

/** Says when to move what a journal holds into its files: once after many changes, and one time after the other. */
export class Compactor {
  readonly #compact: () => Promise<void>;
  readonly #isDue: () => boolean;
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<void> = Promise.resolve();
  #left = 0;
  #isEnding = false;

  /**
   * @param compact never rejects
   * @param isDue whether it is worth it by now
   */
  constructor(compact: () => Promise<void>, isDue: () => boolean) {
    this.#compact = compact;
    this.#isDue = isDue;
  }

  /** Something has changed. Called on a request's path. */
  changed(): void {
    this.#in(QUIET_MS);
  }

  failed(): void {
    this.#in(RETRY_MS);
  }

  /** Does not wait for a quiet moment, unless it compacts already. */
  hurry(): void {
    if (this.#left === 0 && !this.#isEnding) void this.now();
  }

  /** Resolves when all that there is now is compacted, or has been tried. */
  now(): Promise<void> {
    this.#left++;
    this.#last = this.#last.then(async () => {
      await this.#compact();
      this.#left--;
    });
    return this.#last;
  }

  /** Resolves when all is compacted, or has been tried. Nothing is compacted after it. */
  async end(isNeeded: () => boolean): Promise<void> {
    this.#isEnding = true;
    clearTimeout(this.#timer);
    await this.#last;
    if (isNeeded()) await this.now();
  }

  #in(delay: number): void {
    clearTimeout(this.#timer);
    if (this.#isEnding) return;
    this.#timer = setTimeout(() => {
      if (this.#isDue()) void this.now();
    }, delay);
    // Waiting is no reason for a process to live on; the end compacts.
    this.#timer.unref();
  }
}
