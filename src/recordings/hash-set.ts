/** Slots at first and at last; half of them are used at most. */
const SMALLEST = 1024;
const LARGEST = 4 * 1024 * 1024;

/**
 * A set of hashes that takes 16 to 32 bytes for each, of which it keeps 64 bits. Past two million it takes no more.
 *
 * A hash is given with one UTF-16 code unit for each of its bytes, as the encoding `binary` does, and may be narrowed by
 * further texts: hashing these here is cheaper than to put them together with what is hashed. (Whoever sends requests
 * that clash gains nothing: at most, what they replace is kept.)
 */
export class HashSet {
  /** Two halves for each slot; the first is 0 where it is free. */
  #slots = new Uint32Array(2 * SMALLEST);
  #size = 0;

  has(hash: string, ...texts: readonly string[]): boolean {
    const [high, low] = bitsOf(hash, texts);
    return this.#slots[slotOf(this.#slots, high, low)] !== 0;
  }

  /** @returns false where it is full and the hash is not kept */
  add(hash: string, ...texts: readonly string[]): boolean {
    if (4 * this.#size >= this.#slots.length && !this.#grow()) return false;
    const [high, low] = bitsOf(hash, texts);
    const slot = slotOf(this.#slots, high, low);
    if (this.#slots[slot] === 0) this.#size++;
    this.#slots[slot] = high;
    this.#slots[slot + 1] = low;
    return true;
  }

  clear(): void {
    this.#slots = new Uint32Array(2 * SMALLEST);
    this.#size = 0;
  }

  #grow(): boolean {
    const old = this.#slots;
    if (old.length >= 2 * LARGEST) return false;
    const slots = new Uint32Array(2 * old.length);
    for (let i = 0; i < old.length; i += 2) {
      if (old[i] === 0) continue;
      const slot = slotOf(slots, old[i] as number, old[i + 1] as number);
      slots[slot] = old[i] as number;
      slots[slot + 1] = old[i + 1] as number;
    }
    this.#slots = slots;
    return true;
  }
}

/** The slot that holds the hash, or the free one where it belongs. */
function slotOf(slots: Uint32Array, high: number, low: number): number {
  let slot = (2 * low) % slots.length;
  while (slots[slot] !== 0 && (slots[slot] !== high || slots[slot + 1] !== low))
    slot = (slot + 2) % slots.length;
  return slot;
}

/** 64 bits in two halves; the first is never 0. */
function bitsOf(hash: string, texts: readonly string[]): [high: number, low: number] {
  let high = wordAt(hash, 0);
  let low = wordAt(hash, 4);
  for (const text of texts) {
    // FNV-1a twice; the length keeps apart what is at the end of one text and at the start of the next.
    high = Math.imul(high ^ text.length, 0x01000193);
    low = Math.imul(low ^ text.length, 0x85ebca6b);
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      high = Math.imul(high ^ unit, 0x01000193);
      low = Math.imul(low ^ unit, 0x85ebca6b);
    }
  }
  return [high >>> 0 || 1, low >>> 0];
}

function wordAt(hash: string, at: number): number {
  return (
    hash.charCodeAt(at) |
    (hash.charCodeAt(at + 1) << 8) |
    (hash.charCodeAt(at + 2) << 16) |
    (hash.charCodeAt(at + 3) << 24)
  );
}
