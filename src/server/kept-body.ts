import { Pieces } from '../model/pieces.ts';
import type { KeptBody } from './seen.ts';

/** Bytes of a body that are kept for showing. Design section 5. */
const BYTES_KEPT = 65_536;

/** Keeps the first bytes of a body that goes by. */
export class BodyKeeper implements KeptBody {
  readonly #kept = new Pieces();
  size = 0;

  get chunks(): readonly Buffer[] {
    return this.#kept.list;
  }

  get cut(): boolean {
    return this.size > BYTES_KEPT;
  }

  add(chunk: Buffer): void {
    const room = BYTES_KEPT - this.size;
    if (room > 0) this.#kept.add(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.size += chunk.length;
  }
}
