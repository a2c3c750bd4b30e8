import { BEFORE, type TextStart } from './text-lines.ts';

/** How far a file has been read, by lines and columns: a file that is never in memory as a whole. */
export class TextPosition {
  #line = 1;
  #column = 1;
  #lead = '';

  /** What was read ends with this text. */
  pass(text: string): void {
    // From the front: to look for the last one takes longer than to find them all.
    let last = -1;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
      this.#line++;
      last = at;
    }
    this.#column = last < 0 ? this.#column + text.length : text.length - last;
    const rest = last < 0 ? text : text.slice(last + 1);
    this.#lead = last < 0 && rest.length < BEFORE ? (this.#lead + rest).slice(-BEFORE) : rest.slice(-BEFORE);
  }

  /** Where what follows begins. */
  get start(): TextStart {
    return { line: this.#line, column: this.#column, lead: this.#lead };
  }
}
