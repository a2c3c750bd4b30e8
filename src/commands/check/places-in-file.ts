import type { RecordedRequest } from '../../model/exchange.ts';
import type { Finding } from '../../model/finding.ts';
import { findPlaces, type Part, type Place } from '../../model/json-text.ts';
import { TextLines } from './text-lines.ts';

/** Members of a request that a finding without a place in the body is about; any other is about the body. */
const ABOUT: Readonly<Record<string, string>> = {
  'request.path-parameter': '/path',
  'request.ambiguous-path': '/path',
  'request.unlisted-operation': '/path',
  'request.ambiguous-header': '/headers',
  'request.content-type': '/headers',
  'request.content-encoding': '/headers',
};

/** A place in a recording's file. */
export interface FilePointer {
  pointer: string;
  part: Part;
  /** Code units into the text that is at the pointer. */
  within?: number;
}

/**
 * Where the findings of a recorded request are in the recording's file.
 *
 * @param exchange the exchange's pointer in the file: `/exchanges/3`
 * @param body the bytes that were judged
 */
export function pointersInFile(
  exchange: string,
  request: RecordedRequest,
  body: Buffer,
  findings: readonly Finding[],
): FilePointer[] {
  if (findings.length === 0) return [];
  const text = body.toString('utf8');
  const lines = new TextLines(text);
  const parts = request.body && 'json' in request.body ? partsOf(text, findings) : [];
  return findings.map(({ rule, pointer, line, column }, index) => {
    const at = (member: string, part: Part = 'value') => ({ pointer: `${exchange}/request${member}`, part });
    const about = pointer === '' ? ABOUT[rule] : undefined;
    if (about !== undefined) return at(about);
    if (!request.body || line === undefined || column === undefined) return at('/body');
    if ('json' in request.body) return at(`/body/json${pointer}`, parts[index]);
    if ('text' in request.body) return { ...at('/body/text'), within: lines.offsetOf({ line, column }) };
    return at('/body/base64');
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

/** The places, in the order of the pointers. */
export function placesInFile(text: string, lines: TextLines, pointers: readonly FilePointer[]): Place[] {
  return findPlaces(text, pointers).map((place, index) => {
    const within = pointers[index]?.within;
    if (within === undefined) return place;
    // Behind the quote that begins it; a JSON string is never longer than its line.
    const column = place.column + 1;
    return { ...place, column: column + sourceLength(text, lines.offsetOf({ ...place, column }), within) };
  });
}

/** How long the first `count` code units of a JSON string are, as written with escapes. */
function sourceLength(text: string, start: number, count: number): number {
  let at = start;
  for (let unit = 0; unit < count; unit++) at += text[at] !== '\\' ? 1 : text[at + 1] === 'u' ? 6 : 2;
  return at - start;
}
