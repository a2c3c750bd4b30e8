import { PatchgateError } from '../../errors.ts';
import type { Exchange, RecordedResponse, StoredHeaders } from '../../model/exchange.ts';
import type { MatchRules } from '../matching/match-rules.ts';
import { bytesKey, requestFacts, sequenceKey } from '../matching/request-form.ts';
import type { PlainExchange } from '../plain-exchange.ts';
import type { ExchangeFile } from './exchange-file.ts';
import { inOrder } from './file-format.ts';
import { bodyFilesOf, separateBodies } from './separate-bodies.ts';
import { StoredExchange } from './stored-exchange.ts';
import { yieldToEventLoop } from './yield-to-event-loop.ts';

/** Where an exchange goes that was recorded: said in the journal, so that to apply a line twice changes nothing. */
export interface Placement {
  /** It is the first answer of its request in a run that replaces: but for so many failures of this run, what was kept for the
   *  request goes. */
  replaces?: { failures: number };
  /** Its place among those of its request and session, from 0; past the last, or undefined: behind them. */
  ordinal?: number | undefined;
}

interface PathOptions {
  rules: MatchRules;
  /** Take the new time where nothing else of an exchange differs, and what else is another each time. */
  refreshMeta: boolean;
}

/** A place in the file's order. Without an exchange it is a tombstone: the next of the same request and session takes it. */
interface Slot {
  stored: StoredExchange | undefined;
  /** What stood here before a run replaced it, as long as the same may come again. */
  former: StoredExchange | undefined;
}

/** The exchanges of one request in one session; those that are there come before the tombstones. */
interface Sequence {
  slots: readonly Slot[];
  live: number;
  /** By this run. */
  isAnswered: boolean;
  failures: number;
}

/**
 * The exchanges of one method and path. What replaces an exchange takes its place, and its `meta` too where nothing but noise
 * differs: recording the same traffic again gives the same file.
 */
export class PathExchanges {
  readonly file: ExchangeFile;
  /** Somebody asks for its exchanges: they stay in memory. */
  isAsked = false;
  readonly #options: PathOptions;
  #slots: Slot[] = [];
  #all: StoredExchange[] | undefined;
  /** By `requestKey` and by `bytesKey`; those with a placeholder in their request are found by no key. */
  #byKey = new Map<string, StoredExchange[]>();
  #open: StoredExchange[] = [];
  #keyed = 0;
  /** By request and session; for who adds. */
  readonly #sequences = new Map<string, Sequence>();
  #sequenced = 0;
  /** What the file has, and whether it has more or other things by now than what was added behind these. */
  #saved: readonly StoredExchange[] = [];
  #isRewritten = false;
  /** What the file has is not in memory. */
  #isReleased = false;
  /** Bodies that were recorded again, whose files somebody may have removed. */
  #again: Exchange[] = [];
  /** What was added while the file could not be read, with how often its request had failed before. */
  #waiting: { stored: StoredExchange; placement: Placement; failures: number }[] | undefined;

  /** @param exchanges that the file has; undefined: it cannot be read as it is */
  constructor(file: ExchangeFile, options: PathOptions, exchanges: readonly Exchange[] | undefined) {
    this.file = file;
    this.#options = options;
    if (exchanges === undefined) this.#waiting = [];
    else this.#takeFrom(exchanges);
  }

  /** Reads a file that could not be read before. @throws PatchgateError as `readNow` */
  repair(): void {
    if (this.#waiting === undefined) return;
    this.#takeFrom(this.file.readNow() ?? []);
    for (const { stored, placement, failures } of this.#waiting) {
      const sequence = this.#sequenceOf(stored);
      const ordinal = stored.isFailure ? againAt(sequence, failures) : undefined;
      this.#put(sequence, stored, { ...placement, ordinal });
    }
    this.#waiting = undefined;
  }

  /** Oldest first; the same list as long as exchanges are only added. */
  get all(): readonly StoredExchange[] {
    this.#all ??= this.#slots.flatMap(({ stored }) => stored ?? []);
    return this.#all;
  }

  get length(): number {
    return this.all.length;
  }

  /** Those whose requests have this key (`requestKey`); the same list as long as exchanges are only added. */
  withKey(key: string): readonly StoredExchange[] {
    this.#index();
    return this.#byKey.get(key) ?? NONE;
  }

  /** Those that a request with this query and body is, where one of them has the very same bytes: it need not be understood.
   *  Undefined where that does not say it. */
  withBytes(query: string, body: Buffer): readonly StoredExchange[] | undefined {
    if (!this.#options.rules.isByBytes) return undefined;
    this.#index();
    return this.#open.length > 0 ? undefined : this.#byKey.get(bytesKey(query, body));
  }

  /** Those with a placeholder in their request: no key finds these. */
  get open(): readonly StoredExchange[] {
    this.#index();
    return this.#open;
  }

  /** Makes ready what answering from each of these needs, and lets requests go first. */
  async prepare(): Promise<void> {
    for (let i = 0; i < this.length; i++) {
      if (i === this.#keyed) this.#addNext();
      const stored = this.all[i];
      // One with a placeholder is compared with what is asked for.
      if (stored && !this.#open.includes(stored)) stored.pack();
      await yieldToEventLoop();
    }
  }

  /** Makes ready what the look-ups need. */
  #index(): void {
    while (this.#keyed < this.length) this.#addNext();
  }

  #addNext(): void {
    const stored = this.all[this.#keyed++] as StoredExchange;
    const { key, isOpen, byBytes } = requestFacts(stored.request, this.#options.rules);
    if (isOpen) {
      this.#open.push(stored);
      return;
    }
    let same = this.#byKey.get(key);
    if (same) same.push(stored);
    else {
      same = [stored];
      this.#byKey.set(key, same);
    }
    if (byBytes !== undefined) this.#byKey.set(byBytes, same);
  }

  /** Adds what a run recorded. @param replaces the first answer to each request of the run drops what was kept for it
   *  @returns where it went */
  add(plain: PlainExchange, replaces: boolean): Placement {
    const stored = StoredExchange.ofPlain(plain);
    let sequence = this.#sequenceOf(stored);
    if (this.#isReleased && sequence.slots.length > 0 && mayReplace(sequence, stored, replaces)) {
      this.#recall();
      sequence = this.#sequenceOf(stored);
    }
    const { failures } = sequence;
    let placement: Placement = { ordinal: sequence.live };
    if (stored.isFailure) placement = { ordinal: againAt(sequence, sequence.failures++) };
    else if (replaces && !sequence.isAnswered) placement = { replaces: { failures } };
    if (!stored.isFailure) sequence.isAnswered = true;
    if (this.#waiting) {
      // Nobody knows yet how many stand before it.
      placement = { ...(placement.replaces && { replaces: placement.replaces }) };
      this.#waiting.push({ stored, placement, failures });
    } else this.#put(sequence, stored, placement);
    return placement;
  }

  /** Applies what a journal says. @returns where it went. A line without a place, as the former version's are, goes where it would go now. */
  apply(plain: PlainExchange, placement: Placement): Placement {
    if (!placement.replaces && placement.ordinal === undefined) return this.add(plain, false);
    const stored = StoredExchange.ofPlain(plain);
    this.#put(this.#sequenceOf(stored), stored, placement);
    return placement;
  }

  /** The run is over: what it recorded is what another run may replace. */
  endRun(): void {
    for (const sequence of this.#sequences.values()) {
      sequence.isAnswered = false;
      sequence.failures = 0;
    }
  }

  /** Writes what the file does not have. @returns bytes of the file @throws PatchgateError `cannot-write` */
  async save(): Promise<number> {
    this.repair();
    const isAnother = this.file.isChanged;
    if (isAnother) this.#takeChange();
    const all = [...this.all];
    const isAddition = !isAnother && !this.#isRewritten && this.file.takesAdditions;
    const saved = this.#saved;
    const isChanged = this.#isRewritten || all.length > saved.length;
    this.#isRewritten = false;
    const again = this.#again;
    this.#again = [];
    try {
      for (const exchange of again) await this.file.putBodies(exchange);
      if (isChanged) await this.file.save(all, isAddition ? saved.length : 0);
    } catch (error) {
      this.#isRewritten = true;
      this.#again.push(...again);
      throw error;
    }
    this.#saved = all;
    if (!this.isAsked) this.#release();
    return this.file.size;
  }

  /** Somebody else has changed or removed the file: what it has now counts, and what was added since. What is asked for stays
   *  where the file is gone. */
  #takeChange(): void {
    const exchanges = this.file.readNow();
    if (exchanges?.length === this.#saved.length) {
      const fresh = new Map(
        this.#saved.map((stored, i) => [stored, StoredExchange.of(exchanges[i] as Exchange)]),
      );
      for (const slot of this.#slots) if (slot.stored) slot.stored = fresh.get(slot.stored) ?? slot.stored;
      this.#saved = [...fresh.values()];
    } else if (exchanges || !this.isAsked) this.#takeFrom(exchanges ?? []);
    this.#changed();
  }

  /** @param exchanges that the file has: they stand before all that it does not have yet */
  #takeFrom(exchanges: readonly Exchange[]): void {
    const gone = new Set(this.#saved);
    const added = this.#slots.filter(({ stored }) => stored && !gone.has(stored));
    this.#saved = exchanges.map((exchange) => StoredExchange.of(exchange));
    this.#slots = [...this.#saved.map((stored) => ({ stored, former: undefined })), ...added];
    this.#all = undefined;
    this.#sequenced = 0;
    for (const sequence of this.#sequences.values()) {
      sequence.slots = NO_SLOTS;
      sequence.live = 0;
    }
  }

  /** What its file has is in memory no longer. */
  #release(): void {
    if (this.#isRewritten) return;
    this.#isReleased = true;
    const readAgain = () => this.#readAgain();
    for (const stored of this.#saved) stored.release(readAgain);
  }

  /** What is to be compared is in memory again. Where somebody has made the file one that cannot be read, what comes waits. */
  #recall(): void {
    try {
      if (this.file.isChanged) this.#takeChange();
      else this.#readAgain();
    } catch {
      this.#waiting = [];
    }
    this.#isReleased = false;
  }

  #readAgain(): void {
    const exchanges = this.file.readNow() ?? [];
    if (exchanges.length !== this.#saved.length) {
      throw new PatchgateError(
        'bad-recording',
        `${this.file.name} was changed by somebody else while it was recorded into`,
        { hint: 'let one tool at a time write to it, and record again' },
      );
    }
    for (const [i, stored] of this.#saved.entries()) stored.restore(exchanges[i] as Exchange);
  }

  #sequenceOf(stored: StoredExchange): Sequence {
    for (; this.#sequenced < this.#slots.length; this.#sequenced++) {
      const slot = this.#slots[this.#sequenced] as Slot;
      const sequence = this.#sequenceAt(slot.stored as StoredExchange);
      addSlot(sequence, slot);
    }
    return this.#sequenceAt(stored);
  }

  #sequenceAt(stored: StoredExchange): Sequence {
    const key = sequenceKey(stored, this.#options.rules);
    let sequence = this.#sequences.get(key);
    if (sequence === undefined) {
      sequence = { slots: NO_SLOTS, live: 0, isAnswered: false, failures: 0 };
      this.#sequences.set(key, sequence);
    }
    return sequence;
  }

  #put(sequence: Sequence, stored: StoredExchange, { replaces, ordinal = sequence.live }: Placement): void {
    if (replaces && sequence.slots.length > 0) this.#replace(sequence, stored, replaces.failures);
    else {
      const slot = sequence.slots[ordinal];
      if (slot === undefined) this.#push(sequence, stored);
      else if (slot.stored === undefined) this.#fill(sequence, slot, stored);
      else this.#change(slot, stored);
    }
  }

  #push(sequence: Sequence, stored: StoredExchange): void {
    const slot = { stored, former: undefined };
    this.#slots.push(slot);
    this.#sequenced = this.#slots.length;
    addSlot(sequence, slot);
    this.#all?.push(stored);
  }

  /** The failures that came before this answer, then itself, in the places that there are; the others are tombstones. */
  #replace(sequence: Sequence, stored: StoredExchange, failures: number): void {
    const { slots, live } = sequence;
    const next = [...this.#failuresBefore(sequence, failures), stored];
    for (const [i, slot] of slots.entries()) {
      const one = next[i];
      if (one === undefined) {
        if (slot.stored === undefined) continue;
        slot.former ??= this.#held(slot.stored);
        slot.stored = undefined;
        this.#changed();
      } else if (slot.stored === undefined) this.#fill(sequence, slot, one);
      else this.#putIn(slot, one);
    }
    sequence.live = Math.min(next.length, slots.length);
    for (const one of next.slice(slots.length)) this.#push(sequence, one);
    if (sequence.live !== live) this.#changed();
  }

  /** Behind the last answer; where this was applied already, they are the first. */
  #failuresBefore({ slots, live }: Sequence, failures: number): StoredExchange[] {
    if (failures === 0) return [];
    const all = slots.slice(0, live).map(({ stored }) => stored as StoredExchange);
    const trailing = all.slice(all.findLastIndex(({ isFailure }) => !isFailure) + 1);
    if (trailing.length >= failures) return trailing.slice(0, failures);
    const first = all.slice(0, failures);
    return first.every(({ isFailure }) => isFailure) ? first : trailing;
  }

  #fill(sequence: Sequence, slot: Slot, stored: StoredExchange): void {
    slot.stored = this.#newest(slot.former as StoredExchange, stored);
    slot.former = undefined;
    sequence.live++;
    this.#changed();
  }

  /** What failed again may stand in the place of an answer that has yet to come. */
  #change(slot: Slot, stored: StoredExchange): void {
    const former = slot.former ?? (slot.stored as StoredExchange);
    const before = slot.stored;
    this.#putIn(slot, stored);
    if (slot.stored !== before && stored.isFailure) slot.former = this.#held(former);
  }

  #putIn(slot: Slot, stored: StoredExchange): void {
    const before = slot.stored as StoredExchange;
    if (before === stored) return;
    slot.stored = this.#newest(before, stored);
    slot.former = undefined;
    if (slot.stored !== before) this.#changed();
  }

  /** Of two for one place: the former as long as nothing but noise differs. */
  #newest(former: StoredExchange, stored: StoredExchange): StoredExchange {
    const { refreshMeta } = this.#options;
    const before = separateBodies(former.exchange);
    const after = separateBodies(stored.exchange);
    if (!(refreshMeta ? isSame : sameButNoise)(before, after)) return stored;
    if (bodyFilesOf(before).length > 0) this.#again.push(stored.exchange);
    if (!refreshMeta) return former;
    return StoredExchange.of({
      ...former.exchange,
      meta: { ...former.exchange.meta, ...stored.exchange.meta },
    });
  }

  /** One that its file will not have any more must be in memory. */
  #held(stored: StoredExchange): StoredExchange {
    return StoredExchange.of(stored.exchange);
  }

  /** More than an addition: lists that were given stay as they are. */
  #changed(): void {
    this.#isRewritten = true;
    this.#all = undefined;
    this.#byKey = new Map();
    this.#open = [];
    this.#keyed = 0;
  }
}

const NONE: readonly StoredExchange[] = [];
const NO_SLOTS: readonly Slot[] = [];

/** Most sequences have one: a list that grows would take the room of seventeen. */
function addSlot(sequence: Sequence, slot: Slot): void {
  if (sequence.slots.length === 0) sequence.slots = [slot];
  else (sequence.slots as Slot[]).push(slot);
  sequence.live++;
}

/** Whether one that is there may have to be compared with what comes. */
function mayReplace({ slots, live, isAnswered }: Sequence, { isFailure }: StoredExchange, replaces: boolean) {
  return isFailure || slots.length > live || (replaces && !isAnswered);
}

/** Of a run's failures behind the last answer, each takes the place of one that an earlier run ended with. */
function againAt({ slots, live }: Sequence, failures: number): number {
  const trailing = slots.slice(0, live).findLastIndex(({ stored }) => !stored?.isFailure) + 1;
  return Math.min(trailing + failures, live);
}

/** Apart from `meta`: to the letter, since that is what the file would show. */
function isSame(a: Exchange, b: Exchange): boolean {
  const text = (exchange: Exchange) => {
    const { request, response, failure } = inOrder(exchange);
    return JSON.stringify([request, response, failure]);
  };
  return text(a) === text(b);
}

/** Names of headers that are of one request or one moment, whatever was answered: ids, traces, dates and times, and what caches on the way say of themselves. */
const NOISE =
  /^(?:age|cf-ray|date|expires|last-modified|server-timing|traceparent|tracestate|b3|x-runtime|x-timer|x-cloud-trace-context|x-amz-id-2|x-amz-cf-id|x-vercel-id|fly-request-id|.*(?:request|correlation|transaction|operation|invocation|trace|span)[-_]?id|x-(?:b3|datadog|amzn-trace|newrelic)-.*|.*(?:response|request|process|processing|service)-time(?:-ms)?|.*-latency|(?:x-)?rate-?limit-(?:remaining|reset|used).*|x-cache(?:-hits)?|x-served-by|cf-cache-status|report-to)$/;

/**
 * Whether an exchange that was recorded again is what it was, but for what is another each time: `meta`, headers of its response
 * that are ids, traces, dates or times, and the ETag of a body that has not changed. Bodies stand in both as in a file.
 */
export function sameButNoise(before: Exchange, after: Exchange): boolean {
  return essenceOf(before) === essenceOf(after);
}

function essenceOf({ request, response, failure }: Exchange): string {
  const { method, path, query, headers, body } = request;
  return JSON.stringify([
    [method, path, query, headers, body],
    response && [response.status, withoutNoise(response.headers), response.body, hasTag(response)],
    failure,
  ]);
}

/** An ETag stands for the body, which is compared itself. */
function withoutNoise(headers: StoredHeaders): [string, StoredHeaders[string]][] {
  return Object.entries(headers).filter(([name]) => name !== 'etag' && !NOISE.test(name));
}

/** One without a body, as to a HEAD, says of another one what it is. */
function hasTag({ headers, body }: RecordedResponse): StoredHeaders[string] | boolean {
  const { etag } = headers;
  return body === undefined ? (etag ?? false) : etag !== undefined;
}
