import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Known, RecordName } from '../model/record.ts';
import { Drops } from './drops.ts';
import type { Entry, OnTheWay } from './entry.ts';
import { isSuperseded, newEntry, overlap, seenIn, sizeOf, toldOf, viewOf } from './entry.ts';
import { afterMerged, afterTaken, either, sentRecord, withUnclear } from './known.ts';
import { isSameProject } from './same-project.ts';

/** What becomes of a PATCH that is on its way. Exactly one of these is called, once. */
export interface Sent {
  /** The service took it. @param record what its answer says that the record is now, where it says so */
  accepted(record?: JsonObject): void;
  /** The service refused it, or never had it. */
  rejected(): void;
  /** It may have been applied: no answer came, or one that does not say. */
  unclear(): void;
}

export interface KnownStateOptions {
  /** The workspace that `current` means, where that is known. */
  account?: string | undefined;
  /** Characters that all records take (`sizeOf`). What was learnt longest ago is forgotten first. */
  most?: number;
  /** Told of each record of which something else is known now; undefined: nothing any more. */
  onChange?: (name: RecordName, known: Known | undefined) => void;
  /** Told of each record that is forgotten for lack of room. */
  onForget?: (name: RecordName) => void;
}

/** Characters. A project of ten environments has about 600. */
const MOST = 32 * 1024 * 1024;

/**
 * What the service holds, as far as it was seen: learnt from the PATCHes that it accepted and from answers that show a whole
 * record. Pure: it has no clock and touches nothing outside.
 *
 * `current` may be any workspace. Unless `account` says which, a record under `current` and those of its kind and id under
 * integers may be the same one, and each is what any of them is known to be.
 */
export class KnownState {
  readonly #options: KnownStateOptions;
  readonly #most: number;
  /** By kind and id, then by account. */
  readonly #records = new Map<string, Map<string, Entry>>();
  /** Those of which something is known; the one learnt longest ago is the first. */
  readonly #ages = new Set<Entry>();
  /** By kind and id. */
  readonly #drops = new Drops();
  #size = 0;
  /** Counts events. */
  #time = 0;

  constructor(options: KnownStateOptions = {}) {
    this.#options = options;
    this.#most = options.most ?? MOST;
  }

  /** Undefined where nothing is known. What is on its way counts as if it had been applied, and as if not. */
  of(asked: RecordName): Known | undefined {
    const name = this.#own(asked);
    const own = this.#records.get(keyOf(name))?.get(name.account);
    const others = this.#others(name);
    const possible = others.length === 0 ? others : others.filter((entry) => !isSuperseded(entry, own));
    if (possible.length === 0) return own && viewOf(own);
    return [...(own ? [own] : []), ...possible]
      .sort((a, b) => a.learntAt - b.learntAt)
      .map(viewOf)
      .reduce(either, undefined);
  }

  /** What there is to learn from is on its way. @param body as sent; undefined: nobody has read it */
  send(asked: RecordName, body: JsonValue | undefined): Sent {
    const entry = this.#entry(asked);
    const { kind } = asked;
    const isSame = kind === 'project' && entry.known?.isWhole && isSameProject(entry.known.record, body);
    const known = isSame ? entry.known : body === undefined ? undefined : sentRecord(kind, body, entry.known);
    const text = isSame ? entry.text : known ? JSON.stringify(known.record) : '';
    const own: OnTheWay = { sent: known, text, isOverlapped: false, isOverlappedBlindly: false };
    for (const other of entry.onTheWay) overlap(own, other);
    for (const { onTheWay } of this.#others(entry.name)) for (const other of onTheWay) overlap(own, other);
    entry.onTheWay.add(own);
    entry.changedAt = ++this.#time;
    this.#tell(entry);
    const end = (now: Known | undefined, isSure: boolean) => {
      entry.onTheWay.delete(own);
      this.#learn(entry, now, isSure);
    };
    const union = () => withUnclear(entry.known, known);
    return {
      accepted: (record) => {
        const taken = record ? seenIn(entry, record) : known;
        if (!record && kind !== 'project') end(afterMerged(kind, entry.known, known), false);
        else if (!taken?.isWhole) end(union(), false);
        else if (!own.isOverlapped)
          end(record || taken === entry.known ? taken : afterTaken(entry.known, taken), true);
        else if (taken === entry.known) end(taken, false);
        else {
          const one = withUnclear(union(), taken);
          end(one && { ...one, isWhole: one.isWhole || !own.isOverlappedBlindly }, false);
        }
      },
      rejected: () => end(entry.known, false),
      unclear: () => end(union(), false),
    };
  }

  /**
   * A request is on its way whose answer may show the record. What it shows counts in full, unless there was a PATCH on its
   * way meanwhile: it may be from before or after that.
   *
   * @param isPart the answer may leave out something
   */
  read(asked: RecordName, isPart: boolean): (record: JsonObject) => void {
    const begun = this.#time;
    return (record) => {
      const entry = this.#entry(asked);
      const seen = seenIn(entry, record);
      const isSure = !isPart && !this.#hasChanged(entry, begun);
      this.#learn(entry, isSure ? seen : withUnclear(entry.known, seen), isSure);
    };
  }

  /** The service has deleted it. @param since a `time` @returns whether something was known of it by this name */
  forget(asked: RecordName, since = this.#time): boolean {
    const name = this.#own(asked);
    const entry = this.#records.get(keyOf(name))?.get(name.account);
    // What was sent meanwhile may have come after it, and made it anew.
    if (entry && entry.changedAt <= since) this.#learn(entry, undefined, false);
    return entry !== undefined;
  }

  /** What was known before, beside what is known already: a workspace may have it by both of its names, in any order. */
  restore(asked: RecordName, known: Known | undefined): void {
    const entry = this.#entry(asked);
    this.#put(entry, either(entry.known, known));
    entry.told = toldOf(entry);
  }

  /** Counts events. */
  get time(): number {
    return this.#time;
  }

  /** Of how many records something is known. */
  get count(): number {
    return this.#ages.size;
  }

  /** Everything that is known, what is on its way included. */
  *entries(): Generator<{ name: RecordName; known: Known }> {
    for (const accounts of this.#records.values()) {
      for (const entry of accounts.values()) {
        const known = viewOf(entry);
        if (known) yield { name: entry.name, known };
      }
    }
  }

  /** @param isSure nothing that was known before, by whatever name, says more */
  #learn(entry: Entry, known: Known | undefined, isSure: boolean): void {
    entry.changedAt = ++this.#time;
    if (isSure) entry.sureAt = entry.changedAt;
    // What was refused teaches nothing.
    if (isSure || known !== entry.known) entry.learntAt = entry.changedAt;
    this.#put(entry, known);
    this.#tell(entry);
  }

  #put(entry: Entry, known: Known | undefined): void {
    const text = known === undefined ? '' : known === entry.known ? entry.text : JSON.stringify(known.record);
    this.#size += sizeOf(text) - sizeOf(entry.text);
    Object.assign(entry, { known, text });
    this.#ages.delete(entry);
    if (known) this.#ages.add(entry);
    else this.#drop(entry);
    for (const oldest of this.#ages) {
      if (this.#size <= this.#most) break;
      this.#ages.delete(oldest);
      this.#size -= sizeOf(oldest.text);
      Object.assign(oldest, { known: undefined, text: '' });
      this.#drop(oldest);
      this.#tell(oldest);
      this.#options.onForget?.(oldest.name);
    }
  }

  /** Tells what is known of it now, unless that was told. */
  #tell(entry: Entry): void {
    if (!this.#options.onChange) return;
    const { told } = entry;
    const view = viewOf(entry);
    const now = toldOf(entry, view);
    if (told?.text === now?.text && told?.isWhole === now?.isWhole) return;
    entry.told = now;
    this.#options.onChange(entry.name, view);
  }

  #own(name: RecordName): RecordName {
    return name.account === this.#options.account ? { ...name, account: 'current' } : name;
  }

  #entry(asked: RecordName): Entry {
    const name = this.#own(asked);
    const key = keyOf(name);
    let accounts = this.#records.get(key);
    if (!accounts) {
      accounts = new Map();
      this.#records.set(key, accounts);
    }
    let entry = accounts.get(name.account);
    if (!entry) {
      entry = newEntry(name);
      accounts.set(name.account, entry);
    }
    return entry;
  }

  /** Where nothing is known of it and nothing on its way, there is nothing to hold on to. */
  #drop(entry: Entry): void {
    const key = keyOf(entry.name);
    this.#drops.note(key, this.#time);
    if (entry.onTheWay.size > 0) return;
    const accounts = this.#records.get(key);
    accounts?.delete(entry.name.account);
    if (accounts?.size === 0) this.#records.delete(key);
  }

  /** Whether a change of a record may have been made, or have been under way, since a time. */
  #hasChanged(entry: Entry, begun: number): boolean {
    if (this.#drops.last(keyOf(entry.name)) > begun) return true;
    return [entry, ...this.#others(entry.name)].some(
      ({ changedAt, onTheWay }) => changedAt > begun || onTheWay.size > 0,
    );
  }

  /** What is known by names that another account gives the record, if it is the same. */
  #others(name: RecordName): readonly Entry[] {
    const { account } = name;
    const accounts = this.#options.account === undefined ? this.#records.get(keyOf(name)) : undefined;
    if (!accounts || (accounts.size === 1 && accounts.has(account))) return NONE;
    const isOne = (other: Entry) => account === 'current' || other.name.account === 'current';
    return [...accounts.values()].filter((other) => other.name.account !== account && isOne(other));
  }
}

const NONE: readonly Entry[] = [];

function keyOf({ kind, id }: RecordName): string {
  return `${kind} ${id}`;
}
