/** Keys of which it is remembered exactly; of others only the latest time. */
const MOST = 1000;

/** When what was known of something was last dropped, in a bounded memory: the answer may be too late a time, never too early. */
export class Drops {
  /** The oldest is the first. */
  readonly #times = new Map<string, number>();
  #latestOfOthers = 0;

  note(key: string, time: number): void {
    this.#times.delete(key);
    this.#times.set(key, time);
    if (this.#times.size <= MOST) return;
    const [oldest] = this.#times.entries();
    if (!oldest) return;
    this.#times.delete(oldest[0]);
    this.#latestOfOthers = oldest[1];
  }

  /** 0 where it never was. */
  last(key: string): number {
    return this.#times.get(key) ?? this.#latestOfOthers;
  }
}
