import type { Exchange, RecordedResponse, StoredHeaders } from '../../model/exchange.ts';
import type { MatchRules } from '../matching/match-rules.ts';
import { sequenceKey } from '../matching/request-form.ts';
import { type PlainExchange, toStoredExchange } from '../plain-exchange.ts';
import type { ExchangeFile } from './exchange-file.ts';
import { ExchangeIndex } from './exchange-index.ts';
import { inOrder } from './file-format.ts';
import type { JournalExchange, Placement } from './journal-line.ts';
import { bodyFilesOf, separateBodies } from './separate-bodies.ts';
import { StoredExchange } from './stored-exchange.ts';

interface PathOptions {
  rules: MatchRules;
  /** Take the new time where nothing else of an exchange differs, and what else is another each time. */
  refreshMeta: boolean;
}

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
  failures: number;
}

type RequestInSession = Pick<StoredExchange, 'request' | 'session'>;

/** What the file does not have, with how often its request had failed in the run before. */
interface Unsaved {
  stored: StoredExchange;
  placement: Placement;
  failures: number;
}

/**
 * The exchanges of one method and path. What replaces an exchange takes its place, and its `meta` too where nothing but noise
 * differs: recording the same traffic again gives the same file. What is only recorded into is in memory until its file has it.
 */
export class PathExchanges {
  readonly file: ExchangeFile;
  /** Somebody asks for its exchanges: they stay in memory. */
  isAsked = false;
  readonly #options: PathOptions;
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
  /** Bodies that were recorded again, whose files somebody may have removed. */
  #again: Exchange[] = [];

  constructor(file: ExchangeFile, options: PathOptions) {
    this.file = file;
    this.#options = options;
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
    for (const { stored, placement, failures } of this.#unsaved) {
      const sequence = this.#sequenceOf(stored);
      const last = stored.isFailure ? againAt(sequence, failures) : sequence.live;
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
    this.#index ??= new ExchangeIndex(
      this.#slots?.flatMap(({ stored }) => stored ?? []) ?? [],
      this.#options.rules,
    );
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
    const { isFailure, session } = stored;
    const sequence = this.#sequenceOf({ request: exchange.request, session });
    const isReplacing = replaces && !isFailure && !sequence.isAnswered;
    if (!this.#slots && this.#isCounted && sequence.live > 0 && (isFailure || isReplacing)) this.#tryToLoad();
    const { failures } = sequence;
    const placement: Placement = {};
    if (isReplacing) placement.replaces = { failures };
    else if (this.#isCounted) placement.ordinal = isFailure ? againAt(sequence, failures) : sequence.live;
    if (isFailure) sequence.failures++;
    else sequence.isAnswered = true;
    this.#apply({ stored, placement, failures }, sequence);
    return placement;
  }

  /** Applies what a journal says, once the exchanges are asked for. */
  applyLater(line: JournalExchange): void {
    this.#lines.push(line);
  }

  /** Applies what a journal says. @returns where it went. A line without a place, as the former version's are, goes where it would go now. */
  apply({ exchange, placement }: JournalExchange): Placement {
    if (!placement.replaces && placement.ordinal === undefined) return this.add(exchange, false);
    const stored = StoredExchange.recorded(toStoredExchange(exchange));
    this.#apply({ stored, placement, failures: 0 }, this.#sequenceOf(stored));
    return placement;
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
    const again = this.#again;
    this.#again = [];
    this.#isRewritten = false;
    this.#isSaving = true;
    try {
      for (const exchange of again) await this.file.putBodies(exchange);
      if (isChanged) await this.file.save(entries, behind);
    } catch (error) {
      this.#isRewritten = true;
      this.#again.push(...again);
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
    const key = sequenceKey(stored, this.#options.rules);
    let sequence = this.#sequences.get(key);
    if (sequence === undefined) {
      sequence = { slots: NO_SLOTS, live: 0, isAnswered: false, failures: 0 };
      this.#sequences.set(key, sequence);
    }
    return sequence;
  }

  #put(sequence: Sequence, stored: StoredExchange, { replaces, ordinal = sequence.live }: Placement): void {
    if (replaces && sequence.slots.length > 0) {
      this.#replace(sequence, [...failuresBefore(sequence, replaces.failures), stored]);
      return;
    }
    const slot = sequence.slots[ordinal];
    if (slot === undefined) this.#push(sequence, stored);
    else {
      const { stored: before, former = before } = slot;
      this.#fill(sequence, slot, stored);
      // What failed again may stand in the place of an answer that has yet to come.
      if (before && before !== slot.stored && stored.isFailure) slot.former = former;
    }
  }

  #push(sequence: Sequence, stored: StoredExchange): void {
    const slot = { stored };
    const slots = this.#slots as Slot[];
    slots.push(slot);
    this.#sequenced = slots.length;
    addSlot(sequence, slot);
    this.#index?.all.push(stored);
  }

  /** These take the places that there are; the others are tombstones. */
  #replace(sequence: Sequence, next: readonly StoredExchange[]): void {
    const { slots } = sequence;
    for (const [i, slot] of slots.entries()) {
      const stored = next[i];
      if (stored) this.#fill(sequence, slot, stored);
      else if (slot.stored) {
        slot.former ??= slot.stored;
        slot.stored = undefined;
        sequence.live--;
        this.#changed();
      }
    }
    for (const stored of next.slice(slots.length)) this.#push(sequence, stored);
  }

  #fill(sequence: Sequence, slot: Slot, stored: StoredExchange): void {
    const before = slot.stored;
    if (before === stored) return;
    slot.stored = this.#newest((before ?? slot.former) as StoredExchange, stored);
    slot.former = undefined;
    if (!before) sequence.live++;
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

/** Where the failures begin that stand behind the last answer. */
function endOfAnswers({ slots, live }: Sequence): number {
  return slots.slice(0, live).findLastIndex(({ stored }) => !stored?.isFailure) + 1;
}

/** Of a run's failures behind the last answer, each takes the place of one that an earlier run ended with. */
function againAt(sequence: Sequence, failures: number): number {
  return Math.min(endOfAnswers(sequence) + failures, sequence.live);
}

/** A run's failures before its first answer: behind the last answer of an earlier run; where that answer was applied already, they are
 *  the first. */
function failuresBefore(sequence: Sequence, failures: number): StoredExchange[] {
  const all = sequence.slots.slice(0, sequence.live).map(({ stored }) => stored as StoredExchange);
  const first = all.slice(0, failures);
  const trailing = all.slice(endOfAnswers(sequence));
  if (trailing.length < failures && first.every(({ isFailure }) => isFailure)) return first;
  return trailing.slice(0, failures);
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
