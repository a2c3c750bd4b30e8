import { messageOf, type PatchgateError } from '../../errors.ts';

/** How bad it is: `journal` is what a restart would know all the same, `memory` what it would not. */
type Level = 'well' | 'journal' | 'memory';

const RISK: Readonly<Record<Exclude<Level, 'well'>, string>> = {
  journal: 'Nothing is lost: it stays in the journal beside the file, which a restart reads too.',
  memory: 'What is learnt from here on is only in memory: a restart would not know it.',
};
const ORDER: readonly Level[] = ['well', 'journal', 'memory'];

/** Says when trouble with the state file begins, when it becomes worse, and when it is over: once each. */
export class KeepingNotices {
  readonly #file: string;
  readonly #notice: (text: string) => void;
  #level: Level = 'well';

  constructor(file: string, notice: (text: string) => void) {
    this.#file = file;
    this.#notice = notice;
  }

  trouble(reason: PatchgateError, level: Exclude<Level, 'well'>): void {
    const isWorse = ORDER.indexOf(level) > ORDER.indexOf(this.#level);
    this.#level = level;
    if (!isWorse) return;
    const hint = reason.hint ? ` (${reason.hint})` : '';
    this.#notice(`WHAT IS KNOWN CANNOT BE WRITTEN: ${reason.message}. ${RISK[level]}${hint}`);
  }

  well(): void {
    if (this.#level === 'well') return;
    this.#level = 'well';
    this.#notice(`what is known is kept in ${this.#file} again: nothing is missing`);
  }

  /** What another process has written is broken, or cannot be read. */
  unread(reason: unknown): void {
    this.#notice(`what another process has learnt is not known here: ${messageOf(reason)}`);
  }

  /** Another process keeps the file. */
  elsewhere(reason: PatchgateError): void {
    const hint = reason.hint ? ` (${reason.hint})` : '';
    this.#notice(`${reason.message}. What is learnt here is not kept: a restart would not know it.${hint}`);
  }
}
