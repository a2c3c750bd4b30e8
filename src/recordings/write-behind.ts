import type { KeptFile } from './kept-file.ts';

/** Files written at the same time. */
const WRITERS = 4;
const SOON_MS = 50;
const LATEST_MS = 5000;
/** After a pass there is a pause of so many times its length, so that writing leaves the time to the requests. */
const PAUSE = 9;

/**
 * Writes changed files in the background: one pass at a time over all that changed, a file once per pass however many
 * exchanges it got. What could not be written stays, for the next pass.
 */
export class WriteBehind {
  /** Files with something that is not on disk yet, those being written included. */
  readonly waiting = new Set<KeptFile>();
  /** Bytes of exchanges that are not on disk yet, about. */
  backlog = 0;
  /** Why the last pass could not write something; undefined once everything is written. */
  trouble: Error | undefined;
  readonly #onSaved: (file: KeptFile) => void;
  #timer: NodeJS.Timeout | undefined;
  #pause = SOON_MS;
  #passes: Promise<void> = Promise.resolve();

  /** @param onSaved told of each file that is on disk as it is in memory */
  constructor(onSaved: (file: KeptFile) => void) {
    this.#onSaved = onSaved;
  }

  add(file: KeptFile, size: number): void {
    this.waiting.add(file);
    file.unsaved += size;
    this.backlog += size;
    this.#schedule();
  }

  /** Resolves after an attempt to write everything added so far; `trouble` says how it went. */
  flush(): Promise<void> {
    this.#passes = this.#passes.then(() => this.#pass());
    return this.#passes;
  }

  #schedule(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(async () => {
      const start = performance.now();
      await this.flush();
      this.#pause = Math.min(Math.max(SOON_MS, PAUSE * (performance.now() - start)), LATEST_MS);
      this.#timer = undefined;
      // After a failure the next exchange, or closing, tries again.
      if (this.waiting.size > 0 && !this.trouble) this.#schedule();
    }, this.#pause);
    // Waiting to write is no reason for a process to live on; closing the store writes.
    this.#timer.unref();
  }

  async #pass(): Promise<void> {
    // What is added from here on is for the next pass: this one must end.
    const files = [...this.waiting].values();
    let trouble: Error | undefined;
    const work = async () => {
      for (const file of files) {
        try {
          await this.#save(file);
        } catch (error) {
          trouble = error as Error;
        }
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, work));
    this.trouble = trouble;
  }

  async #save(file: KeptFile): Promise<void> {
    if (!file.isLoaded) await file.load();
    const { version, unsaved } = file;
    await file.save();
    file.unsaved -= unsaved;
    this.backlog -= unsaved;
    if (file.version !== version) return;
    this.waiting.delete(file);
    this.#onSaved(file);
  }
}
