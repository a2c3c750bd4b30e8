const NOTHING: Buffer = Buffer.alloc(0);

/** Bytes that come piece by piece. One piece alone is not copied; several lie in one buffer, however short they are. */
export class Pieces {
  /** Bytes in all. */
  size = 0;
  #bytes = NOTHING;
  /** The buffer is ours to write to. */
  #isOwn = false;

  add(piece: Buffer): void {
    const size = this.size + piece.length;
    if (this.size === 0) {
      this.#bytes = piece;
      this.#isOwn = false;
    } else {
      if (!this.#isOwn || size > this.#bytes.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(size, this.#isOwn ? 2 * this.size : 0));
        this.#bytes.copy(larger, 0, 0, this.size);
        this.#bytes = larger;
        this.#isOwn = true;
      }
      piece.copy(this.#bytes, this.size);
    }
    this.size = size;
  }

  /** All of them as one. */
  joined(): Buffer {
    return this.#bytes.length === this.size ? this.#bytes : this.#bytes.subarray(0, this.size);
  }

  clear(): void {
    this.#bytes = NOTHING;
    this.size = 0;
  }
}
