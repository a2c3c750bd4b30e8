import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Pieces } from '../http/pieces.ts';

export interface CollectedBody {
  bytes: Buffer;
  /** There were more than may be kept: so many. `bytes` is then empty. */
  omitted?: number;
}

const NOTHING = Buffer.alloc(0);

/** Keeps the chunks of a body up to a limit; past it none, but it goes on counting. */
export class BodyCollector {
  isWhole = true;
  readonly #limit: number;
  #size = 0;
  #isTooLong = false;
  #first: Buffer | undefined;
  #pieces: Pieces | undefined;
  #onOver: (() => void) | undefined;
  #stream: Readable | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes that are announced to come: where they are too many, nothing is kept from the start. */
  expect(length: string | undefined): void {
    if (length !== undefined && Number(length) > this.#limit) this.#isTooLong = true;
  }

  add(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#isTooLong || this.#size > this.#limit) {
      this.#isTooLong = true;
      this.#first = undefined;
      this.#pieces = undefined;
    } else if (this.#first === undefined) this.#first = chunk;
    else {
      if (this.#pieces === undefined) {
        this.#pieces = new Pieces();
        this.#pieces.add(this.#first);
      }
      this.#pieces.add(chunk);
    }
  }

  /** Listens to a stream that somebody else reads. */
  collect(stream: Readable): void {
    this.isWhole = false;
    this.#stream = stream;
    // Not `on`: that would start the flow, perhaps before the upstream listens.
    stream.prependListener('data', (chunk: Buffer) => this.add(chunk));
    stream.prependListener('end', () => {
      this.isWhole = true;
      this.#onOver?.();
    });
  }

  /** Calls back once nothing more comes. */
  whenOver(done: (isWhole: boolean) => void): void {
    // A message that has its answer is not told that its connection closed.
    const { socket } = this.#stream as Partial<IncomingMessage>;
    this.#onOver = () => {
      this.#onOver = undefined;
      socket?.off('close', onClose);
      done(this.isWhole);
    };
    const onClose = () => this.#onOver?.();
    socket?.once('close', onClose);
  }

  body(): CollectedBody {
    if (this.#isTooLong) return { bytes: NOTHING, omitted: this.#size };
    return { bytes: this.#pieces?.joined() ?? this.#first ?? NOTHING };
  }
}
