/** Nothing has changed for so long: then it is time to write. */
const QUIET_MS = 300;
/** What could not be written is tried again after so long. */
const RETRY_MS = 1000;

/** Says when to write: one write after the other, and none for each change. */
export class WriteBehind {
  readonly #write: () => Promise<void>;
  readonly #isDue: () => boolean;
  #timer: NodeJS.Timeout | undefined;
  #writes: Promise<void> = Promise.resolve();
  #left = 0;
  #isEnding = false;

  /**
   * @param write never rejects
   * @param isDue whether it is worth it by now
   */
  constructor(write: () => Promise<void>, isDue: () => boolean) {
    this.#write = write;
    this.#isDue = isDue;
  }

  /** Something has changed. Called on a request's path. */
  changed(): void {
    this.#in(QUIET_MS);
  }

  failed(): void {
    this.#in(RETRY_MS);
  }

  /** Does not wait for a quiet moment, unless it is being written already. */
  hurry(): void {
    if (this.#left === 0 && !this.#isEnding) void this.#next();
  }

  /** Resolves when all is written, or has been tried. Nothing is written after it. */
  async end(isNeeded: () => boolean): Promise<void> {
    this.#isEnding = true;
    clearTimeout(this.#timer);
    await this.#writes;
    if (isNeeded()) await this.#next();
  }

  #in(delay: number): void {
    clearTimeout(this.#timer);
    if (this.#isEnding) return;
    this.#timer = setTimeout(() => {
      if (this.#isDue()) void this.#next();
    }, delay);
    // Waiting to write is no reason for a process to live on; the end writes.
    this.#timer.unref();
  }

  #next(): Promise<void> {
    this.#left++;
    this.#writes = this.#writes.then(async () => {
      await this.#write();
      this.#left--;
    });
    return this.#writes;
  }
}
