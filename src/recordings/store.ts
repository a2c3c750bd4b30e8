import { join } from 'node:path';
import { PatchgateError } from '../errors.ts';
import type { Exchange } from '../model/exchange.ts';
import { mergeBeside } from './beside.ts';
import { HIDDEN, hideFromGit, isFolder, LOCK, leaveHidden, quietly } from './disk.ts';
import { ExchangeIndex } from './exchange-index.ts';
import { checkRecordingName, placesIn, readRecording } from './files.ts';
import type { MergeMode } from './journal.ts';
import { takeLock } from './lock.ts';
import { DEFAULT_RULES, type MatchRules } from './match.ts';
import { merge, mergeSegments, readWaiting } from './merge.ts';
import { locationOf, type Place, placeKey } from './names.ts';
import { type PlainExchange, toStoredExchange } from './plain-exchange.ts';
import { openWriter, type Writer, type WriterOptions } from './writer.ts';

/** The port to a recording: a named place that holds exchanges, in files or in a database that many gates share. */
export interface RecordingStore {
  readonly name: string;
  readonly isWritable: boolean;
  isEmpty(): boolean;
  /** The exchanges of a method and path (as sent, without query), read when they are first asked for; with `ready`, when that has resolved.
   *  @throws PatchgateError `bad-recording`, `cannot-read` */
  exchanges(method: string, path: string): ExchangeIndex;
  /** Of a store that cannot read at once: resolves when `exchanges` knows a method and path; undefined if it does. */
  ready?(method: string, path: string): Promise<void> | undefined;
  places(): Iterable<Place>;
  /** Reads all ahead, in slices of a few milliseconds. @throws PatchgateError of the first broken file, once all others are read */
  load(): Promise<void>;
  /** Keeps an exchange: the system has it before the answers of this turn of the event loop go out (see `beforeAnswers`), and its file
   *  soon after. Never throws: see `status`. */
  append(exchange: PlainExchange): void;
  /** How recording goes; undefined if it only reads. */
  status(): RecordingStatus | undefined;
  /** Resolves once everything appended so far is in its file, or rejects with why it is not. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Exchanges that this run has recorded; that are in memory alone, or not in the database; that were lost; whether it takes more; and the
 *  last failure to write, undefined while all is well. */
export type RecordingStatus = Omit<ReturnType<Writer['status']>, 'unmerged'>;

export interface StoreOptions extends Pick<WriterOptions, 'onNotice' | 'closeWithin' | 'mostBytes'> {
  /** How it is written to: its folder is made now, so that one that cannot be made stops the start. What a run of mode `all` records is
   *  not read by it. Undefined: it is only read. */
  mode?: MergeMode | undefined;
  rules?: MatchRules;
}

/** Opens a recording in a folder of recordings: a tree of files, one for each method and path. One process at a time may write to it; a
 *  reader beside it sees the exchanges so far.
 *  @throws PatchgateError `bad-usage`, `cannot-read`, `cannot-write`, `bad-recording` (the journal, or a file that it is for), `recording-in-use` */
export async function openStore(folder: string, name: string, options: StoreOptions = {}) {
  checkRecordingName(name);
  const { mode, rules = DEFAULT_RULES, ...others } = options;
  const root = join(folder, name);
  const hint = 'a recording is a folder: give another name with --recording';
  if (!mode && isFolder(root) === false)
    throw new PatchgateError('cannot-read', `${root} is no folder`, { hint });
  const [writer, leave] = mode ? await openToWrite(root, rules, { mode, ...others }) : [];
  /** What the journal held when it was opened. A writer has merged it. */
  const waiting = writer ? undefined : readWaiting(root);
  const paths = new Map<string, { place: Place; index: ExchangeIndex }>();
  let [isLoaded, isClosed] = [false, false];

  function exchanges(method: string, path: string): ExchangeIndex {
    const place = { method, path };
    const key = placeKey(place);
    const found = paths.get(key);
    if (found) return found.index;
    const index = new ExchangeIndex(isLoaded ? [] : read(place), rules);
    // Clients may ask for paths without exchanges without end.
    if (index.all.length > 0 || writer) paths.set(key, { place, index });
    return index;
  }

  function read(place: Place): readonly Exchange[] {
    const location = locationOf(place.method, place.path);
    const kept = readRecording(join(root, location), place)?.exchanges ?? [];
    const frames = waiting?.frames.get(placeKey(place));
    if (!waiting || !frames) return kept;
    const { counts = {} } = waiting.progress[location] ?? {};
    return merge(kept, frames.map(toStoredExchange), waiting.mode, counts, rules).exchanges;
  }

  function* places(): Generator<Place> {
    const inMemory = [...paths.values()].flatMap(({ place, index }) => (index.all.length > 0 ? place : []));
    const inJournal = [...(waiting?.frames.values() ?? [])].flatMap(([first]) => first?.request ?? []);
    const given = new Set<string>();
    for (const some of [inMemory, inJournal, isLoaded ? [] : placesIn(root)])
      for (const { method, path } of some) {
        const key = placeKey({ method, path });
        if (!given.has(key)) yield { method, path };
        given.add(key);
      }
  }

  return {
    name,
    isWritable: writer !== undefined,
    isEmpty: () => places().next().done === true,
    exchanges,
    /** The exchanges of a method and path as they are kept. @throws PatchgateError `bad-recording`, `cannot-read` */
    read,
    places,
    async load() {
      let broken: unknown;
      for (const { method, path } of places()) {
        try {
          await exchanges(method, path).prepare();
        } catch (error) {
          broken ??= error;
        }
        if (isClosed) return;
      }
      if (broken !== undefined) throw broken;
      isLoaded = !writer;
    },
    append(exchange) {
      if (!writer?.append(exchange) || mode === 'all') return;
      const { method, path } = exchange.request;
      // The next request finds it already. If its file is broken, which a look at it says, it waits in the journal.
      quietly(() => exchanges(method, path).add(toStoredExchange(exchange)));
    },
    status: () => writer?.status(),
    flush: async () => writer?.flush(),
    async close() {
      isClosed = true;
      await writer?.close().finally(leave);
    },
  } satisfies RecordingStore & { read: typeof read };
}

/** Takes the lock, and merges what an earlier run has left. */
async function openToWrite(root: string, rules: MatchRules, options: Omit<WriterOptions, 'merge'>) {
  const hidden = join(root, HIDDEN);
  const instead = 'record under another name with --recording, or in another folder with --recordings';
  const lock = takeLock(join(hidden, LOCK), `the recording ${root}`, instead);
  const leave = () => leaveHidden(hidden, lock.release);
  try {
    hideFromGit(hidden);
    if (await mergeSegments(root, { rules, run: 'was killed' }))
      options.onNotice?.(`what an earlier run had left in the journal of ${root} is in its files now`);
    const merge: WriterOptions['merge'] = (how) => mergeBeside(root, { rules, ...how });
    return [openWriter(root, { ...options, merge }), leave] as const;
  } catch (error) {
    leave();
    throw error;
  }
}
