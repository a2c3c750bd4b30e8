import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Low } from 'lowdb';
import { messageOf, PatchgateError } from '../errors.ts';
import { beforeAnswers } from '../http/end-of-turn.ts';
import type { JsonObject } from '../json/json.ts';
import type { KeptApproval } from '../model/approval.ts';
import type { Known, RecordName } from '../model/record.ts';
import { Compactor } from '../recordings/store/compactor.ts';
import { makeFolders } from '../recordings/store/folders.ts';
import { HIDDEN, hideFromGit } from '../recordings/store/hidden-folder.ts';
import { Journal } from '../recordings/store/journal.ts';
import { type Lock, type LockWords, takeLock } from '../recordings/store/lock.ts';
import { hintOf, TroubleNotices } from '../recordings/store/trouble-notices.ts';
import { cannotWrite, removeTemporaries } from '../recordings/store/write-file.ts';
import { yieldToEventLoop } from '../recordings/yield-to-event-loop.ts';
import { doubted, either } from '../state/known.ts';
import { KnownState } from '../state/known-state.ts';
import type { State } from '../state/state-file.ts';
import type { ApprovalStore } from './file-approvals.ts';
import type { KnownStore } from './known-store.ts';
import {
  approvalLineOf,
  journalOf,
  lineOf,
  markOf,
  readKept,
  recordKey,
  StateAdapter,
  sortedState,
} from './state-files.ts';

type KnownStoreOptions = Omit<FileKnownStoreOptions, 'file' | 'onForget'> & {
  /** Undefined or `""`: in memory alone. */
  file: string | undefined;
};

/**
 * Opens the file that keeps what is known of the service. A change is in the journal beside it before anything else
 * happens, and outlives `kill -9`. A file that is missing is an empty one, and is made with the first change.
 *
 * @throws PatchgateError `cannot-read`; `bad-input` with file, line and column, where file or journal is broken
 */
export async function openKnownStore(options: KnownStoreOptions): Promise<KnownStore> {
  const { file, target, lag, notice } = options;
  const onForget = once(() =>
    notice(
      'more is known than there is room for: what was learnt longest ago is forgotten, and is no longer guarded until it is seen again (--read-state reads it when it is needed)',
    ),
  );
  if (!file) {
    const state = new KnownState({ onForget, live: { lag } });
    return { state, trouble: undefined, close: () => Promise.resolve() };
  }
  const store = new FileKnownStore({ ...options, file, onForget });
  store.open();
  const { foundTarget } = store;
  if (target !== undefined && foundTarget !== undefined && plain(foundTarget) !== plain(target)) {
    notice(
      `${file} was learnt from ${foundTarget}, and this proxy stands in front of ${target}: PATCHes are judged by it all the same. Give each service a file of its own with --state FILE`,
    );
  }
  return store;
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    action();
  };
}

function plain(url: string): string {
  return url.replace(/\/+$/, '');
}

/** Bytes. A journal of more is moved into the file at once, unless the file is larger still. */
const MOST_JOURNAL = 1024 * 1024;
/** A file of more than `MOST_JOURNAL` waits until one part of so many is new. */
const SHARE = 4;

/** By how bad it is: what a restart would know all the same, and what it would not. */
const RISKS = {
  journal: 'Nothing is lost: it stays in the journal beside the file, which a restart reads too.',
  memory: 'What is learnt from here on is only in memory: a restart would not know it.',
};

const INSTEAD = 'give this one a file of its own with --state FILE';
const LOCK_WORDS: LockWords = {
  thing: 'the state file',
  doing: 'keeping in it what it knows',
  instead: { here: INSTEAD, elsewhere: INSTEAD },
  place: 'name another file with --state',
};

interface Held {
  lock: Lock;
  journal: Journal;
}

interface FileKnownStoreOptions {
  file: string;
  /** URL of the service. */
  target?: string | undefined;
  /** Milliseconds that an answer may be behind what the service holds. */
  lag: number;
  notice: (text: string) => void;
  onForget?: (name: RecordName) => void;
  /** Names are the users' own: what of a record may stand in the file. */
  hide?: ((record: JsonObject) => JsonObject) | undefined;
}

/**
 * Keeps what is known of the service in a file. Each change is one append to a journal beside it; the file is written behind.
 * A line says all that is known of its record, so that it does no harm to read lines which the file has already.
 *
 * One process keeps a file, by a lock beside it: taken before anything is read where there is something to read, otherwise with
 * the first change. Nothing is made on disk before that.
 */
export class FileKnownStore implements KnownStore {
  readonly state: KnownState;
  /** URL in the file as it was found. */
  foundTarget: string | undefined;
  /** Why what is known is not in its file. */
  trouble: Error | undefined;
  readonly #options: FileKnownStoreOptions;
  readonly #notices: TroubleNotices<keyof typeof RISKS>;
  readonly #adapter: StateAdapter;
  readonly #db: Low<State>;
  readonly #journalFile: string;
  #held: Held | undefined;
  /** How the files looked when they were read, null before that; and how long the journal was. */
  #seen: string | undefined | null = null;
  #journalSize = 0;
  /** Records of which the journal may not have all, by `recordKey`. */
  readonly #pending = new Map<string, RecordName>();
  /** By id, in the order of coming. `isWritten`: the files have it as it is now, or as it was before. */
  readonly #approvals = new Map<string, { approval: KeptApproval; isWritten: boolean }>();
  /** Ids of those of which the journal may not have all. */
  readonly #pendingApprovals = new Set<string>();
  readonly approvals: ApprovalStore;
  /** Another process keeps the file. */
  #isElsewhere = false;
  #isClosed = false;
  #isReading = false;
  readonly #appendBeforeAnswers = beforeAnswers(() => this.#appendAll());
  readonly #compactor = new Compactor(
    () => this.#compact(),
    () => this.#isDue(),
  );

  constructor(options: FileKnownStoreOptions) {
    const { file, lag, notice, onForget } = options;
    this.#options = options;
    this.#notices = new TroubleNotices('WHAT IS KNOWN CANNOT BE WRITTEN', RISKS, notice);
    this.#adapter = new StateAdapter(file);
    this.#db = new Low<State>(this.#adapter, { paths: {} });
    this.#journalFile = journalOf(file);
    const onChange = (name: RecordName, isOnTheWay: boolean) => this.#changed(name, isOnTheWay);
    this.state = new KnownState({ live: { lag }, onChange, ...(onForget && { onForget }) });
    const all = this.#approvals;
    this.approvals = {
      get kept() {
        return [...all.values()].map(({ approval }) => approval);
      },
      keep: (approval) => this.#keep(approval),
      forget: (id) => all.delete(id),
    };
  }

  /** To be called first. @throws PatchgateError `cannot-read`, `bad-input` with file, line and column */
  open(): void {
    if (markOf(this.#options.file, this.#journalFile) !== undefined) {
      try {
        this.#held = this.#take();
        if (this.#waiting > 0 || this.#hasPending) this.#compactor.changed();
      } catch (error) {
        if (error instanceof PatchgateError && ['bad-input', 'cannot-read'].includes(error.code)) throw error;
        this.#fail(error, 'memory');
      }
    }
    if (this.#seen === null) this.#read();
  }

  /** Reads what the process that holds the file has written since. */
  follow(): void {
    if (this.#held || this.#isClosed) return;
    const { file } = this.#options;
    const mark = markOf(file, this.#journalFile);
    if (mark === this.#seen) return;
    try {
      this.#read();
      if (this.#pending.size > 0) this.#pendAll();
    } catch (error) {
      this.#seen = mark;
      this.#options.notice(`what another process has learnt is not known here: ${messageOf(error)}`);
    }
  }

  /** Resolves when what is known is in the file, or has been tried. Nothing is kept that is learnt after it. */
  async close(): Promise<void> {
    await this.#compactor.end(() => this.#hasPending || this.#waiting > 0);
    this.#isClosed = true;
    this.#leave();
  }

  /** Called on a request's path: what it may change is in the journal before it goes on, the rest before any answer does. */
  #changed(name: RecordName, isOnTheWay: boolean): void {
    if (this.#isElsewhere || this.#isClosed) return;
    this.#pending.set(recordKey(name), name);
    // What was read did not fit: a record was forgotten for it.
    if (this.#isReading) return;
    if (isOnTheWay) this.#appendAll();
    else this.#appendBeforeAnswers();
  }

  /** In the journal when it returns. @returns false: the files have it as it was before */
  #keep(approval: KeptApproval): boolean {
    const { id } = approval;
    const isWritten = this.#approvals.get(id)?.isWritten ?? false;
    if (this.#isElsewhere || this.#isClosed) return !isWritten;
    this.#approvals.set(id, { approval, isWritten });
    this.#pendingApprovals.add(id);
    this.#appendAll();
    return !this.#pendingApprovals.has(id) || !isWritten;
  }

  get #hasPending(): boolean {
    return this.#pending.size > 0 || this.#pendingApprovals.size > 0;
  }

  #appendAll(): void {
    if (this.#isClosed || !this.#hasPending || !this.#append()) return;
    this.#compactor.changed();
    const isLong = this.#waiting > Math.max(MOST_JOURNAL, this.#adapter.size);
    if (isLong && !this.trouble) this.#compactor.hurry();
  }

  /** @returns whether the journal has everything */
  #append(): boolean {
    try {
      if (this.#held?.journal.isGone) this.#beginAnew();
      this.#held ??= this.#take();
      if (this.#hasPending) this.#held.journal.append(Buffer.from(this.#pendingLines().join('')));
      this.#pending.clear();
      for (const id of this.#pendingApprovals) {
        const kept = this.#approvals.get(id);
        if (kept) kept.isWritten = true;
      }
      this.#pendingApprovals.clear();
      return true;
    } catch (error) {
      this.#fail(error, 'memory');
      return false;
    }
  }

  #pendingLines(): string[] {
    const approvals = [...this.#pendingApprovals].map((id) => this.#approvals.get(id));
    return [
      ...[...this.#pending.values()].map((name) => this.#lineOf(name)),
      ...approvals.map((kept) => (kept ? approvalLineOf(kept.approval) : '')),
    ];
  }

  /** Takes the lock, and reads what has been written since the files were read last. */
  #take(): Held {
    const { file } = this.#options;
    makeFolderOf(file);
    const lock = takeLock(file, `${file}.lock`, LOCK_WORDS);
    try {
      if (this.#seen !== markOf(file, this.#journalFile)) {
        const isFirst = this.#seen === null;
        this.#read(true);
        if (!isFirst) this.#pendAll();
      }
      removeTemporaries(dirname(file), `${basename(file)}.`);
      return { lock, journal: new Journal(this.#journalFile, { size: this.#journalSize }) };
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** What stands in the files is known from here on, beside what is known already. @param isOwn no other process keeps them */
  #read(isOwn = false): void {
    const { file } = this.#options;
    const seen = markOf(file, this.#journalFile);
    const { records, approvals, target, journalSize } = readKept(file, this.#options.target, this.#adapter);
    // What another process gives out, that one alone takes.
    if (isOwn)
      for (const [id, approval] of approvals)
        if (!this.#approvals.has(id)) this.#approvals.set(id, { approval, isWritten: true });
    const own = new Map([...this.state.entries()].map(({ name, known }) => [recordKey(name), known]));
    this.#isReading = true;
    const now = Date.now();
    for (const [key, { name, known, isOld }] of records) {
      const found = isOld && name.kind === 'project' ? doubted(known, now) : known;
      this.state.restore(name, either(found, own.get(key)));
    }
    this.#isReading = false;
    this.foundTarget = target;
    this.#journalSize = journalSize;
    this.#seen = seen;
  }

  /** Bytes of the journal. */
  get #waiting(): number {
    return this.#held?.journal.size ?? 0;
  }

  #pendAll(): void {
    for (const { name } of this.state.entries()) this.#pending.set(recordKey(name), name);
  }

  /** Somebody has removed the files: all that is known must be written again. */
  #beginAnew(): void {
    this.#leave();
    this.#seen = undefined;
    this.#journalSize = 0;
    this.#pendAll();
    this.#pendingApprovals.clear();
    for (const [id, kept] of this.#approvals) {
      kept.isWritten = false;
      this.#pendingApprovals.add(id);
    }
  }

  #leave(): void {
    const held = this.#held;
    this.#held = undefined;
    try {
      held?.journal.close();
      held?.lock.release();
    } catch {
      // What stays is empty, or a lock that no process holds: the next start goes over it.
    }
  }

  #lineOf(name: RecordName): string {
    const known = this.state.at(name);
    return lineOf({ name, known: known && this.#hidden(known) });
  }

  #hidden(known: Known): Known {
    const { hide } = this.#options;
    return hide ? { ...known, record: hide(known.record) } : known;
  }

  /** A large file is not written again for each small change. */
  #isDue(): boolean {
    const { size } = this.#adapter;
    return this.trouble !== undefined || size < MOST_JOURNAL || this.#waiting * SHARE > size;
  }

  /** Writes the file; only then what it has is taken out of the journal. */
  async #compact(): Promise<void> {
    if (this.#isElsewhere || !this.#append() || !this.#held) return;
    const { journal } = this.#held;
    const upTo = journal.size;
    const { file, target = this.foundTarget } = this.#options;
    try {
      const records = [...this.state.entries()];
      for (const record of records) {
        record.known = this.#hidden(record.known);
        await yieldToEventLoop();
      }
      this.#db.data = { ...sortedState(records, target), ...this.#approvalsInForce() };
      await this.#db.write();
      // Else somebody has removed it meanwhile, and there is a new one.
      if (this.#held?.journal === journal) journal.drop(upTo);
      this.trouble = undefined;
      this.#notices.over(`what is known is kept in ${file} again: nothing is missing`);
    } catch (error) {
      this.#fail(error, 'journal');
    }
  }

  /** Those that have expired are of no use to a restart. */
  #approvalsInForce(): Pick<State, 'approvals'> {
    const now = Date.now();
    for (const [id, { approval }] of this.#approvals)
      if (!(Date.parse(approval.expiresAt) > now)) this.#approvals.delete(id);
    if (this.#approvals.size === 0) return {};
    const kept = [...this.#approvals].map(([id, { approval }]) => [id, approval] as const);
    return { approvals: Object.fromEntries(kept) };
  }

  #fail(error: unknown, level: keyof typeof RISKS): void {
    const { file, notice } = this.#options;
    const reason = error instanceof PatchgateError ? error : cannotWrite(file, error);
    if (reason.code === 'recording-in-use') {
      this.#isElsewhere = true;
      this.trouble = undefined;
      this.#pending.clear();
      this.#pendingApprovals.clear();
      notice(
        `${reason.message}. What is learnt here is not kept: a restart would not know it.${hintOf(reason)}`,
      );
      return;
    }
    this.trouble = reason;
    this.#notices.trouble(reason, level);
    this.#compactor.failed();
  }
}

/** Git does not see it, where it has the name that the tool's own folders have. @throws PatchgateError `cannot-write` */
function makeFolderOf(file: string): void {
  const folder = dirname(file);
  if (existsSync(folder)) return;
  try {
    makeFolders(folder, true);
    if (basename(folder) === HIDDEN) hideFromGit(folder);
  } catch (error) {
    throw new PatchgateError('cannot-write', `cannot make the folder of ${file}: ${messageOf(error)}`, {
      hint: `correct its permissions, or ${LOCK_WORDS.place}`,
      cause: error,
    });
  }
}
