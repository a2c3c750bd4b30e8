import { PatchgateError } from '../errors.ts';

/** Bytes of large bodies that are held at a time, from their first byte to the end of their answers. */
export const HELD_AT_MOST = 256 * 1024 * 1024;

/** There is no room for one more. */
export const OVERLOADED = new PatchgateError('overloaded', 'too many large bodies are on their way at once', {
  hint: 'send it again in a moment',
});

/** Bytes of every body that count for nothing: small ones are taken however many there are. */
const FREE = 65_536;

/** What one request takes of a budget. */
export interface BodyShare {
  /** To be called for the bytes of each piece. False: there is no room for it. */
  takes(bytes: number): boolean;
  /** To be called once, when the body is not held any more. */
  giveBack(): void;
}

/** Bounds the memory of all large bodies that are held at a time: a few hundred clients could fill it together. */
export class BodyBudget {
  #left: number;

  /** @param bytes that all of them may have */
  constructor(bytes: number) {
    this.#left = bytes;
  }

  share(): BodyShare {
    let size = 0;
    let held = 0;
    return {
      takes: (bytes) => {
        size += bytes;
        const more = size - FREE - held;
        if (more <= 0) return true;
        if (more > this.#left) return false;
        this.#left -= more;
        held += more;
        return true;
      },
      giveBack: () => {
        this.#left += held;
        held = 0;
      },
    };
  }
}
