import type { Exchange, RecordedResponse, StoredHeaders } from '../../model/exchange.ts';
import type { MatchRules } from '../matching/match-rules.ts';
import { sequenceKey } from '../matching/request-form.ts';
import { type PlainExchange, toStoredExchange } from '../plain-exchange.ts';
import type { ExchangeFile } from './exchange-file.ts';
import { ExchangeIndex } from './exchange-index.ts';
import type { JournalExchange, Placement } from './journal-line.ts';
import { StoredExchange } from './stored-exchange.ts';

/** A place in the file's order. Without an exchange it is a tombstone: the next of the same request and session takes it. */
interface Slot {
  stored: StoredExchange | undefined;
  /** What stood here before a run replaced it, as long as the same may come again. */
  former?: StoredExchange | undefined;
}

/** The exchanges of one request in one session; those that are there come before the tombstones. */
interface Sequence {
  /** None while the exchanges are in the file alone. */
  slots: readonly Slot[];
  live: number;
  /** By this run. */
  isAnswered: boolean;
}

type RequestInSession = Pick<StoredExchange, 'request' | 'session'>;

/** What the file does not have. */
interface Unsaved {
  stored: StoredExchange;
  placement: Placement;
}

/**
 * The exchanges of one method and path. What replaces an exchange takes its place, and its `meta` too where nothing but noise
 * differs: recording the same traffic again gives the same file. What is only recorded into is in memory until its file has it.
 */
export class PathExchanges {
  readonly file: ExchangeFile;
  /** Somebody asks for its exchanges: they stay in memory. */
  isAsked = false;
  readonly #rules: MatchRules;
  /** In the file's order. Undefined: the file was not read yet, or alone has its exchanges. */
  #slots: Slot[] | undefined;
  #index: ExchangeIndex | undefined;
  /** By request and session; for who adds. */
  readonly #sequences = new Map<string, Sequence>();
  #sequenced = 0;
  /** Of each sequence it is known how many exchanges the file has. */
  #isCounted = false;
  /** So many exchanges are in the file. */
  #saved = 0;
  #unsaved: Unsaved[] = [];
  /** Of the journal, to be applied once the file is read. */
  readonly #lines: JournalExchange[] = [];
  /** What is unsaved is more than additions. */
  #isRewritten = false;
  #isSaving = false;

  constructor(file: ExchangeFile, rules: MatchRules) {
    this.file = file;
    this.#rules = rules;
  }

  /** Brings all exchanges into memory. @throws PatchgateError as `ExchangeFile.readNow` */
  load(): void {
    if (!this.#slots) this.#read();
    for (const line of this.#lines.splice(0)) this.apply(line);
  }

  #read(): void {
    // What somebody else has written counts, and what was added since stands behind it.
    const isAnother = this.#isCounted && !this.#isSaving && this.file.isChanged;
    const exchanges = this.file.readNow() ?? [];
    this.#forget();
    this.#slots = exchanges.map((exchange) => ({ stored: StoredExchange.of(exchange) }));
    for (const sequence of this.#sequences.values()) sequence.live = 0;
    this.#saved = exchanges.length;
    this.#isCounted = true;
    for (const { stored, placement } of this.#unsaved) {
      const sequence = this.#sequenceOf(stored);
      const last = sequence.live;
      const ordinal = isAnother ? last : (placement.ordinal ?? last);
      this.#put(sequence, stored, { ...placement, ordinal });
    }
    this.#isRewritten ||= isAnother;
  }

  /** The file alone has its exchanges from here on. */
  #unload(): void {
    if (!this.#slots || this.isAsked || this.#isRewritten || this.#slots.some(({ former }) => former)) return;
    this.#countSequences();
    this.#forget();
    this.#slots = undefined;
  }

  #forget(): void {
    for (const sequence of this.#sequences.values()) sequence.slots = NO_SLOTS;
    this.#sequenced = 0;
    this.#index = undefined;
  }

  /** Lists that were given stay as they are, whatever becomes of the slots. */
  get #indexed(): ExchangeIndex {
    this.#index ??= new ExchangeIndex(this.#slots?.flatMap(({ stored }) => stored ?? []) ?? [], this.#rules);
    return this.#index;
  }

  /** Oldest first; the same list as long as exchanges are only added, as are those that follow. */
  get all(): readonly StoredExchange[] {
    return this.#indexed.all;
  }

  get length(): number {
    return this.#slots ? this.all.length : this.#saved + this.#unsaved.length + this.#lines.length;
  }

  withKey(key: string): readonly StoredExchange[] {
    return this.#indexed.withKey(key);
  }

  withBytes(query: string, body: Buffer): readonly StoredExchange[] | undefined {
    return this.#indexed.withBytes(query, body);
  }

  get open(): readonly StoredExchange[] {
    return this.#indexed.open;
  }

  prepare(): Promise<void> {
    return this.#indexed.prepare();
  }

  /** Adds what a run recorded. Where the file cannot be read, it waits for that.
   *  @param replaces the first answer to each request of the run drops what was kept for it
   *  @returns where it went */
  add(plain: PlainExchange, replaces: boolean): Placement {
    const exchange = toStoredExchange(plain);
    const stored = StoredExchange.recorded(exchange);
    const sequence = this.#sequenceOf({ request: exchange.request, session: stored.session });
    const isReplacing = replaces && !sequence.isAnswered;
    if (!this.#slots && this.#isCounted && sequence.live > 0 && isReplacing) this.#tryToLoad();
    const placement: Placement = {};
    if (isReplacing) placement.replaces = true;
    else if (this.#isCounted) placement.ordinal = sequence.live;
    sequence.isAnswered = true;
    this.#apply({ stored, placement }, sequence);
    return placement;
  }

  /** Applies what a journal says, once the exchanges are asked for. */
  applyLater(line: JournalExchange): void {
    this.#lines.push(line);
  }

  /** Applies what a journal says. A line without a place goes behind the others. */
  apply({ exchange, placement }: JournalExchange): void {
    if (!placement.replaces && placement.ordinal === undefined) {
      this.add(exchange, false);
      return;
    }
    const stored = StoredExchange.recorded(toStoredExchange(exchange));
    this.#apply({ stored, placement }, this.#sequenceOf(stored));
  }

  #apply(unsaved: Unsaved, sequence: Sequence): void {
    const before = this.#slots?.length ?? 0;
    if (this.#slots) this.#put(sequence, unsaved.stored, unsaved.placement);
    else sequence.live++;
    const isNew = !this.#slots || this.#isRewritten || this.#slots.length > before;
    if (isNew) this.#unsaved.push(unsaved);
  }

  #tryToLoad(): void {
    try {
      this.load();
      this.#countSequences();
    } catch {
      this.#isCounted = false;
    }
  }

  /** Writes what the file does not have. @returns bytes of the file @throws PatchgateError `cannot-write`, or as `load` */
  async save(): Promise<number> {
    if (this.#isCounted && this.file.isChanged) this.#takeChange();
    if (!this.#isCounted || this.#isRewritten || !this.file.takesAdditions) this.load();
    const isWhole = this.#isRewritten || !this.file.takesAdditions;
    const unsaved = this.#unsaved.length;
    const added = this.#slots ? this.all.slice(this.#saved) : this.#unsaved.map(({ stored }) => stored);
    const isChanged = this.#isRewritten || added.length > 0;
    const entries = isWhole ? [...this.all] : added;
    const behind = isWhole ? 0 : this.#saved;
    this.#isRewritten = false;
    this.#isSaving = true;
    try {
      if (isChanged) await this.file.save(entries, behind);
    } catch (error) {
      this.#isRewritten = true;
      throw error;
    } finally {
      this.#isSaving = false;
    }
    if (isChanged) this.#saved = behind + entries.length;
    this.#unsaved.splice(0, unsaved);
    this.#unload();
    return this.file.size;
  }

  /** Somebody else has changed or removed the file. What is asked for stays where the file is gone. */
  #takeChange(): void {
    if (this.isAsked && this.#slots && !this.file.exists) this.#isRewritten = true;
    else this.#read();
  }

  #sequenceOf(stored: RequestInSession): Sequence {
    this.#countSequences();
    return this.#sequenceAt(stored);
  }

  #countSequences(): void {
    const slots = this.#slots ?? NO_SLOTS;
    for (; this.#sequenced < slots.length; this.#sequenced++) {
      const slot = slots[this.#sequenced] as Slot;
      addSlot(this.#sequenceAt(slot.stored as StoredExchange), slot);
    }
  }

  #sequenceAt(stored: RequestInSession): Sequence {
    const key = sequenceKey(stored, this.#rules);
    let sequence = this.#sequences.get(key);
    if (sequence === undefined) {
      sequence = { slots: NO_SLOTS, live: 0, isAnswered: false };
      this.#sequences.set(key, sequence);
    }
    return sequence;
  }

  #put(sequence: Sequence, stored: StoredExchange, { replaces, ordinal = sequence.live }: Placement): void {
    if (replaces && sequence.slots.length > 0) {
      this.#replace(sequence, stored);
      return;
    }
    const slot = sequence.slots[ordinal];
    if (slot === undefined) this.#push(sequence, stored);
    else this.#fill(sequence, slot, stored);
  }

  #push(sequence: Sequence, stored: StoredExchange): void {
    const slot = { stored };
    const slots = this.#slots as Slot[];
    slots.push(slot);
    this.#sequenced = slots.length;
    addSlot(sequence, slot);
    this.#index?.all.push(stored);
  }

  /** It takes the first place; the others are tombstones. */
  #replace(sequence: Sequence, stored: StoredExchange): void {
    const [first, ...others] = sequence.slots;
    this.#fill(sequence, first as Slot, stored);
    for (const slot of others) {
      if (!slot.stored) continue;
      slot.former ??= slot.stored;
      slot.stored = undefined;
      sequence.live--;
      this.#changed();
    }
  }

  #fill(sequence: Sequence, slot: Slot, stored: StoredExchange): void {
    const before = slot.stored;
    if (before === stored) return;
    const former = (before ?? slot.former) as StoredExchange;
    // The former stays as long as nothing but noise differs.
    slot.stored = sameButNoise(former.exchange, stored.exchange) ? former : stored;
    slot.former = undefined;
    if (!before) sequence.live++;
    if (slot.stored !== before) this.#changed();
  }

  #changed(): void {
    this.#isRewritten = true;
    this.#index = undefined;
  }
}

const NO_SLOTS: readonly Slot[] = [];

/** Most sequences have one: a list that grows would take the room of seventeen. */
function addSlot(sequence: Sequence, slot: Slot): void {
  if (sequence.slots.length === 0) sequence.slots = [slot];
  else (sequence.slots as Slot[]).push(slot);
  sequence.live++;
}

/** Names of headers that are of one request or one moment, whatever was answered: ids, traces, dates and times, and what caches on the way say of themselves. */
const NOISE =
  /^(?:age|cf-ray|date|expires|last-modified|server-timing|traceparent|tracestate|b3|x-runtime|x-timer|x-cloud-trace-context|x-amz-id-2|x-amz-cf-id|x-vercel-id|fly-request-id|.*(?:request|correlation|transaction|operation|invocation|trace|span)[-_]?id|x-(?:b3|datadog|amzn-trace|newrelic)-.*|.*(?:response|request|process|processing|service)-time(?:-ms)?|.*-latency|(?:x-)?rate-?limit-(?:remaining|reset|used).*|x-cache(?:-hits)?|x-served-by|cf-cache-status|report-to)$/;

/**
 * Whether an exchange that was recorded again is what it was, but for what is another each time: `meta`, headers of its response
 * that are ids, traces, dates or times, and the ETag of a body that has not changed.
 */
export function sameButNoise(before: Exchange, after: Exchange): boolean {
  return essenceOf(before) === essenceOf(after);
}

function essenceOf({ request, response }: Exchange): string {
  const { method, path, query, headers, body } = request;
  return JSON.stringify([
    [method, path, query, headers, body],
    [response.status, withoutNoise(response.headers), response.body, hasTag(response)],
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
