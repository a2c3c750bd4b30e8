import type { Place } from '../../../json/json-text.ts';
import type { Excerpt } from '../../../reporters/report.ts';

/**
 * Code units of a line around a place, and how many of them before it. Fewer are shown: what stands around those says whether they
 * are a secret.
 */
const WIDTH = 500;
export const BEFORE = 300;

/** Where a part of a file begins. */
export interface TextStart extends Place {
  /** What stands before it on its line: the last `BEFORE` code units of that, where it is longer. */
  lead: string;
}

export const FILE_START: TextStart = { line: 1, column: 1, lead: '' };

/** The text of a file, or of a part of one, by its lines: for one in which many places are looked up. */
export class TextLines {
  /** With the lead. */
  readonly #text: string;
  readonly #start: TextStart;
  /** Offset in `#text` of each line's first character. */
  readonly #starts: number[] = [0];
  /** Code units of the first line that are not in `#text`. */
  readonly #missing: number;

  constructor(text: string, start: TextStart = FILE_START) {
    const whole = start.lead + text;
    this.#text = whole;
    this.#start = start;
    this.#missing = start.column - 1 - start.lead.length;
    for (let at = whole.indexOf('\n'); at >= 0; at = whole.indexOf('\n', at + 1)) this.#starts.push(at + 1);
  }

  /** The offset of a place of the file in the text, in UTF-16 code units from 0. */
  offsetOf({ line, column }: Place): number {
    return this.#at({ line, column }) - this.#start.lead.length;
  }

  /** The place in the file of an offset in the text. */
  placeOf(offset: number): Place {
    const at = offset + this.#start.lead.length;
    let low = 0;
    for (let high = this.#starts.length - 1; low < high; ) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] as number) <= at) low = middle;
      else high = middle - 1;
    }
    const column = at - (this.#starts[low] as number) + 1 + (low === 0 ? this.#missing : 0);
    return { line: this.#start.line + low, column };
  }

  /** The line around a place, with `…` for what was cut off. */
  excerptAt(place: Place): Excerpt {
    const at = this.#at(place);
    const number = place.line - this.#start.line;
    const lineStart = this.#starts[number] ?? this.#text.length;
    const next = this.#starts[number + 1];
    let lineEnd = next === undefined ? this.#text.length : next - 1;
    if (this.#text[lineEnd - 1] === '\r') lineEnd--;
    const start = at - lineStart > BEFORE ? at - BEFORE : lineStart;
    const end = Math.max(start, Math.min(lineEnd, start + WIDTH));
    const head = start > lineStart || (number === 0 && this.#missing > 0) ? '…' : '';
    const tail = end < lineEnd ? '…' : '';
    return { text: head + copyOf(this.#text.slice(start, end)) + tail, caret: head.length + at - start };
  }

  #at({ line, column }: Place): number {
    const number = line - this.#start.line;
    return (this.#starts[number] ?? this.#text.length) + column - 1 - (number === 0 ? this.#missing : 0);
  }
}

/** A slice would keep the whole file's text in memory for as long as the report is. */
function copyOf(slice: string): string {
  return Buffer.from(slice, 'utf16le').toString('utf16le');
}
