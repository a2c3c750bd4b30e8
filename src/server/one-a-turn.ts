/** Does heavy work piece by piece, one a turn of the event loop: whatever else has come gets its turn in between. */
export class OneATurn {
  readonly #waiting: (() => void)[] = [];

  add(work: () => void): void {
    if (this.#waiting.push(work) === 1) setImmediate(this.#next);
  }

  readonly #next = (): void => {
    const work = this.#waiting[0];
    try {
      work?.();
    } finally {
      this.#waiting.shift();
      if (this.#waiting.length > 0) setImmediate(this.#next);
    }
  };
}
