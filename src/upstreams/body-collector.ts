import { Pieces } from '../http/pieces.ts';

export interface CollectedBody {
  bytes: Buffer;
  /** There were more than may be kept: so many. `bytes` is then empty. */
  omitted?: number;
}

const NOTHING = Buffer.alloc(0);

/** Keeps the chunks of a body up to a limit; past it none, but it goes on counting. */
export class BodyCollector {
  readonly #limit: number;
  readonly #pieces = new Pieces();
  #size = 0;
  #isTooLong = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes that are announced to come: where they are too many, nothing is kept from the start. */
  expect(length: string | undefined): void {
    if (length !== undefined && Number(length) > this.#limit) this.#isTooLong = true;
  }

  add(chunk: Buffer): void {
    this.#size += chunk.length;
    this.#isTooLong ||= this.#size > this.#limit;
    if (this.#isTooLong) this.#pieces.clear();
    else this.#pieces.add(chunk);
  }

  body(): CollectedBody {
    return this.#isTooLong ? { bytes: NOTHING, omitted: this.#size } : { bytes: this.#pieces.joined() };
  }
}
