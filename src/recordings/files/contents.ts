import type { Exchange } from '../../model/exchange.ts';
import type { MatchRules } from '../matching/match-rules.ts';
import { sequenceKey } from '../matching/request-key.ts';
import { sameButNoise } from '../same-but-noise.ts';
import { inOrder } from '../store/file-format.ts';
import { bodyFilesOf, separateBodies } from '../store/separate-bodies.ts';
import { type Entry, ObjectEntry, PlacedEntry, RefreshedEntry, TextEntry } from './entry.ts';

/** A place in the file's order. Vacant: its exchange was dropped, and the next of the same request and session takes its
 *  place. */
interface Slot {
  entry: Entry | undefined;
  /** What stood here before a run replaced it, as long as that may come again. */
  former: Entry | undefined;
}

/** What stood at a place, and how many exchanges stand before it: what must be known once that is in no file any more. */
export interface Gap {
  before: number;
  former: Entry;
  isVacant: boolean;
}

/** How an exchange is added. */
export interface Addition {
  /** It is the first answer of its request in a run and session: what earlier runs kept for this is dropped. */
  replace: boolean;
  isFailure: boolean;
  /** How often the request failed before in the same run. These failures stay; and of this many and one failures of a run
   *  the last takes the place of that which another run ended with. */
  failures: number;
}

export interface ContentsOptions {
  /** Take the new time where nothing else of an exchange differs, and what else is another each time. */
  refreshMeta?: boolean | undefined;
  /** Which requests are the same. */
  rules?: MatchRules | undefined;
}

/**
 * The exchanges of one file. What replaces an exchange takes its place, and its `meta` too where nothing else differs:
 * recording the same traffic again gives the same file.
 */
export class Contents {
  #slots: Slot[];
  #vacant = 0;
  /** By request and session; made when it is first needed, and then only for the slots that it does not have yet. */
  readonly #byRequest = new Map<string, Slot[]>();
  #indexed = 0;
  #list: Entry[] | undefined;
  readonly #options: ContentsOptions;

  /**
   * @param gaps in their order
   * @param options of the store
   */
  constructor(entries: readonly Entry[], gaps: readonly Gap[] = [], options: ContentsOptions = {}) {
    this.#options = options;
    this.#slots = entries.map((entry) => ({ entry, former: undefined }));
    for (const { before, former, isVacant } of [...gaps].reverse()) {
      if (isVacant) {
        this.#slots.splice(before, 0, { entry: undefined, former });
        this.#vacant++;
      } else (this.#slots[before] as Slot).former = former;
    }
  }

  /** Oldest first; the same list as long as exchanges are only added. What was only known by its place is in memory
   *  then. */
  list(): readonly Entry[] {
    if (this.#list === undefined) {
      for (const slot of this.#slots) {
        slot.entry = inMemory(slot.entry);
        slot.former = inMemory(slot.former);
      }
      this.#list = this.entries();
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
    const gaps: Gap[] = [];
    let before = 0;
    for (const { entry, former } of this.#slots) {
      if (former) gaps.push({ before, former: new TextEntry(former.text), isVacant: entry === undefined });
      if (entry) before++;
    }
    return gaps;
  }

  /** @returns whether that changes anything */
  add(entry: Entry, { replace, isFailure, failures }: Addition): boolean {
    const slots = replace || isFailure || this.#vacant > 0 ? this.#slotsOf(entry) : [];
    if (replace && slots.length > 0) return this.#replace(slots, entry, failures);
    const again = isFailure ? lastFailures(slots)[failures] : undefined;
    if (again) return this.#failAgain(again, entry);
    const vacant = slots.find((slot) => slot.entry === undefined);
    return vacant ? this.#fill(vacant, entry) : this.#push(entry);
  }

  /** The failures that came before this answer, then itself, in the places that there are; the other places are vacant. */
  #replace(slots: Slot[], entry: Entry, failures: number): boolean {
    const before = failures === 0 ? [] : lastFailures(slots).slice(0, failures);
    const all = [...before.map((slot) => slot.entry as Entry), entry];
    let isChanged = false;
    for (const [i, slot] of slots.entries()) {
      const next = all[i];
      if (next) isChanged = this.#fill(slot, next) || isChanged;
      else if (slot.entry) {
        slot.former ??= slot.entry;
        slot.entry = undefined;
        this.#vacant++;
        isChanged = true;
      }
    }
    for (const next of all.slice(slots.length)) isChanged = this.#push(next);
    if (isChanged) this.#list = undefined;
    return isChanged;
  }

  #fill(slot: Slot, entry: Entry): boolean {
    const before = slot.entry;
    if (before === entry) return false;
    if (before === undefined) this.#vacant--;
    slot.entry = this.#newest(before ?? (slot.former as Entry), entry);
    slot.former = undefined;
    if (slot.entry === before) return false;
    this.#list = undefined;
    return true;
  }

  /** It may be in the place of one that has yet to come, behind the first answer. */
  #failAgain(slot: Slot, entry: Entry): boolean {
    const former = slot.former ?? slot.entry;
    const isChanged = this.#fill(slot, entry);
    if (isChanged) slot.former = former;
    return isChanged;
  }

  #push(entry: Entry): true {
    this.#slots.push({ entry, former: undefined });
    this.#list?.push(entry);
    return true;
  }

  /** Of two for one place: the former as long as nothing but noise differs. */
  #newest(former: Entry, entry: Entry): Entry {
    const { refreshMeta } = this.#options;
    const [before, after] = [former, entry].map(({ exchange }) => separateBodies(exchange)) as [
      Exchange,
      Exchange,
    ];
    if (!(refreshMeta ? isSame : sameButNoise)(before, after)) return entry;
    // Somebody may have removed them, and they go when what names them does.
    if (bodyFilesOf(former.exchange).length > 0) entry.writeBodies?.();
    return refreshMeta ? new RefreshedEntry(former, entry.exchange.meta) : former;
  }

  #slotsOf(entry: Entry): Slot[] {
    for (; this.#indexed < this.#slots.length; this.#indexed++) {
      const slot = this.#slots[this.#indexed] as Slot;
      const key = this.#keyOf(slot.entry ?? (slot.former as Entry));
      const slots = this.#byRequest.get(key);
      if (slots) slots.push(slot);
      else this.#byRequest.set(key, [slot]);
    }
    return this.#byRequest.get(this.#keyOf(entry)) ?? [];
  }

  #keyOf(entry: Entry): string {
    return sequenceKey(entry.exchange, this.#options.rules);
  }
}

function inMemory(entry: Entry | undefined): Entry | undefined {
  return entry instanceof PlacedEntry ? new ObjectEntry(entry.exchange) : entry;
}

/** The failures behind the last answer to a request, in their order. */
function lastFailures(slots: readonly Slot[]): Slot[] {
  const live = slots.filter((slot) => slot.entry !== undefined);
  const answer = live.findLastIndex(({ entry }) => entry?.exchange.failure === undefined);
  return live.slice(answer + 1);
}

/** Apart from `meta`: to the letter, since that is what the file would show. */
function isSame(a: Exchange, b: Exchange): boolean {
  const text = (exchange: Exchange) => {
    const { request, response, failure } = inOrder(exchange);
    return JSON.stringify([request, response, failure]);
  };
  return text(a) === text(b);
}
