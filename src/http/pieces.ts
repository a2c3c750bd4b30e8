/** Bytes that come piece by piece. One piece alone is not copied; several lie in one buffer, however short they are. */
export class Pieces {
  /** Bytes in all. */
  size = 0;
  #bytes: Buffer = Buffer.alloc(0);
  /** The buffer is ours to write to. */
  #isOwn = false;

  add(piece: Buffer): void {
    const before = this.size;
    this.size += piece.length;
    if (before === 0) {
      this.#bytes = piece;
      return;
    }
    if (!this.#isOwn || this.size > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.size, this.#isOwn ? 2 * before : 0));
      this.#bytes.copy(larger, 0, 0, before);
      this.#bytes = larger;
      this.#isOwn = true;
    }
    piece.copy(this.#bytes, before);
  }

  /** All of them as one. */
  joined(): Buffer {
    return this.#bytes.length === this.size ? this.#bytes : this.#bytes.subarray(0, this.size);
  }
}
