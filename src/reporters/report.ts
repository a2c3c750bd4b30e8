import type { Effect } from '../model/effect.ts';
import type { Finding, Severity, Verdict } from '../model/finding.ts';

/** The place of a finding, as far as there is one: a part of its line, at most some 100 characters. */
export interface Excerpt {
  text: string;
  /** Offset of the place in `text`, in UTF-16 code units. */
  caret: number;
}

/** A finding with its line and column in the file that was judged, not in the body that the gate read. */
export interface PlacedFinding extends Finding {
  excerpt?: Excerpt;
}

/** One body, or one exchange of a recording, with the gate's answer. */
export interface Subject {
  /** JSON Pointer of the exchange in its file: `/exchanges/3`; `""` where the whole file is the body. */
  pointer: string;
  /** Of an exchange, and of a body that was judged as sent to a path. */
  method?: string;
  path?: string;
  operation?: string;
  outcome: Verdict['outcome'];
  findings: readonly PlacedFinding[];
  /** What it does to its record; absent where that is nothing, or nothing is known of it. */
  effects?: readonly Effect[];
  /** Effects that the gate left out, where there were more than it reports. */
  effectsOmitted?: number;
  /** Findings that the gate left out, where there were more than it reports. */
  omitted: number;
}

/** What was judged, with the gate's answer. */
export function subjectOf(
  judged: Pick<Subject, 'pointer' | 'method' | 'path'>,
  { operation, outcome, findings, effects, effectsOmitted, omitted }: Verdict,
): Subject {
  return {
    ...judged,
    ...(operation !== undefined && { operation }),
    outcome,
    findings,
    ...(effects && { effects }),
    ...(effectsOmitted !== undefined && { effectsOmitted }),
    omitted,
  };
}

export interface CheckedFile {
  /** As it was given or found, `/` between folders; `<stdin>` for standard input. */
  file: string;
  kind: 'body' | 'recording';
  subjects: readonly Subject[];
  /** Exchanges that no operation of the contract concerns, and that were not judged. */
  unjudged: number;
}

/** What `check` found: the input of each reporter. */
export interface Report {
  files: readonly CheckedFile[];
}

export interface Summary {
  files: number;
  /** Bodies and exchanges that were judged. */
  judged: number;
  unjudged: number;
  /** How many of the judged ones the gate would block. */
  blocked: number;
  errors: number;
  warnings: number;
  omitted: number;
}

export function summaryOf({ files }: Report): Summary {
  const subjects = files.flatMap((file) => file.subjects);
  const findings = subjects.flatMap((subject) => subject.findings);
  const count = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length;
  return {
    files: files.length,
    judged: subjects.length,
    unjudged: sum(files.map((file) => file.unjudged)),
    blocked: subjects.filter((subject) => subject.outcome === 'block').length,
    errors: count('error'),
    warnings: count('warn'),
    omitted: sum(subjects.map((subject) => subject.omitted)),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
