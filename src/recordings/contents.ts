import type { Exchange } from '../model/exchange.ts';
import { inOrder } from './file-format.ts';
import { requestKey } from './request-key.ts';

/** A place in the file's order. Vacant: its exchange was dropped, and the next of the same request takes its place. */
interface Slot {
  exchange: Exchange | undefined;
  /** What stood here before a run replaced it. */
  former: Exchange | undefined;
}

/**
 * The exchanges of one file, in memory. What replaces an exchange takes its place, and its `meta` too where nothing else
 * differs: recording the same traffic again gives the same file.
 */
export class Contents {
  readonly #slots: Slot[];
  #vacant = 0;
  /** By request; made when it is first needed, and then only for the slots that it does not have yet. */
  readonly #byRequest = new Map<string, Slot[]>();
  #indexed = 0;
  #list: readonly Exchange[] | undefined;

  constructor(exchanges: readonly Exchange[]) {
    this.#slots = exchanges.map((exchange) => ({ exchange, former: undefined }));
    this.#list = exchanges;
  }

  /** Oldest first; the same object as long as nothing changes. */
  list(): readonly Exchange[] {
    this.#list ??= this.#slots.flatMap(({ exchange }) => exchange ?? []);
    return this.#list;
  }

  /**
   * @param replace drop what was kept before for the same request
   * @returns whether that changes anything
   */
  add(exchange: Exchange, replace: boolean): boolean {
    const slots = replace || this.#vacant > 0 ? this.#slotsOf(exchange) : [];
    if (replace && slots.length > 0) return this.#replace(slots, exchange);
    const vacant = slots.find((slot) => slot.exchange === undefined);
    if (vacant) {
      this.#fill(vacant, exchange);
      this.#vacant--;
    } else {
      this.#slots.push({ exchange, former: undefined });
    }
    this.#list = undefined;
    return true;
  }

  #replace(slots: Slot[], exchange: Exchange): boolean {
    const [first, ...others] = slots as [Slot, ...Slot[]];
    const before = first.exchange;
    this.#fill(first, exchange);
    let dropped = 0;
    for (const slot of others) {
      if (slot.exchange === undefined) continue;
      slot.former = slot.exchange;
      slot.exchange = undefined;
      dropped++;
    }
    this.#vacant += dropped;
    if (first.exchange === before && dropped === 0) return false;
    this.#list = undefined;
    return true;
  }

  #fill(slot: Slot, exchange: Exchange): void {
    const former = slot.exchange ?? slot.former;
    slot.exchange = former && isSame(former, exchange) ? former : exchange;
    slot.former = undefined;
  }

  #slotsOf(exchange: Exchange): Slot[] {
    for (; this.#indexed < this.#slots.length; this.#indexed++) {
      const slot = this.#slots[this.#indexed] as Slot;
      const key = requestKey((slot.exchange as Exchange).request);
      const slots = this.#byRequest.get(key);
      if (slots) slots.push(slot);
      else this.#byRequest.set(key, [slot]);
    }
    return this.#byRequest.get(requestKey(exchange.request)) ?? [];
  }
}

/** Apart from `meta`: to the letter, since that is what the file would show. */
function isSame(a: Exchange, b: Exchange): boolean {
  const text = (exchange: Exchange) => {
    const { request, response } = inOrder(exchange);
    return JSON.stringify([request, response]);
  };
  return text(a) === text(b);
}
