import type { Gate } from '../../../gate/gate.ts';
import type { Verdict } from '../../../model/finding.ts';
import { type CheckedFile, type PlacedFinding, type Subject, subjectOf } from '../../../reporters/report.ts';
import type { Beforehand } from '../history/beforehand.ts';
import type { BytesInput } from '../inputs/read-input.ts';
import { FILE_START, TextLines, type TextStart } from '../places/text-lines.ts';
import type { BodyTarget } from './body-targets.ts';
import { SubjectList } from './subject-list.ts';

/** A body by itself, and where it stands. */
export interface LoneBody {
  bytes: Buffer;
  /** Of the body in its file: `""` where it is all of it. */
  pointer: string;
  /** Absolute; undefined: standard input. */
  file: string | undefined;
  start?: TextStart;
}

/** Judges a file that is a body. Several that are given are no history: nobody says that they are sent one after the other. */
export function judgeBodyFile(
  gate: Gate,
  { name, bytes, path }: BytesInput,
  target: BodyTarget,
  beforehand: Beforehand,
  onJudged?: () => void,
): CheckedFile {
  const judged = new SubjectList(onJudged);
  judged.add(judgeBody(gate, { bytes, pointer: '', file: path }, target, beforehand));
  return judged.asFile(name, 'body');
}

export function judgeBody(
  gate: Gate,
  { bytes, pointer, file, start = FILE_START }: LoneBody,
  { head, match, path, record }: BodyTarget,
  beforehand: Beforehand,
): Subject {
  const known = record && beforehand.stateOf(record).of(record);
  const { verdict } = gate.inspect({ ...head, body: bytes }, match, { known, file });
  const facts = {
    pointer,
    ...(pointer !== '' && { line: start.line }),
    ...(path !== undefined && { method: 'PATCH', path }),
  };
  return { ...subjectOf(facts, verdict), findings: placed(verdict, bytes, start) };
}

/** The findings of a body, each with its place in the file, and the line around it. @param start where the body begins in it */
export function placed({ findings }: Verdict, bytes: Buffer, start: TextStart): readonly PlacedFinding[] {
  if (findings.length === 0) return findings;
  const text = bytes.toString('utf8');
  const [within, lines] = [new TextLines(text), new TextLines(text, start)];
  return findings.map((finding): PlacedFinding => {
    const { line, column } = finding;
    if (line === undefined || column === undefined) return finding;
    const place = lines.placeOf(within.offsetOf({ line, column }));
    return { ...finding, ...place, excerpt: lines.excerptAt(place) };
  });
}
