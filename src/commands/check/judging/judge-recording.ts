import { PatchgateError } from '../../../errors.ts';
import type { Gate } from '../../../gate/gate.ts';
import { headOf } from '../../../guard/recorded-history.ts';
import { type Exchange, isInline } from '../../../model/exchange.ts';
import type { Finding } from '../../../model/finding.ts';
import { bodyBytes } from '../../../recordings/body.ts';
import { decodeRecording, parseRecording } from '../../../recordings/store/file-format.ts';
import { type CheckedFile, type PlacedFinding, type Subject, subjectOf } from '../../../reporters/report.ts';
import type { KnownBefore } from '../history/history.ts';
import type { BytesInput } from '../inputs/read-input.ts';
import { isTooDeep } from '../json/value-end.ts';
import { placedIn, pointersInText, requestPlaces, type TextPointer } from '../places/places-in-file.ts';
import { TextLines } from '../places/text-lines.ts';
import { NO_BODY, SubjectList } from './subject-list.ts';

/** A file of a recording, as read. */
export interface RecordingFile {
  /** For people. */
  name: string;
  /** Absolute; undefined: standard input. */
  path: string | undefined;
  text: string;
  exchanges: readonly Exchange[];
}

/** @throws PatchgateError `bad-recording` where the file is broken */
export function readRecording({ name, path, bytes }: BytesInput): RecordingFile {
  if (isTooDeep(bytes)) throw new PatchgateError('bad-recording', `${name}:1:1: this is nested too deep`);
  const text = decodeRecording(bytes, name);
  return { name, path, text, exchanges: parseRecording(text, name).exchanges };
}

/**
 * Judges what each exchange asked for, as today's contract has it. Those that no operation concerns are counted only.
 *
 * @param knownBefore what was known before an exchange
 */
export function judgeRecording(
  gate: Gate,
  { name, path, text, exchanges }: RecordingFile,
  knownBefore: KnownBefore,
  onJudged?: () => void,
): CheckedFile {
  const judged = new SubjectList(onJudged);
  const pointers: TextPointer[] = [];
  for (const [index, { request }] of exchanges.entries()) {
    const head = headOf(request);
    const match = gate.match(head);
    if (!match) {
      judged.addUnjudged();
      continue;
    }
    const pointer = `/exchanges/${index}`;
    const facts = { pointer, method: request.method, path: request.path };
    // What stands in a file of its own is no text.
    if (!isInline(request.body)) {
      judged.skip({ ...facts, why: NO_BODY });
      continue;
    }
    const body = bodyBytes(request.body);
    const record = gate.recordOf(match);
    const known = record && knownBefore(record, index);
    const { verdict } = gate.inspect({ ...head, body }, match, { known, file: path });
    judged.add(subjectOf(facts, verdict));
    pointers.push(...pointersInText(requestPlaces(`${pointer}/request`, request), body, verdict.findings));
  }
  const checked = judged.asFile(name, 'recording');
  return { ...checked, subjects: placed(text, checked.subjects, pointers) };
}

/** The subjects with each finding at its place in the file; `pointers` has them in the same order. */
function placed(
  text: string,
  subjects: readonly Subject[],
  pointers: readonly TextPointer[],
): readonly Subject[] {
  if (pointers.length === 0) return subjects;
  const findings = subjects.flatMap((subject): readonly Finding[] => subject.findings);
  const all = placedIn(text, new TextLines(text), findings, pointers).values();
  const next = (): PlacedFinding => all.next().value as PlacedFinding;
  return subjects.map((subject) => ({ ...subject, findings: subject.findings.map(next) }));
}
