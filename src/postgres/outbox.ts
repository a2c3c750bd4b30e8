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
import { hintOf, TroubleNotices } from '../recordings/trouble-notices.ts';
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
  /** Milliseconds that closing waits for the database. */
  patience?: number;
}

/** A frame of this turn, or one that the disk does not take. */
interface Unwritten {
  frame: PlainExchange;
  bytes: Buffer;
  onKept: ((count: number) => void) | undefined;
}

/** Milliseconds from writing to inserting. */
const SHIP_AFTER = 200;
const RETRY_AFTER = 1000;
/** Bytes of frames that the disk does not take. */
const MOST_IN_MEMORY = 64 * 1024 * 1024;
/** Frames of one segment have numbers from so many times its own on. */
const NUMBERS = 10_000_000;
/** Number of the segment that a killed process's journal becomes: it has used lower ones. */
const LAST_SEGMENT = 100_000_000;
const NOTHING = Buffer.alloc(0);

/**
 * What a gate has for the database. A frame is with the system before the answers of its turn go out, and is inserted soon after: the
 * journal bridges an outage, and the next start ships what a killed process has left. Frames are numbered, and none is inserted twice.
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
  #segments = 0;
  #waiting = 0;
  #lost = 0;
  #journalTrouble: Error | undefined;
  #shipTrouble: Error | undefined;
  #shipping: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  private constructor(options: OutboxOptions) {
    const { recording, mode, notice } = options;
    this.#options = options;
    this.mode = mode;
    this.#head = { run: randomBytes(9).toString('base64url'), mode };
    this.#folder = join(folderOf(options), encodeURIComponent(recording), this.#head.run);
    this.#lock = lockOf(this.#folder);
    this.#journal = new Journal(this.#folder, this.#head);
    this.#notices = new TroubleNotices('RECORDING INTO THE DATABASE FAILS', RISKS, notice);
  }

  /** Opens one, after what ended processes have left is in the database. @throws PatchgateError `cannot-write` */
  static async open(options: OutboxOptions): Promise<Outbox> {
    const { folder } = options;
    try {
      makeFolders(folder);
      hideFromGit(folder);
    } catch (error) {
      throw cannotWrite(folder, error);
    }
    await shipLeft(options);
    return new Outbox(options);
  }

  /** Never throws: what cannot be kept is counted. */
  append(frame: PlainExchange, onKept?: (count: number) => void): void {
    if (this.#unwrittenBytes > MOST_IN_MEMORY) {
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
    const empty = { headers: [], body: NOTHING };
    this.append({
      request: { method: '', path: '', query: '', json: undefined, headers: [], body: Buffer.from(text) },
      response: { status: 0, ...empty },
      startedAt: Date.parse(at),
      durationMs: 0,
    });
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
    this.#shipping = this.#shipping.then(() => this.#shipAll());
    return this.#shipping;
  }

  /** Ships what there is; the rest stays for the next start in the folder. @throws PatchgateError `cannot-write` where something is lost */
  async close(): Promise<void> {
    const { notice, patience = 10_000 } = this.#options;
    await Promise.race([this.flush(), wait(patience, undefined, { ref: false })]);
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const inMemory = this.#unwritten.length;
    const onDisk = this.#waiting - inMemory;
    if (onDisk > 0)
      notice(
        `waiting for the database in ${this.#folder}: ${amount(onDisk, 'line')} of what was recorded, which the next start here ships`,
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
      this.#kept();
    } catch (error) {
      this.#journalTrouble = error as Error;
    }
    this.#wake(SHIP_AFTER);
    this.#tell();
  }

  #kept(): void {
    for (const { onKept } of this.#unwritten.splice(0)) onKept?.(1);
    this.#unwrittenBytes = 0;
  }

  #wake(delay: number): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, delay).unref();
  }

  /** Never rejects. */
  async #shipAll(): Promise<void> {
    if (this.#isClosed) return;
    try {
      this.#write();
      await this.#shipSegments();
      if (this.#journal.size > 0) {
        this.#journal.rotate(++this.#segments);
        await this.#shipSegments();
      }
      await this.#shipUnwritten();
      this.#shipTrouble = undefined;
    } catch (error) {
      // Its hint is for who sent a request.
      this.#shipTrouble = new Error(messageOf(error), { cause: error });
      this.#wake(RETRY_AFTER);
    }
    this.#tell();
  }

  async #shipSegments(): Promise<void> {
    const { database, recording } = this.#options;
    for (const number of segmentNumbers(this.#folder)) {
      if (number === Number.POSITIVE_INFINITY) return;
      this.#waiting -= await shipSegment(database, recording, this.#folder, number);
    }
  }

  /** What the disk does not take. */
  async #shipUnwritten(): Promise<void> {
    // What it takes comes by its segments.
    if (!this.#journalTrouble) return;
    const frames = this.#unwritten.map(({ frame }) => frame);
    const { database, recording } = this.#options;
    const first = ++this.#segments * NUMBERS;
    await insertFrames(database, { recording, ...this.#head, first }, frames);
    this.#waiting -= frames.length;
    for (const { bytes, onKept } of this.#unwritten.splice(0, frames.length)) {
      this.#unwrittenBytes -= bytes.length;
      onKept?.(1);
    }
    this.#journalTrouble = undefined;
    this.#write();
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
    return new PatchgateError(
      'cannot-write',
      `${amount(count, 'line')} of what was recorded did not reach the database${why ? `: ${why.message}` : ''}`,
      { hint: 'look after the database and the disk, then record again', cause: why },
    );
  }
}

const RISKS = {
  journal: 'Nothing is lost: it stays in the outbox of this gate until the database takes it.',
  memory: 'What is recorded now is only in memory, and lost if this process is killed.',
  losing: 'No more fits in the outbox of this gate: it is lost from now on.',
};

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
async function shipLeft(options: OutboxOptions): Promise<void> {
  const { database, notice } = options;
  const root = folderOf(options);
  for (const name of namesIn(root))
    for (const run of namesIn(join(root, name))) {
      const folder = join(root, name, run);
      try {
        const lock = lockOf(folder);
        try {
          const journal = join(folder, JOURNAL);
          if (existsSync(journal)) renameSync(journal, segmentFile(folder, LAST_SEGMENT));
          for (const number of segmentNumbers(folder))
            await shipSegment(database, decodeURIComponent(name), folder, number);
        } finally {
          lock.release();
        }
        rmSync(folder, { recursive: true, force: true });
        notice(`what an earlier run had left in ${folder} is in the database now`);
      } catch (error) {
        const isLiving = error instanceof PatchgateError && error.details?.host === hostname();
        if (!isLiving)
          notice(
            `${folder} keeps what is not in the database yet: ${messageOf(error)}${hintOf(error as Error)}`,
          );
      }
    }
}

function folderOf({ folder, database }: OutboxOptions): string {
  return join(folder, database.id);
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function lockOf(folder: string): Lock {
  return takeLock(join(folder, LOCK), `the outbox ${folder}`, 'give another folder with --state');
}
