import type { Gate } from '../../gate.ts';
import { headOf } from '../../guard/recorded-history.ts';
import { type Exchange, isInline } from '../../model/exchange.ts';
import { bodyBytes } from '../../recordings/body.ts';
import { decodeRecording, parseRecording } from '../../recordings/files/file-format.ts';
import { type CheckedFile, type PlacedFinding, type Subject, subjectOf } from '../../reporters/report.ts';
import type { KnownBefore } from './history.ts';
import { type FilePointer, placesInFile, pointersInFile } from './places-in-file.ts';
import type { Input } from './read-input.ts';
import { TextLines } from './text-lines.ts';

/** A file of a recording, as read. */
export interface RecordingFile {
  /** For people. */
  name: string;
  text: string;
  exchanges: readonly Exchange[];
}

/** @throws PatchgateError `bad-recording` where the file is broken */
export function readRecording({ name, bytes }: Input): RecordingFile {
  const text = decodeRecording(bytes, name);
  return { name, text, exchanges: parseRecording(text, name).exchanges };
}

/**
 * Judges what each exchange asked for, as today's contract has it. Those that no operation concerns are counted only.
 *
 * @param knownBefore what was known before an exchange
 */
export function judgeRecording(
  gate: Gate,
  { name, text, exchanges }: RecordingFile,
  knownBefore: KnownBefore,
): CheckedFile {
  const subjects: Subject[] = [];
  const pointers: FilePointer[] = [];
  for (const [index, { request }] of exchanges.entries()) {
    const { method, path } = request;
    const head = headOf(request);
    const match = gate.match(head);
    // What stands in a file of its own is no text.
    if (!match || !isInline(request.body)) continue;
    const body = bodyBytes(request.body);
    const record = gate.recordOf(match);
    const known = record && knownBefore(record, index);
    const { verdict } = gate.inspect({ ...head, body }, match, { known });
    const { findings } = verdict;
    const pointer = `/exchanges/${index}`;
    subjects.push(subjectOf({ pointer, method, path }, verdict));
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
