import type { RequestFacts } from '../kept-exchanges.ts';

/** Bytes of a key. */
const KEY = 20;
/** A sequence that is longer is walked through once. */
const SHORT = 16;

/** Where an exchange stands in its file. */
export interface Stretch {
  start: number;
  end: number;
}

/** What is known of an exchange. */
export type IndexEntry = Stretch & RequestFacts & { session: string };

/**
 * Where each exchange of a file stands, which have a key, and the session of each: some numbers for each, in flat arrays, so that a file of any
 * size is found through within moments once this is read from disk.
 */
export class FileIndex {
  readonly length: number;
  /** Positions of exchanges with a placeholder in their request. */
  readonly open: Uint32Array;
  /** The names of the sessions, as JSON; nothing where there are none. */
  readonly names: Buffer;
  /** By position: the place of its session in the list of names, counted from 1; 0 is the default one. Empty where there
   *  are no names. */
  readonly #sessions: Uint32Array;
  readonly #nameList: readonly string[];
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;
  readonly #keys: Buffer;
  /** By position: the next one of the same key, counted from 1; 0 where it is the last. */
  readonly #next: Uint32Array;
  /** By hash: the first one of a key, counted from 1; 0 where the slot is free. At least half are. */
  readonly #slots: Uint32Array;
  /** Positions of long sequences that were asked for, by key: in all of them, no more than there are exchanges. */
  readonly #long = new Map<string, readonly number[]>();
  #inLong = 0;
  readonly #bytes: number;

  private constructor(parts: Parts) {
    this.length = parts.starts.length;
    this.#starts = parts.starts;
    this.#ends = parts.ends;
    this.#keys = parts.keys;
    this.#next = parts.next;
    this.#slots = parts.slots;
    this.open = parts.open;
    this.names = parts.names;
    this.#sessions = parts.sessions;
    this.#nameList = namesIn(parts.names);
    this.#bytes = this.bytes().reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** Bytes of memory that it takes. */
  get size(): number {
    return this.#bytes + 8 * this.#inLong;
  }

  stretch(index: number): Stretch {
    return { start: this.#starts[index] as number, end: this.#ends[index] as number };
  }

  sessionOf(index: number): string {
    return this.#nameList[(this.#sessions[index] ?? 0) - 1] ?? '';
  }

  withKey(key: string): readonly number[] {
    const known = this.#long.get(key);
    if (known) return known;
    const found: number[] = [];
    const slot = slotOf(this.#slots, this.#keys, Buffer.from(key, 'latin1'));
    for (let one = this.#slots[slot] as number; one > 0; one = this.#next[one - 1] as number)
      found.push(one - 1);
    if (found.length > SHORT) {
      this.#long.set(key, found);
      this.#inLong += found.length;
    }
    return found;
  }

  /** Everything that it consists of, in an order that `from` takes. */
  bytes(): Uint8Array[] {
    const numbers = [this.#next, this.#slots, this.open, this.#sessions];
    const arrays = [this.#starts, this.#ends, ...numbers, this.#keys, this.names];
    return arrays.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength));
  }

  /** @returns undefined where these are not the bytes of an index of so many exchanges */
  static from(bytes: Buffer, length: number, openLength: number, names: number): FileIndex | undefined {
    const slots = slotsFor(length);
    const sessions = names > 0 ? length : 0;
    const inNumbers = 16 * length + 4 * (length + slots + openLength + sessions);
    if (bytes.length !== inNumbers + KEY * length + names) return undefined;
    // Numbers must stand at multiples of their size.
    const { buffer } = new Uint8Array(bytes);
    let at = 0;
    const take = (size: number) => {
      at += size;
      return at - size;
    };
    return new FileIndex({
      starts: new Float64Array(buffer, take(8 * length), length),
      ends: new Float64Array(buffer, take(8 * length), length),
      next: new Uint32Array(buffer, take(4 * length), length),
      slots: new Uint32Array(buffer, take(4 * slots), slots),
      open: new Uint32Array(buffer, take(4 * openLength), openLength),
      sessions: new Uint32Array(buffer, take(4 * sessions), sessions),
      keys: Buffer.from(buffer, take(KEY * length), KEY * length),
      names: Buffer.from(buffer, take(names), names),
    });
  }

  /** @param before those that stand in front, where the file has only grown */
  static of(entries: readonly IndexEntry[], before?: FileIndex): FileIndex {
    const known = before?.length ?? 0;
    const length = known + entries.length;
    const starts = new Float64Array(length);
    const ends = new Float64Array(length);
    const keys = Buffer.alloc(KEY * length);
    const open = before ? [...before.open] : [];
    if (before) {
      starts.set(before.#starts);
      ends.set(before.#ends);
      keys.set(before.#keys);
    }
    for (const [i, { start, end, key, isOpen }] of entries.entries()) {
      starts[known + i] = start;
      ends[known + i] = end;
      keys.write(key, KEY * (known + i), 'latin1');
      if (isOpen) open.push(known + i);
    }
    const { next, slots } = chain(keys, length, new Set(open));
    const named = numbered(length, (i) =>
      before && i < known ? before.sessionOf(i) : (entries[i - known] as IndexEntry).session,
    );
    return new FileIndex({ starts, ends, keys, next, slots, open: Uint32Array.from(open), ...named });
  }
}

interface Parts {
  starts: Float64Array;
  ends: Float64Array;
  keys: Buffer;
  next: Uint32Array;
  slots: Uint32Array;
  open: Uint32Array;
  sessions: Uint32Array;
  names: Buffer;
}

/** The session of each of so many exchanges, as numbers and a list of names. */
function numbered(length: number, sessionOf: (index: number) => string): Pick<Parts, 'sessions' | 'names'> {
  const numbers = new Map([['', 0]]);
  const sessions = new Uint32Array(length);
  for (let i = 0; i < length; i++) {
    const name = sessionOf(i);
    const number = numbers.get(name) ?? numbers.size;
    numbers.set(name, number);
    sessions[i] = number;
  }
  const [, ...names] = numbers.keys();
  return names.length === 0
    ? { sessions: new Uint32Array(0), names: Buffer.alloc(0) }
    : { sessions, names: Buffer.from(JSON.stringify(names)) };
}

function namesIn(names: Buffer): readonly string[] {
  return names.length === 0 ? [] : (JSON.parse(names.toString()) as string[]);
}

function chain(keys: Buffer, length: number, open: ReadonlySet<number>) {
  const next = new Uint32Array(length);
  const slots = new Uint32Array(slotsFor(length));
  // From the last to the first, so that each chain begins with its first.
  for (let i = length - 1; i >= 0; i--) {
    if (open.has(i)) continue;
    const slot = slotOf(slots, keys, keys.subarray(KEY * i, KEY * (i + 1)));
    next[i] = slots[slot] as number;
    slots[slot] = i + 1;
  }
  return { next, slots };
}

function slotsFor(length: number): number {
  let slots = 16;
  while (slots < 2 * length) slots *= 2;
  return slots;
}

/** The slot that holds the key, or the free one where it belongs. */
function slotOf(slots: Uint32Array, keys: Buffer, key: Buffer): number {
  // A hash is as good a number as any.
  let slot = key.readUInt32LE(0) % slots.length;
  for (; slots[slot] !== 0; slot = (slot + 1) % slots.length) {
    const at = KEY * ((slots[slot] as number) - 1);
    if (keys.compare(key, 0, KEY, at, at + KEY) === 0) break;
  }
  return slot;
}
