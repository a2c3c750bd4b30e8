import type { Place } from '../../model/json-text.ts';
import type { Excerpt } from '../../reporters/report.ts';

/** Code units of a line that are shown at most, and how many of them before the place. */
const WIDTH = 100;
const BEFORE = 50;

/** A text by its lines: for a file in which many places are looked up. */
export class TextLines {
  readonly #text: string;
  /** Offset of each line's first character. */
  readonly #starts: number[] = [0];

  constructor(text: string) {
    this.#text = text;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
  }

  /** In UTF-16 code units, from 0. */
  offsetOf({ line, column }: Place): number {
    return (this.#starts[line - 1] ?? this.#text.length) + column - 1;
  }

  /** The line around a place, cut to what fits a screen, with `…` for what was cut off. */
  excerptAt(place: Place): Excerpt {
    const offset = this.offsetOf(place);
    const lineStart = offset - place.column + 1;
    const next = this.#starts[place.line];
    let lineEnd = next === undefined ? this.#text.length : next - 1;
    if (this.#text[lineEnd - 1] === '\r') lineEnd--;
    const start = offset - lineStart > BEFORE ? offset - BEFORE : lineStart;
    const end = Math.max(start, Math.min(lineEnd, start + WIDTH));
    const head = start > lineStart ? '…' : '';
    const tail = end < lineEnd ? '…' : '';
    return { text: head + copyOf(this.#text.slice(start, end)) + tail, caret: head.length + offset - start };
  }
}

/** A slice would keep the whole file's text in memory for as long as the report is. */
function copyOf(slice: string): string {
  return Buffer.from(slice, 'utf16le').toString('utf16le');
}
