import type { Gate } from '../../gate.ts';
import { headerPairs, isInline, type StoredHeaders } from '../../model/exchange.ts';
import { bodyBytes } from '../../recordings/body.ts';
import { decodeRecording, parseRecording } from '../../recordings/files/file-format.ts';
import type { CheckedFile, PlacedFinding, Subject } from '../../reporters/report.ts';
import { type FilePointer, placesInFile, pointersInFile } from './places-in-file.ts';
import type { Input } from './read-input.ts';
import { TextLines } from './text-lines.ts';

/**
 * Judges what each exchange asked for, as today's contract has it. Those that no operation concerns are counted only.
 *
 * @throws PatchgateError `bad-recording` where the file is broken
 */
export function judgeRecording(gate: Gate, { name, bytes }: Input): CheckedFile {
  const text = decodeRecording(bytes, name);
  const { exchanges } = parseRecording(text, name);
  const subjects: Subject[] = [];
  const pointers: FilePointer[] = [];
  for (const [index, { request }] of exchanges.entries()) {
    const { method, path, query } = request;
    const head = {
      method,
      url: query === '' ? path : `${path}?${query}`,
      headers: rawHeaders(request.headers),
    };
    // What stands in a file of its own is no text.
    if (!gate.match(head) || !isInline(request.body)) continue;
    const body = bodyBytes(request.body);
    const { operation, outcome, findings, omitted } = gate.inspect({ ...head, body }).verdict;
    const pointer = `/exchanges/${index}`;
    const known = operation === undefined ? {} : { operation };
    subjects.push({ pointer, method, path, ...known, outcome, findings, omitted });
    if (findings.length > 0) pointers.push(...pointersInFile(pointer, request, body, findings));
  }
  const unjudged = exchanges.length - subjects.length;
  return { file: name, kind: 'recording', subjects: placed(text, subjects, pointers), unjudged };
}

/** The subjects with each finding at its place in the file; `pointers` has them in the same order. */
function placed(
  text: string,
  subjects: readonly Subject[],
  pointers: readonly FilePointer[],
): readonly Subject[] {
  if (pointers.length === 0) return subjects;
  const lines = new TextLines(text);
  const places = placesInFile(text, lines, pointers).values();
  const place = (finding: PlacedFinding): PlacedFinding => {
    const { value } = places.next();
    return value ? { ...finding, ...value, excerpt: lines.excerptAt(value) } : finding;
  };
  return subjects.map((subject) => ({ ...subject, findings: subject.findings.map(place) }));
}

/** A recording keeps bodies with their content coding undone: what the header says of it no longer holds. */
function rawHeaders(headers: StoredHeaders): string[] {
  return headerPairs(headers)
    .filter(([name]) => name !== 'content-encoding' && name !== 'content-length')
    .flat();
}
