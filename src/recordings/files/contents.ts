import type { Exchange } from '../../model/exchange.ts';
import { requestKey } from '../matching/request-key.ts';
import { type Entry, ObjectEntry, PlacedEntry, TextEntry } from './entry.ts';
import { inOrder } from './file-format.ts';

/** A place in the file's order. Vacant: its exchange was dropped, and the next of the same request takes its place. */
interface Slot {
  entry: Entry | undefined;
  /** What stood here before a run replaced it. */
  former: Entry | undefined;
}

/** A vacant place, and how many exchanges stand before it: what must be known of it once it is in no file any more. */
export interface Gap {
  before: number;
  former: Entry;
}

/**
 * The exchanges of one file. What replaces an exchange takes its place, and its `meta` too where nothing else differs:
 * recording the same traffic again gives the same file.
 */
export class Contents {
  #slots: Slot[];
  #vacant = 0;
  /** By request; made when it is first needed, and then only for the slots that it does not have yet. */
  readonly #byRequest = new Map<string, Slot[]>();
  #indexed = 0;
  #list: readonly Exchange[] | undefined;

  /** @param gaps in their order */
  constructor(entries: readonly Entry[], gaps: readonly Gap[] = []) {
    this.#slots = entries.map((entry) => ({ entry, former: undefined }));
    for (const { before, former } of [...gaps].reverse()) {
      this.#slots.splice(before, 0, { entry: undefined, former });
      this.#vacant++;
    }
  }

  /** Oldest first; the same object as long as nothing changes. What was only known by its place is in memory then. */
  list(): readonly Exchange[] {
    if (this.#list === undefined) {
      for (const slot of this.#slots) {
        slot.entry = inMemory(slot.entry);
        slot.former = inMemory(slot.former);
      }
      this.#list = this.entries().map(({ exchange }) => exchange);
    }
    return this.#list;
  }

  entries(): Entry[] {
    return this.#slots.flatMap(({ entry }) => entry ?? []);
  }

  get hasGaps(): boolean {
    return this.#vacant > 0;
  }

  gaps(): Gap[] {
    if (!this.hasGaps) return [];
    const gaps: Gap[] = [];
    let before = 0;
    for (const { entry, former } of this.#slots) {
      if (entry) before++;
      else gaps.push({ before, former: new TextEntry((former as Entry).text) });
    }
    return gaps;
  }

  /**
   * @param replace drop what was kept before for the same request
   * @returns whether that changes anything
   */
  add(entry: Entry, replace: boolean): boolean {
    const slots = replace || this.#vacant > 0 ? this.#slotsOf(entry) : [];
    if (replace && slots.length > 0) return this.#replace(slots, entry);
    const vacant = slots.find((slot) => slot.entry === undefined);
    if (vacant) {
      fill(vacant, entry);
      this.#vacant--;
    } else {
      this.#slots.push({ entry, former: undefined });
    }
    this.#list = undefined;
    return true;
  }

  #replace(slots: Slot[], entry: Entry): boolean {
    const [first, ...others] = slots as [Slot, ...Slot[]];
    const before = first.entry;
    if (before === undefined) this.#vacant--;
    fill(first, entry);
    let dropped = 0;
    for (const slot of others) {
      if (slot.entry === undefined) continue;
      slot.former = slot.entry;
      slot.entry = undefined;
      dropped++;
    }
    this.#vacant += dropped;
    if (first.entry === before && dropped === 0) return false;
    this.#list = undefined;
    return true;
  }

  #slotsOf(entry: Entry): Slot[] {
    for (; this.#indexed < this.#slots.length; this.#indexed++) {
      const slot = this.#slots[this.#indexed] as Slot;
      const key = keyOf(slot.entry ?? (slot.former as Entry));
      const slots = this.#byRequest.get(key);
      if (slots) slots.push(slot);
      else this.#byRequest.set(key, [slot]);
    }
    return this.#byRequest.get(keyOf(entry)) ?? [];
  }
}

function inMemory(entry: Entry | undefined): Entry | undefined {
  return entry instanceof PlacedEntry ? new ObjectEntry(entry.exchange) : entry;
}

function fill(slot: Slot, entry: Entry): void {
  const former = slot.entry ?? slot.former;
  slot.entry = former && isSame(former.exchange, entry.exchange) ? former : entry;
  slot.former = undefined;
}

function keyOf(entry: Entry): string {
  return requestKey(entry.exchange.request);
}

/** Apart from `meta`: to the letter, since that is what the file would show. */
function isSame(a: Exchange, b: Exchange): boolean {
  const text = (exchange: Exchange) => {
    const { request, response } = inOrder(exchange);
    return JSON.stringify([request, response]);
  };
  return text(a) === text(b);
}
