import type { KeptBody } from './seen.ts';

/** Bytes of a body that are kept for showing. Design section 5. */
const BYTES_KEPT = 65_536;

/** Keeps the first bytes of a body that goes by. */
export class BodyKeeper implements KeptBody {
  readonly chunks: Buffer[] = [];
  size = 0;

  get cut(): boolean {
    return this.size > BYTES_KEPT;
  }

  add(chunk: Buffer): void {
    const room = BYTES_KEPT - this.size;
    if (room > 0) this.chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.size += chunk.length;
  }
}
