import { isColoured, standardOutput } from '../output.ts';
import type { InputIo } from './read-input.ts';
import type { ReportIo } from './write-reports.ts';

export interface CheckIo extends InputIo, ProgressIo, ReportIo {}

/** Is told how far a check is. */
export interface ProgressIo {
  readonly progress?: Pick<ProgressLine, 'show' | 'clear'>;
}

/** Those of the process. */
export function standardIo(): CheckIo & { readonly progress?: ProgressLine } {
  const { env, stderr, stdout } = process;
  const toStderr = (text: string) => void stderr.write(text);
  // The log of a CI system keeps every line, so that one which is written over fills it.
  const showsProgress = stderr.isTTY && env.TERM !== 'dumb' && (env.CI ?? '') === '';
  return {
    get stdin() {
      return process.stdin;
    },
    stdout: standardOutput().write,
    stderr: toStderr,
    isColoured: isColoured(stdout, env),
    env,
    cwd: process.cwd(),
    ...(showsProgress && { progress: new ProgressLine(toStderr, () => performance.now()) }),
  };
}

/** Milliseconds before the line is shown, and between two of it. */
const FIRST = 500;
const BETWEEN = 100;

/** Shows on a terminal how far a run is: one line, written over itself. Nothing for what is done in half a second. */
export class ProgressLine {
  readonly #write: (text: string) => void;
  readonly #clock: () => number;
  #next: number;
  #isShown = false;

  /** @param clock milliseconds */
  constructor(write: (text: string) => void, clock: () => number) {
    this.#write = write;
    this.#clock = clock;
    this.#next = clock() + FIRST;
  }

  /** Costs next to nothing when it is not yet time. */
  show(text: () => string): void {
    const now = this.#clock();
    if (now < this.#next) return;
    this.#next = now + BETWEEN;
    this.#isShown = true;
    this.#write(`\r\u001b[K${text()}`);
  }

  /** Takes it off the terminal, before anything else is written. */
  clear(): void {
    if (this.#isShown) this.#write('\r\u001b[K');
    this.#isShown = false;
  }
}
