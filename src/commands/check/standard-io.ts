import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import { amount, grouped } from '../../reporters/wording.ts';
import { isColoured } from '../output.ts';
import type { CheckIo } from './run-check.ts';

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
    stdout: writeOut,
    stderr: toStderr,
    isColoured: isColoured(stdout, env),
    env,
    cwd: process.cwd(),
    today: new Date().toISOString().slice(0, 10),
    ...(showsProgress && { progress: new ProgressLine(toStderr, () => performance.now()) }),
  };
}

/** @returns false where the reader has seen enough (`| head`), which is no failure */
async function writeOut(text: string): Promise<boolean> {
  const { stdout } = process;
  return new Promise((resolve, reject) => {
    // The callback has the error too; without a listener it would end the process.
    const ignore = () => undefined;
    stdout.once('error', ignore);
    stdout.write(text, (error) => {
      if (!error) stdout.off('error', ignore);
      if (!error || systemCode(error) === 'EPIPE') return resolve(!error);
      const message = `cannot write the report: ${messageOf(error)}`;
      reject(new PatchgateError('cannot-write', message, { cause: error }));
    });
  });
}

export interface Progress {
  /** Files that were judged. */
  files: number;
  of: number;
  /** Requests that were judged. */
  judged: number;
}

/** Milliseconds before the line is shown, and between two of it. */
const FIRST = 500;
const BETWEEN = 100;

/** Is told how far a check is. */
export interface ProgressIo {
  readonly progress?: Pick<ProgressLine, 'tell' | 'clear'>;
}

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

  tell({ files, of, judged }: Progress): void {
    this.show(() => `judged ${amount(judged, 'request')}, ${grouped(files)} of ${amount(of, 'file')}`);
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
