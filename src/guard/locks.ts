/** Gives a lock back. More often does nothing. */
export type Release = () => void;

/** Locks by name, one holder at a time, in the order of asking. */
export class Locks {
  /** The last in each queue: resolves when it has given its lock back. */
  readonly #last = new Map<string, Promise<void>>();

  async acquire(key: string): Promise<Release> {
    const before = this.#last.get(key);
    let over: Release = () => undefined;
    const mine = new Promise<void>((resolve) => {
      over = resolve;
    });
    this.#last.set(key, mine);
    if (before) await before;
    return () => {
      if (this.#last.get(key) === mine) this.#last.delete(key);
      over();
    };
  }
}
