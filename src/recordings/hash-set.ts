/** Slots at first and at last; half of them are used at most. */
const SMALLEST = 1024;
const LARGEST = 4 * 1024 * 1024;

/**
 * A set of hashes that takes 16 to 32 bytes for each, of which it keeps 64 bits. Past two million it takes no more.
 */
export class HashSet {
  /** Two halves for each slot; both 0: it is free. */
  #slots = new Uint32Array(2 * SMALLEST);
  #size = 0;

  /** @param hash one UTF-16 code unit for each of its bytes, as `binary` encoding gives it */
  has(hash: string): boolean {
    return this.#slots[this.#slotOf(this.#slots, half(hash, 0), half(hash, 4))] !== 0;
  }

  /** @returns false where it is full and the hash is not kept */
  add(hash: string): boolean {
    if (4 * this.#size >= this.#slots.length && !this.#grow()) return false;
    const [high, low] = [half(hash, 0), half(hash, 4)];
    const slot = this.#slotOf(this.#slots, high, low);
    if (this.#slots[slot] === 0) this.#size++;
    this.#slots[slot] = high;
    this.#slots[slot + 1] = low;
    return true;
  }

  /** The slot that holds the hash, or the free one where it belongs. */
  #slotOf(slots: Uint32Array, high: number, low: number): number {
    let slot = 2 * (low % (slots.length / 2));
    while (slots[slot] !== 0 && (slots[slot] !== high || slots[slot + 1] !== low)) slot = (slot + 2) % slots.length;
    return slot;
  }

  #grow(): boolean {
    const old = this.#slots;
    if (old.length >= 2 * LARGEST) return false;
    const slots = new Uint32Array(2 * old.length);
    for (let i = 0; i < old.length; i += 2) {
      if (old[i] === 0) continue;
      const slot = this.#slotOf(slots, old[i] as number, old[i + 1] as number);
      slots[slot] = old[i] as number;
      slots[slot + 1] = old[i + 1] as number;
    }
    this.#slots = slots;
    return true;
  }
}

/** 32 bits of the hash; never 0, which means a free slot. */
function half(hash: string, at: number): number {
  const bits =
    hash.charCodeAt(at) |
    (hash.charCodeAt(at + 1) << 8) |
    (hash.charCodeAt(at + 2) << 16) |
    (hash.charCodeAt(at + 3) << 24);
  return bits >>> 0 || 1;
}
