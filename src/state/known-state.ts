import { isDeepStrictEqual } from 'node:util';
import { type JsonObject, type JsonValue, listAt } from '../json/json.ts';
import { type Known, mayBeSame, type RecordName } from '../model/record.ts';
import { Drops } from './drops.ts';
import {
  afterAccepted,
  afterMerged,
  afterShown,
  afterTaken,
  doubted,
  either,
  sentRecord,
  wholeRecord,
  without,
  withUnclear,
} from './known.ts';
import { environmentsOf, isSameProject } from './project.ts';
import type { Shown } from './records.ts';

/** What becomes of a PATCH that is on its way. Exactly one of these is called, once. @param by who is shown the answer */
export interface Sent {
  /** The service took it. @param shown what its answer shows of the record
   *  @param isFinal whether it has been made by now, and not only tried or taken in */
  accepted(shown?: Shown, by?: string, isFinal?: () => boolean): void;
  /** The service refused it, or never had it. */
  rejected(): void;
  /** It may have been applied: no answer came, or one that does not say. */
  unclear(shown?: Shown, by?: string): void;
}

export interface KnownStateOptions {
  /** Characters that all records take (`sizeOf`). What was learnt longest ago is forgotten first. */
  most?: number;
  /** Told of each record of which something else may be known now: see `at`.
   *  @param isOnTheWay a request that is on its way may make it so, and it changes what could be lost */
  onChange?: (name: RecordName, isOnTheWay: boolean) => void;
  /** Told of each record that is forgotten for lack of room. */
  onForget?: (name: RecordName) => void;
  /** Of a service that others change, too; undefined: of what is recorded or made up, where an answer is the whole truth. */
  live?: LiveOptions;
}

interface LiveOptions {
  /** Milliseconds that an answer may be behind what the service holds. */
  lag: number;
  /** Milliseconds that rise evenly. */
  clock?: () => number;
}

/** Characters. A project of ten environments has about 600. */
const MOST = 32 * 1024 * 1024;
/** Of those who were shown an environment, so many are remembered. */
const MOST_SHOWN_TO = 8;
/** Environments of a record that are remembered so, also where they are gone. */
const MOST_SEEN = 100;

/**
 * What the service holds, as far as it was seen: learnt from the PATCHes that it accepted and from answers that show a record.
 * Touches nothing outside.
 *
 * Of a live service's project, what may exist is known, and only what the service has confirmed as gone is forgotten: answers add,
 * and an environment that one lacks is only possible from then on.
 *
 * `current` may be any workspace: a record under `current` and those of its kind and id under integers may be the same one, and
 * each is what any of them is known to be.
 */
export class KnownState {
  readonly #options: KnownStateOptions;
  readonly #most: number;
  /** By kind and id, then by account and base path. */
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
  of(name: RecordName): Known | undefined {
    const own = this.#existing(name);
    const others = this.#others(name, own);
    const possible = others.length === 0 ? others : others.filter((entry) => !isSuperseded(entry, own));
    if (possible.length === 0) return own && viewOf(own);
    return [...(own ? [own] : []), ...possible]
      .sort((a, b) => a.learntAt - b.learntAt)
      .map(viewOf)
      .reduce(either, undefined);
  }

  /** What there is to learn from is on its way. @param body as sent; undefined: it was not read */
  send(asked: RecordName, body: JsonValue | undefined): Sent {
    const entry = this.#entry(asked);
    const { kind } = asked;
    const begunAt = this.#clock();
    const since = this.isLive(kind) ? performance.timeOrigin + begunAt : undefined;
    const isSame = kind === 'project' && entry.known?.isWhole && isSameProject(entry.known.record, body);
    const known = isSame ? entry.known : body === undefined ? undefined : sentRecord(kind, body, entry.known);
    const own: OnTheWay = { sent: known, since, isOverlapped: false, isOverlappedBlindly: false };
    for (const other of entry.onTheWay) overlap(own, other);
    for (const { onTheWay } of this.#others(entry.name, entry))
      for (const other of onTheWay) overlap(own, other);
    entry.onTheWay.add(own);
    entry.changedAt = ++this.#time;
    const isOtherList = known !== undefined && known.record.environments !== entry.known?.record.environments;
    // Nothing is lost by another name.
    if (isOtherList || !known?.isWhole) this.#tell(entry, isOtherList);
    const end = (now: Known | undefined, isSure: boolean) => {
      entry.onTheWay.delete(own);
      this.#learn(entry, now, isSure, now !== known || now !== entry.known);
    };
    const union = () => withUnclear(entry.known, known, since);
    const unclear = (shown?: Shown, by?: string) => {
      const now = union();
      if (since === undefined || !shown?.record) end(now, false);
      else end(afterShown(now, shown, since, false), false);
      this.#see(entry, known?.record, undefined);
      this.#see(entry, shown?.record, by);
    };
    const overlapped = (one: Known | undefined) =>
      end(one && { ...one, isWhole: one.isWhole || !own.isOverlappedBlindly }, false);
    return {
      accepted: (shown, by, isFinal = () => true) => {
        const { record } = shown ?? {};
        if (since !== undefined) {
          const isAsKnown = known === entry.known && (!record || isSameProject(known?.record ?? {}, record));
          if (!known?.isWhole || !(isAsKnown || isFinal())) return unclear(shown, by);
          if (isAsKnown) {
            // Nothing is forgotten but what is known by other names.
            const isSure = !own.isOverlapped && (this.#others(entry.name, entry).length === 0 || isFinal());
            end(known, isSure);
          } else if (!own.isOverlapped) {
            // What was shown meanwhile may be from after that.
            const mayBe = (id: number) => shown?.ids.has(id) || (entry.seen?.get(id)?.at ?? 0) > begunAt;
            end(afterAccepted(entry.known, known, shown, since, mayBe), true);
          } else overlapped(record ? afterShown(union(), shown as Shown, since, true) : union());
          if (!isAsKnown || !record) this.#see(entry, known.record, undefined);
          this.#see(entry, record, by);
          return;
        }
        const taken = record && !shown?.isPart ? seenIn(entry, record) : known;
        if (taken === known && kind !== 'project') end(afterMerged(kind, entry.known, known), false);
        else if (!taken?.isWhole) end(union(), false);
        else if (!own.isOverlapped)
          end(taken !== known || taken === entry.known ? taken : afterTaken(entry.known, taken), true);
        else if (taken === entry.known) end(taken, false);
        else overlapped(withUnclear(union(), taken));
      },
      rejected: () => end(entry.known, false),
      unclear,
    };
  }

  /**
   * A request is on its way whose answer may show the record. Unless the service is live, what it shows counts in full where no
   * PATCH was on its way meanwhile: it may be from before or after that.
   *
   * @param isPart the answer may leave out something
   */
  read(asked: RecordName, isPart: boolean): (shown: Shown, by?: string) => void {
    const begun = this.#time;
    return (shown, by) => {
      const { record } = shown;
      if (!record) return;
      const isLive = this.isLive(asked.kind);
      if (!isLive && shown.isPart) return;
      const entry = this.#entry(asked);
      const hasChanged = this.#hasChanged(entry, begun);
      if (!isLive) {
        const seen = seenIn(entry, record);
        const isSure = !isPart && !hasChanged;
        return this.#learn(entry, isSure ? seen : withUnclear(entry.known, seen), isSure);
      }
      const part = isPart ? { ...shown, isPart } : shown;
      this.#show(entry, afterShown(entry.known, part, this.#now(), hasChanged));
      this.#see(entry, record, by);
    };
  }

  /**
   * The gate itself reads a live service's project, to know what is gone: what the answer lacks, if the one who asks has seen it
   * before, it was not there a short while ago, and nothing has changed meanwhile.
   *
   * @param by who asks. @param isPart the answer may leave out something
   */
  confirm(asked: RecordName, by: string, isPart: boolean): (shown: Shown) => void {
    const begun = this.#time;
    const { lag = 0 } = this.#options.live ?? {};
    const at = this.#clock();
    const add = this.read(asked, isPart);
    return (shown) => {
      const entry = this.#entry(asked);
      const isSure = !isPart && !shown.isPart && !shown.isDated && !this.#hasChanged(entry, begun);
      add(shown, by);
      if (!isSure || !entry.known || !this.isLive(asked.kind)) return;
      const others = this.#others(entry.name, entry);
      const isGone = (id: number) => {
        const seen = [entry, ...others].flatMap((one) => one.seen?.get(id) ?? []);
        const isOld = seen.every((one) => at - one.at >= lag);
        return !shown.ids.has(id) && isOld && seen.some((one) => one.by.includes(by));
      };
      // What is known by another name counts on, unless all of that is shown or gone.
      const isAll = others.every(({ known }) =>
        environmentsOf(known?.record).every(({ id }) => shown.ids.has(id) || isGone(id)),
      );
      this.#learn(entry, without(entry.known, isGone), isAll);
    };
  }

  /** The service has deleted it. @param since a `time` @param kept ids of environments that may be left
   *  @returns whether something was known of it by this name */
  forget(name: RecordName, since = this.#time, kept?: ReadonlySet<number>): boolean {
    const entry = this.#existing(name);
    // What was sent meanwhile may have come after it, and made it anew.
    if (entry && entry.changedAt <= since) {
      const left = kept?.size && entry.known ? without(entry.known, (id) => !kept.has(id)) : undefined;
      const isLeft = left && environmentsOf(left.record).length > 0;
      this.#learn(entry, isLeft ? doubted(left, this.#now()) : undefined, false);
      // A record without a path is the same one.
      const unnamed = isLeft ? undefined : this.#existing(name);
      if (unnamed && unnamed !== entry) this.#learn(unnamed, undefined, false);
    }
    return entry !== undefined;
  }

  /** The service may have deleted it. */
  doubt(name: RecordName): void {
    const entry = this.#existing(name);
    if (entry?.known) this.#learn(entry, { ...doubted(entry.known, this.#now()), isWhole: false }, false);
  }

  /** What was known before, beside what is known already: a workspace may have it by both of its names, in any order. */
  restore(asked: RecordName, known: Known | undefined): void {
    const entry = this.#entry(asked, false);
    this.#put(entry, either(entry.known, known));
  }

  /** What is known of the records of one kind and id by each of their names, apart from what is on its way. */
  namesOf(asked: Pick<RecordName, 'kind' | 'id'>): { name: RecordName; known: Known }[] {
    const entries = [...(this.#records.get(keyOf(asked))?.values() ?? [])];
    return entries.flatMap(({ name, known }) => (known ? { name, known } : []));
  }

  /** Of the records of one kind and id, this is known from now on, and no more. What is on its way stays so; and who reads one of them
   *  meanwhile reads it late. It is not told. @param all by the names that `namesOf` gives */
  replace(asked: Pick<RecordName, 'kind' | 'id'>, all: readonly { name: RecordName; known: Known }[]): void {
    const places = new Set(all.map(({ name }) => placeOf(name)));
    const gone = this.namesOf(asked).filter(({ name }) => !places.has(placeOf(name)));
    for (const { name, known } of [...gone.map(({ name }) => ({ name, known: undefined })), ...all]) {
      const entry = this.#entry(name, false);
      if (isDeepStrictEqual(known, entry.known)) continue;
      entry.changedAt = entry.learntAt = ++this.#time;
      this.#put(entry, known);
    }
  }

  /** What is known by this very name, what is on its way included. */
  at(name: RecordName): Known | undefined {
    const entry = this.#records.get(keyOf(name))?.get(placeOf(name));
    return entry && viewOf(entry);
  }

  /** Counts events. */
  get time(): number {
    return this.#time;
  }

  /** Of how many records something is known. */
  get count(): number {
    return this.#ages.size;
  }

  /** When a request or an answer last told of a record by this very name, milliseconds since 1970; undefined: not in this run. */
  toldAt(name: RecordName): number | undefined {
    return this.#records.get(keyOf(name))?.get(placeOf(name))?.toldAt;
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

  /** @param isSure nothing that was known before, by whatever name, says more. @param isNews it is to be told */
  #learn(entry: Entry, known: Known | undefined, isSure: boolean, isNews = known !== entry.known): void {
    entry.changedAt = ++this.#time;
    if (isSure) entry.sureAt = entry.changedAt;
    // What was refused adds nothing.
    if (isSure || known !== entry.known) {
      entry.learntAt = entry.changedAt;
      entry.toldAt = this.#now();
    }
    this.#put(entry, known);
    if (isNews) this.#tell(entry);
  }

  #put(entry: Entry, known: Known | undefined): void {
    const isSame = known?.record === entry.known?.record;
    const size = isSame ? entry.size : known ? sizeOf(known.record) : 0;
    this.#size += size - entry.size;
    entry.known = known;
    entry.size = size;
    this.#ages.delete(entry);
    if (known) this.#ages.add(entry);
    else this.#drop(entry);
    if (this.#size > this.#most) this.#makeRoom();
  }

  #makeRoom(): void {
    for (const oldest of this.#ages) {
      if (this.#size <= this.#most) break;
      this.#ages.delete(oldest);
      this.#size -= oldest.size;
      oldest.known = undefined;
      oldest.size = 0;
      this.#drop(oldest);
      this.#tell(oldest);
      this.#options.onForget?.(oldest.name);
    }
  }

  #tell({ name }: Entry, isOnTheWay = false): void {
    this.#options.onChange?.(name, isOnTheWay);
  }

  /** What an answer has shown; what was known already is no change. */
  #show(entry: Entry, known: Known): void {
    const isSame =
      known.isWhole === entry.known?.isWhole && isDeepStrictEqual(known.record, entry.known.record);
    if (!isSame) this.#learn(entry, known, false);
  }

  /** @param by who was shown it; undefined: it was sent */
  #see(entry: Entry, record: JsonObject | undefined, by: string | undefined): void {
    if (!record || !this.isLive(entry.name.kind)) return;
    const at = this.#clock();
    entry.toldAt = this.#now();
    entry.seen ??= new Map();
    for (const item of listAt(record, 'environments')) {
      const id = (item as JsonObject).id as number;
      const seen = entry.seen.get(id) ?? { at, by: [] };
      seen.at = at;
      entry.seen.set(id, seen);
      if (by === undefined || seen.by.includes(by)) continue;
      seen.by.push(by);
      if (seen.by.length > MOST_SHOWN_TO) seen.by.shift();
    }
    if (entry.seen.size <= MOST_SEEN) return;
    const present = new Set(environmentsOf(entry.known?.record).map(({ id }) => id));
    for (const id of entry.seen.keys()) if (!present.has(id)) entry.seen.delete(id);
  }

  /** Whether others may have changed such a record. */
  isLive(kind: RecordName['kind']): boolean {
    return this.#options.live !== undefined && kind === 'project';
  }

  #clock(): number {
    return (this.#options.live?.clock ?? monotonic)();
  }

  /** Milliseconds since 1970. */
  #now(): number {
    return performance.timeOrigin + this.#clock();
  }

  /** @param isNamed a new one begins with what is known of the record without a path */
  #entry(name: RecordName, isNamed = true): Entry {
    const key = keyOf(name);
    let accounts = this.#records.get(key);
    if (!accounts) {
      accounts = new Map();
      this.#records.set(key, accounts);
    }
    let entry = accounts.get(placeOf(name));
    if (!entry) {
      const before = isNamed ? this.#existing(name) : undefined;
      entry = newEntry(name);
      accounts.set(placeOf(name), entry);
      if (before) this.#put(entry, before.known);
    }
    return entry;
  }

  /** The entry of a record; where there is none, that of the record without a path, which may be the same. */
  #existing(name: RecordName): Entry | undefined {
    const accounts = this.#records.get(keyOf(name));
    return accounts?.get(placeOf(name)) ?? accounts?.get(placeOf({ ...name, base: undefined }));
  }

  /** Where nothing is known of it and nothing on its way, there is nothing to hold on to. */
  #drop(entry: Entry): void {
    const key = keyOf(entry.name);
    this.#drops.note(key, this.#time);
    if (entry.onTheWay.size > 0) return;
    const accounts = this.#records.get(key);
    accounts?.delete(placeOf(entry.name));
    if (accounts?.size === 0) this.#records.delete(key);
  }

  /** Whether a change of a record may have been made, or have been under way, since a time. */
  #hasChanged(entry: Entry, begun: number): boolean {
    if (this.#drops.last(keyOf(entry.name)) > begun) return true;
    return [entry, ...this.#others(entry.name, entry)].some(
      ({ changedAt, onTheWay }) => changedAt > begun || onTheWay.size > 0,
    );
  }

  /** What is known by names that another account gives the record, if it is the same. */
  #others(name: RecordName, own: Entry | undefined): readonly Entry[] {
    const accounts = this.#records.get(keyOf(name));
    if (!accounts || (accounts.size === 1 && own)) return NONE;
    const isExact = this.#options.live !== undefined;
    return [...accounts.values()].filter(
      (other) =>
        other !== own &&
        // A record with a path stands above the same one without.
        !(other.name.base === undefined && other.name.account === name.account) &&
        mayBeSame(other.name, name, { isExact }),
    );
  }
}

const NONE: readonly Entry[] = [];

function keyOf({ kind, id }: Pick<RecordName, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}

function placeOf({ account, base }: RecordName): string {
  return base === undefined ? account : `${account} ${base}`;
}

function monotonic(): number {
  return performance.now();
}

/** What is known of a record by one of its names, and what is on its way to it. Times are counted events. */
interface Entry {
  readonly name: RecordName;
  /** What is known apart from what is on its way. */
  known: Known | undefined;
  /** Characters that `known` takes, about. */
  size: number;
  /** When it was last learnt in full: nothing from before says more. What was there from the start has 0. */
  sureAt: number;
  /** When something else was last learnt, in full or in part. */
  learntAt: number;
  /** When something last came or went, or was learnt. */
  changedAt: number;
  /** When a request or an answer told of it last, milliseconds since 1970. Memory alone. */
  toldAt: number | undefined;
  readonly onTheWay: Set<OnTheWay>;
  /** Of a live service's project, by the environment's id: when it was there last, and who was shown it. Memory alone. */
  seen: Map<number, Seen> | undefined;
}

interface Seen {
  /** Milliseconds of the state's clock. */
  at: number;
  /** Who was shown it, lately. */
  by: string[];
}

/** A change that the service may have made, or not. */
interface OnTheWay {
  /** What it does is only possible since then, milliseconds since 1970; undefined: it counts as the rest does. */
  since: number | undefined;
  /** What it makes of the record; undefined: it was not reads body. */
  sent: Known | undefined;
  /** Another was on its way at the same time: which of them the service took last is not known. */
  isOverlapped: boolean;
  /** One of those may have made something else of the record than is known. */
  isOverlappedBlindly: boolean;
}

function newEntry(name: RecordName): Entry {
  return {
    name,
    known: undefined,
    size: 0,
    sureAt: 0,
    learntAt: 0,
    changedAt: 0,
    toldAt: undefined,
    onTheWay: new Set(),
    seen: undefined,
  };
}

/** What is known where each that is on its way may have been applied, or not. */
function viewOf({ known, onTheWay }: Entry): Known | undefined {
  let view = known;
  for (const { sent, since } of onTheWay) {
    // Nearly always one that changes nothing.
    if (sent?.isWhole && known && isSameProject(known.record, sent.record)) continue;
    view = withUnclear(view, sent, since);
  }
  return view;
}

/** A whole record that an answer shows; what is known already is not made again. */
function seenIn({ name, known }: Entry, record: JsonObject): Known {
  const isSame = name.kind === 'project' && known?.isWhole && isSameProject(known.record, record);
  return isSame ? known : wholeRecord(name.kind, record, known);
}

/** Two are on their way to what may be one record. */
function overlap(one: OnTheWay, other: OnTheWay): void {
  one.isOverlapped = true;
  other.isOverlapped = true;
  if (!other.sent?.isWhole) one.isOverlappedBlindly = true;
  if (!one.sent?.isWhole) other.isOverlappedBlindly = true;
}

/** What is known by another name since then would be known of the other, were they the same. */
function isSuperseded({ learntAt, onTheWay }: Entry, own: Entry | undefined): boolean {
  return own?.known?.isWhole === true && learntAt < own.sureAt && onTheWay.size === 0;
}

/** What a record takes in memory beside its text, in characters, about. */
const OVERHEAD = 500;

/** Characters that a record takes, about. */
function sizeOf(record: JsonObject): number {
  return JSON.stringify(record).length + OVERHEAD;
}
