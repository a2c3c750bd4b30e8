import { join } from 'node:path';
import { PatchgateError } from '../errors.ts';
import { beforeAnswers } from '../http/end-of-turn.ts';
import { HIDDEN } from './disk.ts';
import { encodeFrame, Journal, type MergeMode } from './journal.ts';
import type { PlainExchange } from './plain-exchange.ts';

export interface WriterOptions {
  mode: MergeMode;
  /** Takes all segments to where they are for. */
  merge: (how: { ends: boolean; signal: AbortSignal }) => Promise<void>;
  /** Says in a sentence when the disk stops taking exchanges, when some are lost, and when all is well again. */
  onNotice?: ((notice: string) => void) | undefined;
  /** Gets the count of exchanges that are with the system now. */
  onKept?: ((count: number) => void) | undefined;
  /** Milliseconds that `close` may take; what is left is merged by the next start. Default: as long as it takes. */
  closeWithin?: number | undefined;
  /** Bytes of the journal from which it is merged while requests come, and of frames that are kept while the disk does not take them. */
  mostBytes?: number | undefined;
}

const MOST_BYTES = 64 * 1024 * 1024;
/** Nothing has come for so long: then it is merged. */
const QUIET_MS = 1000;
/** Past this, people learn what `close` is doing. */
const PATIENCE_MS = 1000;

/** By how bad it is. */
const RISKS = [
  'Nothing is lost: it stays in the journal, and gets into its file as soon as that can be written, at the next start at the latest.',
  'What is recorded now is only in memory, and lost if this process is killed.',
  'No more fits in memory: exchanges are lost from now on.',
];

/** Records into a folder: frames go to the journal before the answers of their turn go out, and from there into the files. */
export class Writer {
  readonly #root: string;
  readonly #options: WriterOptions;
  readonly #most: number;
  readonly #journal: Journal;
  /** The worst risk that was told, from 1. */
  #told = 0;
  readonly #quiet: NodeJS.Timeout;
  readonly #stop = new AbortController();
  /** Frames of this turn, or since the disk stopped taking them. */
  #frames: Buffer[] = [];
  #bytes = 0;
  /** Exchanges that no file has. */
  #unmerged = 0;
  #lost = 0;
  #lostWhy: Error | undefined;
  #journalTrouble: Error | undefined;
  #fileTrouble: Error | undefined;
  #merging: Promise<void> = Promise.resolve();
  #isMerging = false;
  #isClosing = false;
  readonly #writeOnce = () => {
    // A disk that takes nothing is not tried again by each answer.
    if (this.#journalTrouble === undefined) this.#write();
  };

  constructor(root: string, options: WriterOptions) {
    this.#root = root;
    this.#options = options;
    this.#most = options.mostBytes ?? MOST_BYTES;
    this.#journal = new Journal(join(root, HIDDEN), options.mode);
    this.#quiet = setTimeout(() => void this.#merge(), QUIET_MS).unref();
  }

  get mode(): MergeMode {
    return this.#options.mode;
  }

  /** Exchanges that are in the journal alone. */
  get unmerged(): number {
    return this.#unmerged;
  }

  get counts() {
    return { waiting: this.#frames.length, lost: this.#lost, journalBytes: this.#journal.size };
  }

  get takesExchanges(): boolean {
    return this.#journalTrouble === undefined;
  }

  get trouble(): Error | undefined {
    return this.#lost > 0 ? this.#notKept(this.#lost) : (this.#journalTrouble ?? this.#fileTrouble);
  }

  /** @returns whether it is kept */
  append(exchange: PlainExchange): boolean {
    if (this.#bytes > this.#most) this.#write();
    if (this.#bytes > this.#most) {
      this.#lost++;
      this.#lostWhy = this.#journalTrouble;
      this.#tell();
      return false;
    }
    const frame = encodeFrame(exchange);
    this.#frames.push(frame);
    this.#bytes += frame.length;
    beforeAnswers(this.#writeOnce);
    return true;
  }

  /** Resolves once all is in its file, or rejects with why it is not. */
  async flush(): Promise<void> {
    await this.#merge();
    if (this.trouble && this.#lost + this.#frames.length + this.#unmerged > 0) throw this.trouble;
  }

  /** @throws PatchgateError if something is not in its file */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#quiet);
    const { closeWithin, onNotice } = this.#options;
    const patience = setTimeout(() => {
      onNotice?.(`writing what was recorded last (${this.#unmerged}) into the files of ${this.#root} …`);
    }, PATIENCE_MS);
    const limit = closeWithin === undefined ? undefined : setTimeout(() => this.#stop.abort(), closeWithin);
    await this.#merge();
    clearTimeout(patience);
    clearTimeout(limit);
    this.#journal.close();
    const lost = this.#lost + this.#frames.length;
    if (lost > 0) throw this.#notKept(lost);
    if (this.#stop.signal.aborted && this.#unmerged > 0) {
      const what = `${amountOf(this.#unmerged)} not in the files of ${this.#root} yet`;
      const hint = 'nothing is lost: start patchgate with this recording again before you commit it';
      throw new PatchgateError('interrupted', what, { hint });
    }
    if (this.#fileTrouble) throw this.#fileTrouble;
  }

  /** All frames of this turn, and what could not be written before, in one write. */
  #write(): void {
    const count = this.#frames.length;
    if (count === 0) return;
    try {
      this.#journal.append(this.#frames);
      this.#frames = [];
      this.#bytes = 0;
      this.#unmerged += count;
      this.#journalTrouble = undefined;
      this.#options.onKept?.(count);
    } catch (error) {
      this.#journalTrouble = error as Error;
    }
    if (!this.#isClosing) this.#quiet.refresh();
    if (this.#journal.size > this.#most) this.#cut();
    this.#tell();
  }

  /** One after the other. Never rejects. */
  #merge(): Promise<void> {
    this.#merging = this.#merging.then(() => this.#mergeNow());
    return this.#merging;
  }

  async #mergeNow(): Promise<void> {
    this.#write();
    const { signal } = this.#stop;
    if (signal.aborted || (this.#unmerged === 0 && !this.#isClosing)) return;
    this.#isMerging = true;
    const count = this.#unmerged;
    const ends = this.#isClosing;
    try {
      this.#journal.rotate();
      await this.#options.merge({ ends, signal });
      this.#unmerged -= count;
      this.#fileTrouble = undefined;
    } catch (error) {
      this.#fileTrouble = error as Error;
      if (!this.#isClosing) this.#quiet.refresh();
    }
    this.#isMerging = false;
    this.#tell();
  }

  /** Makes a segment of the journal. It is read whole: while one is merged, the next must not grow without end. */
  #cut(): void {
    try {
      this.#journal.rotate();
    } catch (error) {
      this.#fileTrouble = error as Error;
    }
    if (!this.#isMerging) void this.#merge();
  }

  /** Says when trouble begins, when it becomes worse, and when it is over: once each. */
  #tell(): void {
    const reason = this.#journalTrouble ?? this.#fileTrouble;
    const level = reason === undefined ? 0 : this.#bytes > this.#most ? 3 : this.#journalTrouble ? 2 : 1;
    if (level === 0 ? this.#told === 0 : level <= this.#told) return;
    this.#told = level;
    const hint = reason instanceof PatchgateError && reason.hint ? ` (${reason.hint})` : '';
    const missing =
      this.#lost > 0 ? `, but ${amountOf(this.#lost)} not kept: record again` : ': nothing is missing';
    this.#options.onNotice?.(
      reason
        ? `RECORDING FAILS: ${reason.message}. ${RISKS[level - 1]}${hint}`
        : `recording into ${this.#root} works again${missing}`,
    );
  }

  #notKept(count: number): PatchgateError {
    const cause = this.#journalTrouble ?? this.#lostWhy;
    const reason = cause ? `: ${cause.message}` : '';
    return new PatchgateError('cannot-write', `${amountOf(count)} not kept in ${this.#root}${reason}`, {
      hint: 'make room on the disk or correct the permissions, then record again',
      cause,
    });
  }
}

function amountOf(count: number): string {
  return count === 1 ? '1 exchange was' : `${count} exchanges were`;
}
