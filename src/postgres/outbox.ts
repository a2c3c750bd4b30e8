import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { messageOf, PatchgateError } from '../errors.ts';
import { beforeAnswers } from '../http/end-of-turn.ts';
import { makeFolders } from '../recordings/store/folders.ts';
import { hideFromGit } from '../recordings/store/hidden-folder.ts';
import { Journal } from '../recordings/store/journal.ts';
import { type Lock, takeLock } from '../recordings/store/lock.ts';
import { hintOf, TroubleNotices } from '../recordings/store/trouble-notices.ts';
import { cannotWrite } from '../recordings/store/write-file.ts';
import { amount } from '../reporters/wording.ts';
import type { Database } from './database.ts';
import { type Line, lineText, type Row, shipNext } from './ship.ts';

export interface OutboxOptions {
  database: Database;
  /** Made where it is missing. */
  folder: string;
  /** Each line outlives a power failure. */
  isDurable?: boolean;
  /** Takes one notice for people. */
  notice: (text: string) => void;
  /** Milliseconds that closing waits for the database. */
  patience?: number;
  /** Bytes that wait on disk at most. Default 1 GiB. */
  mostBytes?: number;
}

/** Told of a line. */
interface Listeners {
  /** It is with the system. */
  onKept?: ((count: number) => void) | undefined;
  /** The database has it. */
  onShipped?: ((row: Row) => void) | undefined;
}

const ENDING = '.ndjson';
const MIB = 1024 * 1024;
const MOST_BYTES = 1024 * MIB;
/** Of lines that the disk does not take. */
const MOST_IN_MEMORY = 64 * MIB;
/** Of what was shipped, and is not dropped as long as more is to be shipped. */
const MOST_SHIPPED = 64 * MIB;
/** Milliseconds. */
const SHIP_AFTER = 50;
const RETRY_AFTER = 1000;
const SWEEP_EVERY = 60_000;

/**
 * What a gate has for the database: the lines of a journal of its own, which are with the system before the answers of their turn go
 * out, and are shipped behind. The database knows up to which line of which outbox it has them: none is shipped twice.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #id: string;
  readonly #file: string;
  readonly #lock: Lock;
  #journal: Journal;
  readonly #notices: TroubleNotices<keyof typeof RISKS>;
  readonly #writeBeforeAnswers = beforeAnswers(() => {
    // A disk that takes nothing is not tried again by each answer.
    if (this.#journalTrouble === undefined) this.#write();
  });
  /** Lines of this turn, or since the disk stopped taking them. */
  #unwritten: { line: Buffer; onKept: Listeners['onKept'] }[] = [];
  #unwrittenBytes = 0;
  /** Numbers of the last lines. */
  #appended = 0;
  #shipped = 0;
  /** Where what was shipped ends in the journal. */
  #shippedBytes = 0;
  /** By the numbers of their lines. */
  readonly #onShipped = new Map<number, (row: Row) => void>();
  #lost = 0;
  #lostWhy: Error | undefined;
  #hasToldOfRefused = false;
  #journalTrouble: Error | undefined;
  #shipTrouble: Error | undefined;
  #shipping: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sweeper: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Outboxes of which was said why they stay. */
  readonly #told = new Set<string>();

  private constructor(options: OutboxOptions) {
    const { folder, notice } = options;
    this.#options = options;
    this.#id = `${options.database.id}.${randomBytes(8).toString('hex')}`;
    this.#file = join(folder, this.#id + ENDING);
    this.#lock = lockOf(this.#file);
    hideFromGit(folder);
    this.#journal = this.#newJournal();
    this.#notices = new TroubleNotices('RECORDING INTO THE DATABASE FAILS', RISKS, notice);
  }

  /** Opens one, and ships what ended processes have left in the folder. @throws PatchgateError `cannot-write` */
  static async open(options: OutboxOptions): Promise<Outbox> {
    try {
      makeFolders(options.folder, options.isDurable ?? false);
    } catch (error) {
      throw cannotWrite(options.folder, error);
    }
    const outbox = new Outbox(options);
    // What was recorded before this run comes before what this run records.
    await outbox.#sweep();
    outbox.#sweeper = setInterval(() => void outbox.#sweep(), SWEEP_EVERY).unref();
    return outbox;
  }

  /** Never throws: what cannot be kept is counted. @param text JSON without line feeds */
  append(head: Line['head'], text: string, { onKept, onShipped }: Listeners = {}): void {
    const line = Buffer.from(lineText(this.#appended + 1, head, text));
    if (this.#unwrittenBytes > MOST_IN_MEMORY && this.#journalTrouble === undefined) this.#write();
    const { mostBytes = MOST_BYTES } = this.#options;
    const bytes = this.counts.journalBytes + this.#unwrittenBytes + line.length;
    if (this.#unwrittenBytes > MOST_IN_MEMORY || bytes > mostBytes) {
      const why = this.#journalTrouble ?? this.#shipTrouble;
      this.#lose(why ?? new Error(`${this.#file} grows faster than the database takes it`));
      return;
    }
    this.#appended++;
    this.#unwritten.push({ line, onKept });
    this.#unwrittenBytes += line.length;
    if (onShipped) this.#onShipped.set(this.#appended, onShipped);
    this.#writeBeforeAnswers();
  }

  /** Something has no place in the database: the others go on. */
  refuse(why: Error): void {
    this.#lost++;
    this.#lostWhy = why;
    if (this.#hasToldOfRefused) return;
    this.#hasToldOfRefused = true;
    this.#options.notice(`A LINE IS NOT RECORDED: ${why.message}${hintOf(why)}. This is not said again`);
  }

  #lose(why: Error, count = 1): void {
    this.#lost += count;
    this.#lostWhy = why;
    this.#notices.trouble(why, 'losing');
  }

  get counts() {
    return {
      waiting: this.#appended - this.#shipped,
      lost: this.#lost,
      journalBytes: this.#journal.size - this.#shippedBytes,
    };
  }

  /** Why something is lost or waits; undefined while all is well. */
  get trouble(): Error | undefined {
    if (this.#lost > 0) return this.#notKept(this.#lost);
    return this.#journalTrouble ?? this.#shipTrouble;
  }

  /** The disk takes lines. */
  get isWritable(): boolean {
    return this.#journalTrouble === undefined;
  }

  /** Resolves when the database has all that there is now, or it was tried. */
  async flush(): Promise<void> {
    this.#write();
    await this.#shipping;
    await this.#ship();
  }

  /** Ships what there is; the rest stays for the next start in the folder. @throws PatchgateError `cannot-write` where something is lost */
  async close(): Promise<void> {
    const { notice, patience = 10_000 } = this.#options;
    clearInterval(this.#sweeper);
    await Promise.race([this.flush(), wait(patience, undefined, { ref: false })]);
    clearTimeout(this.#timer);
    this.#isClosed = true;
    const { waiting } = this.counts;
    const inMemory = this.#unwritten.length;
    if (waiting > inMemory)
      notice(
        `waiting for the database in ${this.#file}: ${amount(waiting - inMemory, 'line')} of what was recorded, which the next start in this folder ships`,
      );
    this.#journal.close();
    this.#lock.release();
    if (waiting === 0) await this.#forget(this.#id);
    if (this.#lost + inMemory > 0) throw this.#notKept(this.#lost + inMemory);
  }

  /** All lines of this turn, and what could not be written before, in one write: of a disk that is nearly full, as many as it takes. */
  #write(): void {
    if (this.#unwritten.length === 0) return;
    try {
      if (this.#journal.isGone) this.#beginAnew();
      const lines = this.#appendMost();
      this.#unwritten = this.#unwritten.slice(lines.length);
      for (const { line } of lines) this.#unwrittenBytes -= line.length;
      if (this.#unwritten.length === 0) this.#journalTrouble = undefined;
      for (const { onKept } of lines) onKept?.(1);
      this.#wake(SHIP_AFTER);
    } catch (error) {
      this.#journalTrouble = error as Error;
      this.#wake(RETRY_AFTER);
    }
    this.#tell();
  }

  /** @returns those that the disk has taken. @throws PatchgateError `cannot-write` where it takes none */
  #appendMost() {
    for (let count = this.#unwritten.length; ; count >>= 1) {
      const lines = this.#unwritten.slice(0, count);
      try {
        this.#journal.append(Buffer.concat(lines.map(({ line }) => line)));
        return lines;
      } catch (error) {
        if (count === 1) throw error;
        this.#journalTrouble = error as Error;
      }
    }
  }

  /** Somebody has removed the folder. */
  #beginAnew(): void {
    const gone = this.counts.waiting - this.#unwritten.length;
    if (gone > 0) this.#lose(new Error(`${this.#file} was removed`), gone);
    this.#shipped += gone;
    this.#shippedBytes = 0;
    this.#journal.close();
    this.#journal = this.#newJournal();
  }

  #newJournal(): Journal {
    return new Journal(this.#file, { isDurable: this.#options.isDurable ?? false });
  }

  #wake(delay: number): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#write();
      void this.#ship();
    }, delay).unref();
  }

  /** One at a time. Never rejects. */
  #ship(): Promise<void> {
    this.#shipping ??= this.#shipAll().finally(() => {
      this.#shipping = undefined;
    });
    return this.#shipping;
  }

  async #shipAll(): Promise<void> {
    try {
      while (!this.#isClosed && this.#shippedBytes < this.#journal.size) await this.#shipBatch();
      this.#shipTrouble = undefined;
    } catch (error) {
      // Its hint is for who sent a request.
      this.#shipTrouble = new Error(messageOf(error), { cause: error });
      this.#wake(RETRY_AFTER);
    }
    this.#tell();
  }

  async #shipBatch(): Promise<void> {
    const { database } = this.#options;
    const journal = this.#journal;
    const range = [this.#shippedBytes, journal.size] as const;
    const batch = await shipNext(database, this.#id, this.#file, range, (why) => this.refuse(why));
    if (this.#isClosed || journal !== this.#journal) return;
    if (!batch) throw new Error(`${this.#file} was changed`);
    for (const row of batch.rows) this.#onShipped.get(row.seq)?.(row);
    this.#shipped = Math.max(this.#shipped, batch.seq);
    // In the order of their numbers. Of some it is not known where they stand: they were refused, or shipped before an answer was lost.
    for (const seq of this.#onShipped.keys()) {
      if (seq > this.#shipped) break;
      this.#onShipped.delete(seq);
    }
    this.#shippedBytes = batch.end;
    if (batch.end < journal.size && batch.end < Math.max(MOST_SHIPPED, journal.size / 2)) return;
    journal.drop(batch.end);
    this.#shippedBytes = 0;
  }

  /** Ships what ended processes have left in the folder. Never rejects. */
  async #sweep(): Promise<void> {
    const { folder, notice } = this.#options;
    const names = existsSync(folder) ? readdirSync(folder) : [];
    for (const name of names) {
      const file = join(folder, name);
      if (!name.endsWith(ENDING) || file === this.#file) continue;
      try {
        const lock = lockOf(file);
        try {
          await this.#shipLeft(file);
        } finally {
          lock.release();
        }
      } catch (error) {
        const isLiving = error instanceof PatchgateError && error.details?.host === hostname();
        if (isLiving || this.#told.has(name)) continue;
        this.#told.add(name);
        notice(`${file} keeps what is not in the database yet: ${messageOf(error)}${hintOf(error as Error)}`);
      }
    }
  }

  async #shipLeft(file: string): Promise<void> {
    const { database, notice } = this.#options;
    const id = basename(file, ENDING);
    // Its own gate may have closed it meanwhile.
    if (!existsSync(file)) return;
    // Those of former versions say no database.
    if (id.includes('.') && !id.startsWith(`${database.id}.`))
      throw new Error(
        `it is for another database than ${database.name}. Start a gate with --store of that database in this folder, or delete the file`,
      );
    for (let from = 0; ; ) {
      const batch = await shipNext(database, id, file, [from, Number.POSITIVE_INFINITY], (why) =>
        this.refuse(why),
      );
      if (!batch) break;
      from = batch.end;
    }
    rmSync(file, { force: true });
    await this.#forget(id);
    notice(`what an earlier run had left in ${file} is in the database now`);
  }

  /** Its file is gone: nothing of it can come again. */
  async #forget(id: string): Promise<void> {
    await this.#options.database
      .query('DELETE FROM patchgate_outbox WHERE id = $1', [id])
      .catch(() => undefined);
  }

  #tell(): void {
    const reason = this.#journalTrouble ?? this.#shipTrouble;
    if (reason) this.#notices.trouble(reason, this.#journalTrouble ? 'memory' : 'journal');
    else if (this.counts.waiting === 0) {
      const missing =
        this.#lost > 0 ? `, but ${amount(this.#lost, 'line')} did not reach it` : ': nothing is missing';
      this.#notices.over(`recording into the database works again${missing}`);
    }
  }

  #notKept(count: number): PatchgateError {
    const why = this.#lostWhy ?? this.#journalTrouble;
    return new PatchgateError(
      'cannot-write',
      `${amount(count, 'line')} of what was recorded did not reach the database: ${messageOf(why)}`,
      { hint: 'look after the database and the disk, then record again', cause: why },
    );
  }
}

const RISKS = {
  journal: 'Nothing is lost: it stays in the outbox of this gate until the database takes it.',
  memory: 'What is recorded now is only in memory, and lost if this process is killed.',
  losing: 'No more fits in the outbox of this gate: it is lost from now on.',
};

function lockOf(file: string): Lock {
  return takeLock(file, `${file}.lock`, {
    thing: 'the outbox',
    doing: 'recording into it',
    instead: { here: 'wait for it', elsewhere: 'wait for it' },
    place: 'give another folder with --state',
  });
}
