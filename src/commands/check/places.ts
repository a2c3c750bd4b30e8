import { findOffsets, findPlaces, type Part, type Place } from '../../json/json-text.ts';
import type { RecordedRequest } from '../../model/exchange.ts';
import type { Finding, Verdict } from '../../model/finding.ts';
import type { Excerpt, PlacedFinding } from '../../reporters/report.ts';

/** Where the parts of a request stand in a JSON text, as pointers. */
export interface RequestPlaces {
  path: string;
  headers: string;
  /** Where the body is, or would be. */
  body: string;
  /**
   * How it is written there. `source`: its very text is a value of the document; `json`: it was a value like that one;
   * `text`: a string holds it; `coded`: in another way.
   */
  as: 'source' | 'json' | 'text' | 'coded';
}

/** Those of a request as recordings keep it. @param pointer the request's */
export function requestPlaces(pointer: string, { body }: RecordedRequest): RequestPlaces {
  const as = !body ? 'coded' : 'json' in body ? 'json' : 'text' in body ? 'text' : 'coded';
  const member = !body ? '' : as === 'coded' ? '/base64' : `/${as}`;
  return { path: `${pointer}/path`, headers: `${pointer}/headers`, body: `${pointer}/body${member}`, as };
}

/** Parts of a request that a finding without a place in the body is about; any other is about the body. */
const ABOUT: Readonly<Record<string, 'path' | 'headers'>> = {
  'request.path-parameter': 'path',
  'request.ambiguous-path': 'path',
  'request.unlisted-operation': 'path',
  'request.ambiguous-header': 'headers',
  'request.content-type': 'headers',
  'request.content-encoding': 'headers',
};

/** A place in a JSON text. */
export interface TextPointer {
  pointer: string;
  part: Part;
  /** Code units into the body that is at the pointer: of its source, or of the text that a string holds. */
  within?: { offset: number; of: 'source' | 'text' };
}

/** Where the findings of a request are in the text that holds it. @param body the bytes that were judged */
export function pointersInText(
  places: RequestPlaces,
  body: Uint8Array,
  findings: readonly Finding[],
): TextPointer[] {
  if (findings.length === 0) return [];
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  const lines = new TextLines(text);
  const { as } = places;
  const names =
    as === 'json'
      ? findPlaces(
          text,
          findings.map(({ pointer }) => ({ pointer, part: 'name' })),
        )
      : [];
  return findings.map(({ rule, pointer, line, column }, index) => {
    const at = (place: string, part: Part = 'value') => ({ pointer: place, part });
    const about = pointer === '' ? ABOUT[rule] : undefined;
    if (about !== undefined) return at(places[about]);
    if (line === undefined || column === undefined || as === 'coded') return at(places.body);
    if (as !== 'json')
      return { ...at(places.body), within: { offset: lines.offsetOf({ line, column }), of: as } };
    const name = names[index];
    const isName = name?.line === line && name.column === column;
    return at(`${places.body}${pointer}`, isName ? 'name' : 'value');
  });
}

/** Gives each finding its place in the file, and the line around it. @param pointers those of the findings, in their order */
export function placedIn(
  lines: TextLines,
  findings: readonly Finding[],
  pointers: readonly TextPointer[],
): PlacedFinding[] {
  const { text } = lines;
  const offsets = findOffsets(text, pointers);
  // Findings of one body come in its order: each is looked for from the one before.
  let last = { start: -1, units: 0, at: 0 };
  const offsetInString = (start: number, count: number) => {
    if (start !== last.start || count < last.units) last = { start, units: 0, at: start + 1 };
    for (; last.units < count; last.units++)
      last.at += text[last.at] !== '\\' ? 1 : text[last.at + 1] === 'u' ? 6 : 2;
    return last.at;
  };
  return findings.map((finding, index) => {
    const start = offsets[index];
    if (start === undefined) return finding;
    const { offset = 0, of } = pointers[index]?.within ?? {};
    return withPlace(finding, lines, of === 'text' ? offsetInString(start, offset) : start + offset);
  });
}

/** The findings of a body that stands in a file by itself, or on a line. @param firstLine of the body in its file */
export function placed({ findings }: Verdict, bytes: Buffer, firstLine = 1): readonly PlacedFinding[] {
  if (findings.length === 0) return findings;
  const text = bytes.toString('utf8');
  const [within, lines] = [new TextLines(text), new TextLines(text, firstLine)];
  return findings.map((finding): PlacedFinding => {
    const { line, column } = finding;
    if (line === undefined || column === undefined) return finding;
    return withPlace(finding, lines, within.offsetOf({ line, column }));
  });
}

function withPlace(finding: Finding, lines: TextLines, offset: number): PlacedFinding {
  const place = lines.placeOf(offset);
  return { ...finding, ...place, excerpt: lines.excerptAt(place) };
}

/**
 * Code units of a line around a place, and how many of them before it. Fewer are shown: the text around those says whether they
 * are a secret.
 */
const WIDTH = 500;
const BEFORE = 300;

/** A text by its lines, in which many places are looked up. */
export class TextLines {
  readonly text: string;
  readonly #first: number;
  /** Offset of each line's first character; made when the first place is looked up. */
  #starts: number[] | undefined;

  /** @param first the number of its first line in the file */
  constructor(text: string, first = 1) {
    this.text = text;
    this.#first = first;
  }

  /** The offset of a place, in UTF-16 code units from 0. */
  offsetOf({ line, column }: Place): number {
    return (this.#lineStarts[line - this.#first] ?? this.text.length) + column - 1;
  }

  placeOf(offset: number): Place {
    const starts = this.#lineStarts;
    let low = 0;
    for (let high = starts.length - 1; low < high; ) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: this.#first + low, column: offset - (starts[low] as number) + 1 };
  }

  /** The line around a place, with `…` for what was cut off. */
  excerptAt(place: Place): Excerpt {
    const { text } = this;
    const at = this.offsetOf(place);
    const number = place.line - this.#first;
    const lineStart = this.#lineStarts[number] ?? text.length;
    const next = this.#lineStarts[number + 1];
    let lineEnd = next === undefined ? text.length : next - 1;
    if (text[lineEnd - 1] === '\r') lineEnd--;
    const start = Math.max(lineStart, at - BEFORE);
    const end = Math.max(start, Math.min(lineEnd, start + WIDTH));
    const head = start > lineStart ? '…' : '';
    const tail = end < lineEnd ? '…' : '';
    return { text: head + copyOf(text.slice(start, end)) + tail, caret: head.length + at - start };
  }

  get #lineStarts(): readonly number[] {
    if (this.#starts) return this.#starts;
    const starts = [0];
    for (let at = this.text.indexOf('\n'); at >= 0; at = this.text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.#starts = starts;
    return starts;
  }
}

/** A slice would keep the whole file's text in memory for as long as the report is. */
function copyOf(slice: string): string {
  return Buffer.from(slice, 'utf16le').toString('utf16le');
}
