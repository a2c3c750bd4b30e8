import { PatchgateError } from '../errors.ts';

/** Bytes of large bodies that are held at a time, from their first byte to the end of their answers. */
export const HELD_AT_MOST = 256 * 1024 * 1024;

/** There is no room for one more. */
export const OVERLOADED = new PatchgateError('overloaded', 'too many large bodies are on their way at once', {
  hint: 'send it again in a moment',
});

/** Bytes of every body that count for nothing: small ones are taken however many there are. */
const FREE = 65_536;

/** Bounds the memory of all large bodies that are held at a time: a few hundred clients could fill it together. */
export class BodyBudget {
  /** Bytes that are still free. */
  left: number;

  /** @param bytes that all of them may have */
  constructor(bytes: number) {
    this.left = bytes;
  }

  share(): BodyShare {
    return new BodyShare(this);
  }
}

/** What one request takes of a budget. */
export class BodyShare {
  readonly #budget: BodyBudget;
  #size = 0;
  #held = 0;

  constructor(budget: BodyBudget) {
    this.#budget = budget;
  }

  /** To be called for the bytes of each piece. False: there is no room for it. */
  takes(bytes: number): boolean {
    this.#size += bytes;
    const more = this.#size - FREE - this.#held;
    if (more <= 0) return true;
    if (more > this.#budget.left) return false;
    this.#budget.left -= more;
    this.#held += more;
    return true;
  }

  /** To be called once, when the body is not held any more. */
  giveBack(): void {
    this.#budget.left += this.#held;
    this.#held = 0;
  }
}
