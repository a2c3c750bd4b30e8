import { PatchgateError } from '../errors.ts';

/** Says when trouble with the disk begins, when it becomes worse, and when it is over: once each. */
export class TroubleNotices<Level extends string> {
  readonly #begins: string;
  readonly #risks: Readonly<Record<Level, string>>;
  readonly #notice: (text: string) => void;
  /** How many levels were told. */
  #told = 0;

  /**
   * @param begins what does not work
   * @param risks what is at risk, by how bad it is, the least first
   */
  constructor(begins: string, risks: Readonly<Record<Level, string>>, notice: (text: string) => void) {
    this.#begins = begins;
    this.#risks = risks;
    this.#notice = notice;
  }

  trouble(reason: Error, level: Level): void {
    const rank = Object.keys(this.#risks).indexOf(level) + 1;
    if (rank <= this.#told) return;
    this.#told = rank;
    this.#notice(`${this.#begins}: ${reason.message}. ${this.#risks[level]}${hintOf(reason)}`);
  }

  /** @param text said only if something was said before */
  over(text: string): void {
    if (this.#told > 0) this.#notice(text);
    this.#told = 0;
  }
}

/** ` (make room)` */
export function hintOf(reason: Error): string {
  return reason instanceof PatchgateError && reason.hint ? ` (${reason.hint})` : '';
}
