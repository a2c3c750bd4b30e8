import { findOffsets, findPlaces, type Part, type Place, placesAt } from '../../json/json-text.ts';
import type { RecordedRequest } from '../../model/exchange.ts';
import type { Finding, Verdict } from '../../model/finding.ts';
import type { Excerpt, PlacedFinding, Subject } from '../../reporters/report.ts';

/** Where the parts of a request stand in a JSON text, as pointers. */
export interface RequestPlaces {
  path: string;
  headers: string;
  /** Where the body is, or would be. */
  body: string;
  /**
   * How it is written there. `json`: it was a value like that one; `text`: a string holds it; `coded`: in another way.
   */
  as: 'json' | 'text' | 'coded';
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
  'request.ambiguous-header': 'headers',
  'request.content-type': 'headers',
  'request.content-encoding': 'headers',
};

/** A place in a JSON text. */
export interface TextPointer {
  pointer: string;
  part: Part;
  /** Code units into the text that the string at the pointer holds. */
  within?: number;
}

/** Where the findings of a request are in the text that holds it. @param body the bytes that were judged */
export function pointersInText(
  places: RequestPlaces,
  body: Uint8Array,
  findings: readonly Finding[],
): TextPointer[] {
  if (findings.length === 0) return [];
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  const offsetOf = offsetsIn(text);
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
    if (as === 'text') return { ...at(places.body), within: offsetOf({ line, column }) };
    const name = names[index];
    const isName = name?.line === line && name.column === column;
    return at(`${places.body}${pointer}`, isName ? 'name' : 'value');
  });
}

/**
 * Gives each finding of several requests its place in the file that holds these, and the line around it. In one pass: of a file with
 * thousands of requests, each may have findings.
 *
 * @param subjects the requests. @param pointers those of their findings, in that order
 */
export function placedSubjects(
  text: string,
  subjects: readonly Subject[],
  pointers: readonly TextPointer[],
): readonly Subject[] {
  if (pointers.length === 0) return subjects;
  const starts = findOffsets(text, pointers);
  // Findings of one body come in its order: each is looked for from the one before.
  let last = { start: -1, units: 0, at: 0 };
  const offsetInString = (start: number, count: number) => {
    if (start !== last.start || count < last.units) last = { start, units: 0, at: start + 1 };
    for (; last.units < count; last.units++)
      last.at += text[last.at] !== '\\' ? 1 : text[last.at + 1] === 'u' ? 6 : 2;
    return last.at;
  };
  const offsets = starts.map((start, index) => {
    const within = pointers[index]?.within;
    return within === undefined ? start : offsetInString(start, within);
  });
  const places = placesAt(text, offsets);
  let index = 0;
  const placedAt = (finding: PlacedFinding): PlacedFinding => {
    const [offset, place] = [offsets[index], places[index]];
    index++;
    if (offset === undefined || !place) return finding;
    return { ...finding, ...place, excerpt: excerptAt(text, offset) };
  };
  return subjects.map((subject) => ({ ...subject, findings: subject.findings.map(placedAt) }));
}

/** The findings of a body that stands in a file by itself. */
export function placed({ findings }: Verdict, bytes: Buffer): readonly PlacedFinding[] {
  if (findings.length === 0) return findings;
  const text = bytes.toString('utf8');
  const offsetOf = offsetsIn(text);
  return findings.map((finding): PlacedFinding => {
    const { line, column } = finding;
    if (line === undefined || column === undefined) return finding;
    return { ...finding, excerpt: excerptAt(text, offsetOf({ line, column })) };
  });
}

/** Tells the offset of a place in a text, in UTF-16 code units from 0. */
function offsetsIn(text: string): (place: Place) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return ({ line, column }) => (starts[line - 1] ?? text.length) + column - 1;
}

/**
 * Code units of a line around a place, and how many of them before it. Fewer are shown: the text around those says whether they
 * are a secret.
 */
const WIDTH = 500;
const BEFORE = 300;

/** The line around an offset, with `…` for what was cut off. */
export function excerptAt(text: string, offset: number): Excerpt {
  const before = text.slice(Math.max(0, offset - BEFORE), offset);
  const start = offset - before.length + before.lastIndexOf('\n') + 1;
  // One more than is shown says whether the line goes on; a carriage return belongs to its end.
  const [line = ''] = text.slice(start, start + WIDTH + 2).split(/\r?\n/, 1);
  const head = start > 0 && text[start - 1] !== '\n' ? '…' : '';
  const tail = line.length > WIDTH ? '…' : '';
  return { text: head + copyOf(line.slice(0, WIDTH)) + tail, caret: head.length + offset - start };
}

/** A slice would keep the whole file's text in memory for as long as the report is. */
function copyOf(slice: string): string {
  return Buffer.from(slice, 'utf16le').toString('utf16le');
}
