import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { messageOf, PatchgateError } from '../errors.ts';
import { cannotWrite, HIDDEN, hideFromGit, LOCK, makeFolders, removeQuietly } from '../recordings/disk.ts';
import { type MergeMode, segmentFiles, segmentsIn } from '../recordings/journal.ts';
import { type Lock, takeLock } from '../recordings/lock.ts';
import type { PlainExchange } from '../recordings/plain-exchange.ts';
import type { RecordingStatus } from '../recordings/store.ts';
import { openWriter, type Writer, type WriterOptions } from '../recordings/writer.ts';
import { amount } from '../reporters/wording.ts';
import type { Database } from './database.ts';
import { insertFrames } from './frames.ts';

interface OutboxOptions {
  database: Database;
  /** Of the outboxes of all gates here; made if it is missing. */
  folder: string;
  /** The recording that its exchanges are for. */
  recording: string;
  /** Whether they take the places of those of earlier runs. */
  mode: MergeMode;
  /** Takes one notice for people. */
  notice: (text: string) => void;
}

/** Milliseconds from writing to inserting, and that closing waits for the database. */
const SHIP_AFTER = 200;
const CLOSE_WITHIN = 5000;
/** Frames of one segment have numbers from so many times its own on. */
const NUMBERS = 10_000_000;

/**
 * What a gate records for the database. A frame is in a journal before the answers of its turn go out, and inserted soon after; the
 * journal bridges an outage, and the next start ships what a killed process has left. Frames are numbered: none is inserted twice.
 */
export class Outbox {
  readonly #folder: string;
  readonly #notice: OutboxOptions['notice'];
  readonly #lock: Lock;
  readonly #writer: Writer;
  #timer: NodeJS.Timeout | undefined;

  private constructor({ database, recording, mode, notice }: OutboxOptions, root: string) {
    this.#folder = join(root, `${encodeURIComponent(recording)}~${randomBytes(6).toString('hex')}`);
    this.#notice = notice;
    this.#lock = lockOf(this.#folder);
    const merge: WriterOptions['merge'] = ({ below }) => ship(database, recording, this.#folder, below);
    this.#writer = openWriter(this.#folder, { merge, mode, onNotice: notice });
  }

  /** Opens one, after what ended processes have left is in the database. @throws PatchgateError `cannot-write` */
  static async open(options: OutboxOptions): Promise<Outbox> {
    const { folder, database } = options;
    const root = join(folder, encodeURIComponent(database.name));
    try {
      makeFolders(root);
      hideFromGit(folder);
    } catch (error) {
      throw cannotWrite(root, error);
    }
    await shipLeft(options, root);
    return new Outbox(options, root);
  }

  /** Never throws: what cannot be kept is counted. */
  append(frame: PlainExchange): void {
    this.#writer.append(frame);
    this.#timer ??= setTimeout(() => void this.flush(), SHIP_AFTER).unref();
  }

  /** Keeps a line of the audit, which travels as a frame without a method. @param text JSON */
  appendAudit(at: string, text: string): void {
    const none = { headers: [], body: Buffer.alloc(0) };
    const request = { ...none, method: '', path: '', query: '', body: Buffer.from(text) };
    const meta = { recordedAt: at, durationMs: 0 };
    this.append({ request, response: { ...none, status: 0 }, meta });
  }

  status(): RecordingStatus {
    const { waiting, unmerged, ...others } = this.#writer.status();
    return { ...others, waiting: waiting + unmerged };
  }

  /** Resolves when the database has all that there is now, or it was tried. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#writer.flush().catch(() => undefined);
  }

  /** Ships all it can; the rest stays in the folder for the next start. @throws PatchgateError `cannot-write` if something is lost */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      await Promise.race([this.#writer.close(), wait(CLOSE_WITHIN, undefined, { ref: false })]);
    } catch (error) {
      if (error instanceof PatchgateError && error.code === 'cannot-write') throw error;
    } finally {
      this.#lock.release();
      const { waiting } = this.status();
      const what = `waiting for the database in ${this.#folder}: ${amount(waiting, 'line')} of what was recorded`;
      if (waiting > 0) this.#notice(`${what}, which the next start here ships`);
      else rmSync(this.#folder, { recursive: true, force: true });
    }
  }
}

/** Inserts what an outbox holds. @param below number of the segment that its process goes on in */
async function ship(database: Database, recording: string, root: string, below?: number): Promise<void> {
  for (const segment of segmentsIn(segmentFiles(join(root, HIDDEN), below))) {
    const first = segment.number * NUMBERS;
    await insertFrames(database, { recording, ...segment, first }, segment.frames);
    removeQuietly(segment.file);
  }
}

/** Ships what ended processes have left for this database. Never rejects. */
async function shipLeft({ database, notice }: OutboxOptions, root: string): Promise<void> {
  for (const name of readdirSync(root)) {
    const folder = join(root, name);
    let lock: Lock | undefined;
    try {
      lock = lockOf(folder);
      await ship(database, decodeURIComponent(name.slice(0, name.lastIndexOf('~'))), folder);
      rmSync(folder, { recursive: true, force: true });
      notice(`what an earlier run had left in ${folder} is in the database now`);
    } catch (error) {
      lock?.release();
      const isLiving = error instanceof PatchgateError && error.details?.host === hostname();
      if (!isLiving) notice(`${folder} keeps what the database has not yet: ${messageOf(error)}`);
    }
  }
}

function lockOf(folder: string): Lock {
  return takeLock(join(folder, LOCK), `the outbox ${folder}`, 'give another folder with --state');
}
