import { findOffsets, findPlaces, type Part } from '../../../json/json-text.ts';
import type { RecordedRequest } from '../../../model/exchange.ts';
import type { Finding } from '../../../model/finding.ts';
import type { PlacedFinding } from '../../../reporters/report.ts';
import { TextLines } from './text-lines.ts';

/** Members of a request that a finding without a place in the body is about; any other is about the body. */
const ABOUT: Readonly<Record<string, 'path' | 'headers'>> = {
  'request.path-parameter': 'path',
  'request.ambiguous-path': 'path',
  'request.unlisted-operation': 'path',
  'request.ambiguous-header': 'headers',
  'request.content-type': 'headers',
  'request.content-encoding': 'headers',
};

/** Where the parts of a request stand in a JSON text, as pointers. */
export interface RequestPlaces {
  path: string;
  headers: string;
  /** Where the body is, or would be. */
  body: string;
  /**
   * How it is written there. `source`: its very text is a value of the document; `json`: it was a value like that one;
   * `text`: it is what a string says; `coded`: in another way.
   */
  as: 'source' | 'json' | 'text' | 'coded';
}

/** Those of a request as recordings keep it. @param pointer the request's */
export function requestPlaces(pointer: string, { body }: RecordedRequest): RequestPlaces {
  const as = !body ? 'coded' : 'json' in body ? 'json' : 'text' in body ? 'text' : 'coded';
  const member = !body ? '' : as === 'coded' ? '/base64' : `/${as}`;
  return { path: `${pointer}/path`, headers: `${pointer}/headers`, body: `${pointer}/body${member}`, as };
}

/** A place in a JSON text. */
export interface TextPointer {
  pointer: string;
  part: Part;
  /** Code units into the body that is at the pointer: of its source, or of what the string says. */
  within?: { offset: number; of: 'source' | 'text' };
}

/**
 * Where the findings of a request are in the text that holds it.
 *
 * @param body the bytes that were judged
 */
export function pointersInText(
  places: RequestPlaces,
  body: Uint8Array,
  findings: readonly Finding[],
): TextPointer[] {
  if (findings.length === 0) return [];
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  const lines = new TextLines(text);
  const { as } = places;
  const parts = as === 'json' ? partsOf(text, findings) : [];
  return findings.map(({ rule, pointer, line, column }, index) => {
    const at = (place: string, part: Part = 'value') => ({ pointer: place, part });
    const about = pointer === '' ? ABOUT[rule] : undefined;
    if (about !== undefined) return at(places[about]);
    if (line === undefined || column === undefined || as === 'coded') return at(places.body);
    if (as === 'json') return at(`${places.body}${pointer}`, parts[index]);
    return { ...at(places.body), within: { offset: lines.offsetOf({ line, column }), of: as } };
  });
}

/** Whether the gate means a member's value or its name is seen from where in the body it points. */
function partsOf(text: string, findings: readonly Finding[]): Part[] {
  const names = findPlaces(
    text,
    findings.map(({ pointer }) => ({ pointer, part: 'name' })),
  );
  return findings.map(({ line, column }, index) => {
    const name = names[index];
    return name?.line === line && name?.column === column ? 'name' : 'value';
  });
}

/** Gives each finding its place in the file, and the line around it. @param pointers those of the findings, in their order */
export function placedIn(
  text: string,
  lines: TextLines,
  findings: readonly Finding[],
  pointers: readonly TextPointer[],
): PlacedFinding[] {
  const offsets = findOffsets(text, pointers);
  const within = new Literal(text);
  return findings.map((finding, index) => {
    const start = offsets[index];
    if (start === undefined) return finding;
    const { offset = 0, of } = pointers[index]?.within ?? {};
    const place = lines.placeOf(of === 'text' ? within.offsetOf(start, offset) : start + offset);
    return { ...finding, ...place, excerpt: lines.excerptAt(place) };
  });
}

/** Finds characters of what a JSON string says in how it is written; on from the last one, where that comes before. */
class Literal {
  readonly #text: string;
  #start = -1;
  #units = 0;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** @param start the opening quote's offset. @param count code units of what it says */
  offsetOf(start: number, count: number): number {
    if (start !== this.#start || count < this.#units) {
      this.#start = start;
      this.#units = 0;
      this.#at = start + 1;
    }
    for (; this.#units < count; this.#units++) {
      const isEscape = this.#text[this.#at] === '\\';
      this.#at += !isEscape ? 1 : this.#text[this.#at + 1] === 'u' ? 6 : 2;
    }
    return this.#at;
  }
}
