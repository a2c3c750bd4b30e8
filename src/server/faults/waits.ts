/** Calls back once, so many milliseconds from now or when nobody is to wait any longer. The function returned: never. */
export type Wait = (milliseconds: number, done: () => void) => () => void;

/** What answers wait for because of a fault alone: nobody else is to wait for them. */
export class Waits {
  readonly #held = new Set<() => void>();

  readonly wait: Wait = (milliseconds, done) => {
    const go = () => {
      stop();
      done();
    };
    const timer = setTimeout(go, milliseconds);
    const stop = () => {
      clearTimeout(timer);
      this.#held.delete(go);
    };
    this.#held.add(go);
    return stop;
  };

  /** Those that wait now go on at once. */
  end(): void {
    for (const go of [...this.#held]) go();
  }
}
