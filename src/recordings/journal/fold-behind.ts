import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Journal } from './journal.ts';
import type { Waiting, WaitingFiles } from './waiting-files.ts';

/** Nothing came for so many ticks: then it is time to write. Ticks, since a process that is held still is not idle. */
const TICK_MS = 100;
const QUIET_TICKS = 3;
/** After a pass there is none for so many times its length, so that writing leaves the time to the requests. */
const PAUSE = 9;
const PAUSE_AFTER_FAILURE_MS = 1000;
/** Files of so many bytes wait until one part of so many is new. */
const LARGE = 1024 * 1024;
const SHARE = 4;
/** Files that may wait while requests come: each takes some hundred bytes of memory. */
const MOST_WAITING = 65_536;
/** Work at a stretch, and the rest after it as long as requests come. */
const WORK_MS = 3;
const REST_MS = 9;

/**
 * Moves what the journal holds into its files: when nothing has come for a while, when too much waits, or when asked.
 * What could not be written stays in the journal, for the next pass.
 */
export class FoldBehind {
  /** Why the last pass could not write something; undefined once everything is written. */
  trouble: Error | undefined;
  readonly #journal: Journal;
  readonly #waiting: WaitingFiles;
  readonly #limit: number;
  readonly #fold: (key: string) => Promise<number>;
  readonly #sizeOf: (place: Waiting['place']) => number;
  readonly #onPass: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** Ticks since the last exchange came; whether one came since the last pass. */
  #quiet = 0;
  #hasNew = false;
  #passes: Promise<void> = Promise.resolve();
  #passesLeft = 0;
  /** Somebody waits for it. */
  #isUrgent = false;
  #notBefore = 0;
  #rewritten = 0;
  /** The last pass left something in the journal, because little of its file was new. */
  #hasPostponed = false;
  #workingSince = 0;

  /**
   * @param limit bytes of lines that may wait while requests come
   * @param fold writes one file; resolves with its size
   * @param sizeOf bytes of a file as it is
   * @param onPass told after each attempt to write everything
   */
  constructor(
    journal: Journal,
    waiting: WaitingFiles,
    limit: number,
    fold: (key: string) => Promise<number>,
    sizeOf: (place: Waiting['place']) => number,
    onPass: () => void,
  ) {
    this.#journal = journal;
    this.#waiting = waiting;
    this.#limit = limit;
    this.#fold = fold;
    this.#sizeOf = sizeOf;
    this.#onPass = onPass;
  }

  /** An exchange came. Called on a request's path. */
  noticed(): void {
    this.#quiet = 0;
    this.#hasNew = true;
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#tick(), TICK_MS);
      // Waiting to write is no reason for a process to live on; closing the store writes.
      this.#timer.unref();
    }
    // Files that grow are written again when half as much is new: each byte is then written three times at most.
    const most = Math.max(this.#limit, this.#rewritten / 2);
    if (this.#journal.size > most || this.#waiting.size > MOST_WAITING) this.#passInTime();
  }

  /** Resolves after an attempt to write everything that waits; `trouble` says how it went. */
  async flush(): Promise<void> {
    this.#isUrgent = true;
    await this.#next();
    this.#isUrgent = this.#passesLeft > 0 && this.#isUrgent;
  }

  /** To be called between two small pieces of work, and waited for where there is something to wait for. */
  breathe(): Promise<void> | undefined {
    return performance.now() - this.#workingSince < WORK_MS ? undefined : this.#rest();
  }

  async #rest(): Promise<void> {
    if (this.#isUrgent || this.#quiet > 0) await nextTurn();
    else await sleep(REST_MS);
    this.#workingSince = performance.now();
  }

  #tick(): void {
    this.#quiet++;
    if (this.#waiting.size === 0 && this.#passesLeft === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else if (this.#quiet >= QUIET_TICKS && (this.#hasNew || this.trouble)) this.#passInTime();
  }

  #passInTime(): void {
    if (this.#passesLeft === 0 && performance.now() >= this.#notBefore) void this.#next();
  }

  #next(): Promise<void> {
    this.#passesLeft++;
    this.#passes = this.#passes.then(async () => {
      await this.#pass();
      this.#passesLeft--;
    });
    return this.#passes;
  }

  /** Each byte of a large file is written again a few times at most, however often something is added. */
  #isDue(key: string, place: Waiting['place']): boolean {
    const size = this.#sizeOf(place);
    return size < LARGE || this.#waiting.bytesOf(key) * SHARE > size;
  }

  async #pass(): Promise<void> {
    const start = performance.now();
    this.#workingSince = start;
    this.#hasNew = false;
    this.#journal.retry();
    // What could not be written before keeps the files of the journal: further ones would only pile up.
    if (this.trouble === undefined && !this.#hasPostponed) this.#journal.rotate();
    const isAll = this.#isUrgent || this.#journal.size > this.#limit;
    this.#hasPostponed = false;
    // What is added from here on is for the next pass: this one must end.
    const files = this.#waiting.all();
    let trouble: Error | undefined;
    this.#rewritten = 0;
    for (const { key, place } of files) {
      if (!isAll && !this.#isDue(key, place)) {
        this.#hasPostponed = true;
        continue;
      }
      try {
        const size = await this.#fold(key);
        this.#rewritten += size;
      } catch (error) {
        trouble ??= error as Error;
      }
    }
    try {
      this.#journal.release(this.#waiting.first ?? this.#journal.end);
    } catch (error) {
      trouble ??= error as Error;
    }
    this.trouble = trouble;
    const now = performance.now();
    this.#notBefore = now + Math.max(PAUSE * (now - start), trouble ? PAUSE_AFTER_FAILURE_MS : 0);
    this.#onPass();
  }
}
