/** Bytes of a piece that is long enough to be kept as it came. */
const LONG = 1024;
/** Bytes of the memory that short pieces are copied into: little at first, more while it keeps filling up. */
const SMALLEST_BLOCK = 256;
const LARGEST_BLOCK = 16_384;

/**
 * Bytes that come piece by piece. Short pieces are copied together, since the object that holds a piece takes a hundred
 * bytes: a body that comes byte by byte would take a hundred times its length.
 */
export class Pieces {
  readonly list: Buffer[] = [];
  /** Bytes in all. */
  size = 0;
  /** Memory that the last piece lies in and can grow into. */
  #block: Buffer | undefined;

  add(piece: Buffer): void {
    this.size += piece.length;
    if (this.list.length === 0 || piece.length >= LONG) {
      this.list.push(piece);
      this.#block = undefined;
      return;
    }
    const last = this.list.length - 1;
    const used = (this.list[last] as Buffer).length;
    if (this.#block && used + piece.length <= this.#block.length) {
      piece.copy(this.#block, used);
      this.list[last] = this.#block.subarray(0, used + piece.length);
      return;
    }
    const size = this.#block ? Math.min(4 * this.#block.length, LARGEST_BLOCK) : SMALLEST_BLOCK;
    this.#block = Buffer.allocUnsafeSlow(Math.max(size, piece.length));
    piece.copy(this.#block);
    this.list.push(this.#block.subarray(0, piece.length));
  }

  /** All of them as one; not copied where there is only one. */
  joined(): Buffer {
    return this.list.length === 1 ? (this.list[0] as Buffer) : Buffer.concat(this.list, this.size);
  }

  clear(): void {
    this.list.length = 0;
    this.size = 0;
    this.#block = undefined;
  }
}
