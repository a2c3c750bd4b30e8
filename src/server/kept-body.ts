import { Pieces } from '../http/pieces.ts';

/** Bytes of a body that are kept for showing. Design section 5. */
const BYTES_KEPT = 65_536;

/** A body as it is kept for showing: whole, or the start of a longer one. Undefined: there is none. */
export type KeptBody = Buffer | BodyStart | undefined;

export interface BodyStart {
  bytes: Buffer;
  /** Bytes of the whole body. */
  size: number;
}

/** What is kept of a body: its very bytes, where they are few and lie in little memory. @param size of the whole body */
export function keptBody(bytes: Buffer, size = bytes.length): KeptBody {
  if (size === 0) return undefined;
  const start = bytes.length > BYTES_KEPT ? bytes.subarray(0, BYTES_KEPT) : bytes;
  // A part of a large memory would hold all of it.
  const own = start.buffer.byteLength > 2 * BYTES_KEPT ? Buffer.from(start) : start;
  return own.length < size ? { bytes: own, size } : own;
}

/** Keeps the first bytes of a body that goes by. */
export class BodyKeeper {
  readonly #start = new Pieces();
  #size = 0;

  add(chunk: Buffer): void {
    const room = BYTES_KEPT - this.#size;
    if (room > 0) this.#start.add(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#size += chunk.length;
  }

  /** What has gone by until now. */
  get kept(): KeptBody {
    return keptBody(this.#start.joined(), this.#size);
  }
}
