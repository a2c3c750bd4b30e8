import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { messageOf, PatchgateError } from '../errors.ts';
import { beforeAnswers } from '../http/end-of-turn.ts';
import { cannotWrite, hideFromGit, LOCK, makeFolders } from '../recordings/disk.ts';
import {
  encodeFrame,
  JOURNAL,
  Journal,
  type JournalHead,
  type MergeMode,
  readSegment,
  removeSegment,
  segmentFile,
  segmentNumbers,
} from '../recordings/journal.ts';
import { type Lock, takeLock } from '../recordings/lock.ts';
import type { PlainExchange } from '../recordings/plain-exchange.ts';
import { TroubleNotices } from '../recordings/trouble-notices.ts';
import { amount } from '../reporters/wording.ts';
import type { Database } from './database.ts';
import { insertFrames } from './frames.ts';

export interface OutboxOptions {
  database: Database;
  /** Of the outboxes of all gates here; made where it is missing. */
  folder: string;
  /** The recording that its exchanges are for. */
  recording: string;
  /** Whether they take the places of those of earlier runs. */
  mode: MergeMode;
  /** Takes one notice for people. */
  notice: (text: string) => void;
}

/** A frame of this turn, or one that the disk does not take. */
interface Unwritten {
  frame: PlainExchange;
  bytes: Buffer;
  onKept: ((count: number) => void) | undefined;
}

/** Milliseconds from writing to inserting, and from a failure to the next try. */
const SHIP_AFTER = 200;
const RETRY_AFTER = 1000;
/** Milliseconds that closing waits for the database. */
const CLOSE_WITHIN = 5000;
/** Bytes of a segment, and of frames that the disk does not take. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Frames of one segment have numbers from so many times its own on. */
const NUMBERS = 10_000_000;
/** Number of the segment that a killed process's journal becomes: it has used lower ones. */
const LAST_SEGMENT = 100_000_000;
const NOTHING = Buffer.alloc(0);
const RISKS = {
  journal: 'Nothing is lost: it stays on the disk of this gate until the database takes it.',
  memory: 'What is recorded now is only in memory, and lost if this process is killed.',
  losing: 'No more fits into memory: it is lost from now on.',
};

/**
 * What a gate records for the database. A frame is in a journal before the answers of its turn go out, and inserted soon after; the
 * journal bridges an outage, and the next start ships what a killed process has left. Frames are numbered: none is inserted twice.
 */
export class Outbox {
  readonly mode: MergeMode;
  readonly #options: OutboxOptions;
  readonly #head: JournalHead;
  readonly #folder: string;
  readonly #lock: Lock;
  readonly #journal: Journal;
  readonly #notices: TroubleNotices<keyof typeof RISKS>;
  readonly #writeBeforeAnswers = beforeAnswers(() => {
    // A disk that takes nothing is not tried again by each answer.
    if (this.#journalTrouble === undefined) this.#write();
  });
  #unwritten: Unwritten[] = [];
  #unwrittenBytes = 0;
  /** The last one. */
  #segment = 0;
  #waiting = 0;
  #lost = 0;
  #journalTrouble: Error | undefined;
  #shipTrouble: Error | undefined;
  #shipping: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  private constructor(options: OutboxOptions) {
    const { folder, recording, mode, notice } = options;
    this.#options = options;
    this.mode = mode;
    this.#head = { run: randomBytes(9).toString('base64url'), mode };
    this.#folder = join(folder, `${encodeURIComponent(recording)}~${this.#head.run}`);
    this.#lock = lockOf(this.#folder);
    this.#journal = new Journal(this.#folder, this.#head);
    this.#notices = new TroubleNotices('RECORDING INTO THE DATABASE FAILS', RISKS, notice);
  }

  /** Opens one, after what ended processes have left is in the database. @throws PatchgateError `cannot-write` */
  static async open(options: OutboxOptions): Promise<Outbox> {
    const folder = join(options.folder, encodeURIComponent(options.database.name));
    try {
      makeFolders(folder);
      hideFromGit(options.folder);
    } catch (error) {
      throw cannotWrite(folder, error);
    }
    await shipLeft({ ...options, folder });
    return new Outbox({ ...options, folder });
  }

  /** Never throws: what cannot be kept is counted. */
  append(frame: PlainExchange, onKept?: (count: number) => void): void {
    if (this.#unwrittenBytes > MOST_BYTES) {
      this.#lost++;
      this.#tell();
      return;
    }
    const bytes = encodeFrame(frame);
    this.#unwritten.push({ frame, bytes, onKept });
    this.#unwrittenBytes += bytes.length;
    this.#waiting++;
    this.#writeBeforeAnswers();
  }

  /** Keeps a line of the audit, which travels as a frame without a method. @param text JSON */
  appendAudit(at: string, text: string): void {
    const request = {
      method: '',
      path: '',
      query: '',
      json: undefined,
      headers: [],
      body: Buffer.from(text),
    };
    const response = { status: 0, headers: [], body: NOTHING };
    this.append({ request, response, startedAt: Date.parse(at), durationMs: 0 });
  }

  get counts() {
    return { waiting: this.#waiting, lost: this.#lost, journalBytes: this.#journal.size };
  }

  /** Why something is lost or waits; undefined while all is well. */
  get trouble(): Error | undefined {
    return this.#lost > 0 ? this.#notKept(this.#lost) : (this.#journalTrouble ?? this.#shipTrouble);
  }

  /** The disk takes frames. */
  get isWritable(): boolean {
    return this.#journalTrouble === undefined;
  }

  /** Resolves when the database has all that there is now, or it was tried. */
  flush(): Promise<void> {
    this.#shipping = this.#shipping.then(() => this.#ship());
    return this.#shipping;
  }

  /** Ships what there is; the rest stays for the next start in the folder. @throws PatchgateError `cannot-write` where something is lost */
  async close(): Promise<void> {
    await Promise.race([this.flush(), wait(CLOSE_WITHIN, undefined, { ref: false })]);
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const inMemory = this.#unwritten.length;
    const onDisk = amount(this.#waiting - inMemory, 'line');
    if (this.#waiting > inMemory)
      this.#options.notice(
        `waiting for the database in ${this.#folder}: ${onDisk} of what was recorded, which the next start here ships`,
      );
    this.#journal.close();
    this.#lock.release();
    if (this.#waiting === 0) rmSync(this.#folder, { recursive: true, force: true });
    if (this.#lost + inMemory > 0) throw this.#notKept(this.#lost + inMemory);
  }

  /** All frames of this turn, and what could not be written before, in one write. */
  #write(): void {
    if (this.#unwritten.length === 0) return;
    try {
      this.#journal.append(this.#unwritten.map(({ bytes }) => bytes));
      this.#journalTrouble = undefined;
      this.#kept(this.#unwritten);
      if (this.#journal.size > MOST_BYTES) this.#journal.rotate(++this.#segment);
    } catch (error) {
      this.#journalTrouble = error as Error;
    }
    this.#shipAfter(SHIP_AFTER);
    this.#tell();
  }

  /** These first ones are on the disk, or in the database. */
  #kept(frames: readonly Unwritten[]): void {
    for (const { bytes, onKept } of this.#unwritten.splice(0, frames.length)) {
      this.#unwrittenBytes -= bytes.length;
      onKept?.(1);
    }
  }

  #shipAfter(delay: number): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, delay).unref();
  }

  /** Never rejects. */
  async #ship(): Promise<void> {
    if (this.#isClosed) return;
    const { database, recording } = this.#options;
    try {
      this.#write();
      this.#journal.rotate(++this.#segment);
      for (const number of segmentNumbers(this.#folder))
        if (Number.isFinite(number))
          this.#waiting -= await shipSegment(database, recording, this.#folder, number);
      // What the disk does not take.
      if (this.#journalTrouble) {
        const frames = [...this.#unwritten];
        const batch = { recording, ...this.#head, first: ++this.#segment * NUMBERS };
        await insertFrames(
          database,
          batch,
          frames.map(({ frame }) => frame),
        );
        this.#waiting -= frames.length;
        this.#kept(frames);
        this.#journalTrouble = undefined;
        this.#write();
      }
      this.#shipTrouble = undefined;
    } catch (error) {
      // Its hint is for who sent a request.
      this.#shipTrouble = new Error(messageOf(error), { cause: error });
      this.#shipAfter(RETRY_AFTER);
    }
    this.#tell();
  }

  #tell(): void {
    const reason = this.#journalTrouble ?? this.#shipTrouble;
    const missing =
      this.#lost > 0 ? `, but ${amount(this.#lost, 'line')} did not reach it` : ': nothing is missing';
    if (reason)
      this.#notices.trouble(reason, this.#lost > 0 ? 'losing' : this.#journalTrouble ? 'memory' : 'journal');
    else if (this.#waiting === 0) this.#notices.over(`recording into the database works again${missing}`);
  }

  #notKept(count: number): PatchgateError {
    const why = this.#journalTrouble ?? this.#shipTrouble;
    const what = `${amount(count, 'line')} of what was recorded did not reach the database`;
    return new PatchgateError('cannot-write', why ? `${what}: ${why.message}` : what, {
      hint: 'look after the database and the disk, then record again',
      cause: why,
    });
  }
}

/** @returns how many frames it had */
async function shipSegment(
  database: Database,
  recording: string,
  folder: string,
  number: number,
): Promise<number> {
  const { head, frames } = readSegment(folder, number) ?? { frames: [] };
  if (head) await insertFrames(database, { recording, ...head, first: number * NUMBERS }, frames);
  removeSegment(folder, number);
  return frames.length;
}

/** Ships what ended processes have left for this database. Never rejects. */
async function shipLeft({ database, folder: root, notice }: OutboxOptions): Promise<void> {
  for (const name of readdirSync(root)) {
    const folder = join(root, name);
    const recording = decodeURIComponent(name.slice(0, name.lastIndexOf('~')));
    try {
      const lock = lockOf(folder);
      try {
        const journal = join(folder, JOURNAL);
        if (existsSync(journal)) renameSync(journal, segmentFile(folder, LAST_SEGMENT));
        for (const number of segmentNumbers(folder)) await shipSegment(database, recording, folder, number);
      } finally {
        lock.release();
      }
      rmSync(folder, { recursive: true, force: true });
      notice(`what an earlier run had left in ${folder} is in the database now`);
    } catch (error) {
      const isLiving = error instanceof PatchgateError && error.details?.host === hostname();
      if (!isLiving) notice(`${folder} keeps what is not in the database yet: ${messageOf(error)}`);
    }
  }
}

function lockOf(folder: string): Lock {
  return takeLock(join(folder, LOCK), `the outbox ${folder}`, 'give another folder with --state');
}
