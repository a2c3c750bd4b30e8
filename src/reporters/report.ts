import type { Effect } from '../model/effect.ts';
import type { Finding, RuleInfo, Severity, Verdict } from '../model/finding.ts';

/** The place of a finding, as far as there is one: a part of its line, at most some 100 characters. */
export interface Excerpt {
  text: string;
  /** Offset of the place in `text`, in UTF-16 code units. */
  caret: number;
}

/** Why a finding does not count. */
export type Excuse =
  /** It is in the baseline. */
  | { by: 'baseline' }
  /** The config file says so. */
  | { by: 'suppression'; reason: string; expires?: string }
  /** The contract before said so, too (`--against-contract`). */
  | { by: 'old-contract' }
  /** The recording has it now (`verify --update`). */
  | { by: 'update' };

/** A finding with its line and column in the file that was judged, not in the body that the gate read. */
export interface PlacedFinding extends Finding {
  excerpt?: Excerpt;
  /** Absent where it counts. */
  excuse?: Excuse;
}

/** What the contract before said of a request (`--against-contract`). */
export interface Before {
  /** `unjudged`: none of its operations was meant. */
  outcome: Verdict['outcome'] | 'unjudged';
  /** Findings that there are no more. */
  gone: readonly PlacedFinding[];
}

/** One body, or one request of a file that holds several, with the gate's answer. */
export interface Subject {
  /**
   * JSON Pointer of the request in its file: `/exchanges/3` of a recording, `/log/entries/3` of an HTTP archive, `/3` of JSON
   * Lines (empty ones not counted); `""` where the whole file is the body.
   */
  pointer: string;
  /** Where it begins in the file, from 1; absent where the whole file is the body. */
  line?: number;
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
  /** Why those do not count. */
  omittedExcuse?: Excuse;
  before?: Before;
}

/** What was judged; `before` is there where it was compared with another contract's. */
export function subjectOf(
  judged: Pick<Subject, 'pointer' | 'line' | 'method' | 'path'>,
  { operation, outcome, findings, effects, effectsOmitted, omitted, before }: Verdict & { before?: Before },
): Subject {
  return {
    ...judged,
    ...(operation !== undefined && { operation }),
    outcome,
    findings,
    ...(effects && { effects }),
    ...(effectsOmitted !== undefined && { effectsOmitted }),
    omitted,
    ...(before && { before }),
  };
}

export interface CheckedFile {
  /** As it was given or found, `/` between folders; `<stdin>` for standard input. */
  file: string;
  kind: 'body' | 'recording' | 'requests' | 'har';
  /** In the order of the file. Of those without findings and effects, not all where there are very many. */
  subjects: readonly Subject[];
  /** Further requests that were judged, and pass without findings and effects. */
  clean?: number;
  /** Requests that no operation of the contract concerns, and that were not judged. */
  unjudged: number;
  /** Requests that an operation concerns, yet that could not be judged: their bodies are not in the file. */
  skipped?: readonly Skipped[];
  /** Of the requests that there was no room for, where there is very much to say. */
  further?: Further;
}

/** Numbers of the requests that a report counts and does not hold. */
export interface Further {
  judged: number;
  blocked: number;
  skipped: number;
  /** Findings that the gate left out. */
  omitted: number;
  breaks: number;
  allows: number;
  findings: readonly CountedFinding[];
}

/** How often a rule found something. */
export interface CountedFinding extends Pick<PlacedFinding, 'rule' | 'severity' | 'excuse'> {
  count: number;
}

export interface Skipped {
  pointer: string;
  line?: number;
  method: string;
  path: string;
  /** `the request's body is not in the file` */
  why: string;
}

/** Something that whoever keeps the gate should know, beside the findings. */
export interface Remark {
  /** `error`: the exit code is 1; `note`: only tells what was done. */
  severity: Severity | 'note';
  message: string;
  hint?: string;
}

/** What can be said of a rule without a finding. */
export type RuleFacts = Pick<RuleInfo, 'name' | 'severity' | 'basis' | 'says' | 'source'>;

/** What `check` or `verify` found: the input of each reporter. */
export interface Report {
  /** `verify`: what is told of as judged was sent, and as blocked or skipped was not. Absent: `check`. */
  command?: 'verify';
  files: readonly CheckedFile[];
  /** The rules that were asked. What finds something may be missing: a keyword that only a contract of one's own has. */
  rules?: readonly RuleFacts[];
  /** Of suppressions and baseline: unused, expired. */
  remarks?: readonly Remark[];
}

export interface Summary {
  files: number;
  /** Requests that were judged. */
  judged: number;
  unjudged: number;
  /** That could not be judged, though an operation concerns them. */
  skipped: number;
  /** How many of the judged ones the gate would block. */
  blocked: number;
  /** Findings that count. */
  errors: number;
  warnings: number;
  /** Findings that do not count, by their excuse. */
  known: number;
  suppressed: number;
  unchanged: number;
  omitted: number;
  /** Taken into the recording by `verify --update`. */
  updated?: number;
  /** Requests that the contract before let pass and this one blocks, and the other way round; with `--against-contract` alone. */
  breaks?: number;
  allows?: number;
}

export function summaryOf({ files }: Report): Summary {
  const subjects = files.flatMap((file) => file.subjects);
  const further = files.flatMap((file) => file.further ?? []);
  const beyond = (name: Exclude<keyof Further, 'findings'>) => sum(further.map((one) => one[name]));
  const summary = {
    files: files.length,
    judged: subjects.length + sum(files.map(({ clean = 0 }) => clean)) + beyond('judged'),
    unjudged: sum(files.map((file) => file.unjudged)),
    skipped: sum(files.map(({ skipped = [] }) => skipped.length)) + beyond('skipped'),
    blocked: subjects.filter((subject) => subject.outcome === 'block').length + beyond('blocked'),
    errors: 0,
    warnings: 0,
    known: 0,
    suppressed: 0,
    ...{ unchanged: 0, updated: 0 },
    omitted: sum(subjects.map((subject) => subject.omitted)) + beyond('omitted'),
  };
  for (const { findings } of subjects) for (const finding of findings) summary[countOf(finding)]++;
  for (const { findings } of further)
    for (const finding of findings) summary[countOf(finding)] += finding.count;
  const { updated, ...counted } = summary;
  const all: Summary = { ...counted, ...(updated > 0 && { updated }) };
  if (!subjects.some(({ before }) => before)) return all;
  const changes = subjects.map(changeOf);
  return {
    ...all,
    breaks: changes.filter((change) => change === 'breaks').length + beyond('breaks'),
    allows: changes.filter((change) => change === 'allows').length + beyond('allows'),
  };
}

const COUNTS = {
  baseline: 'known',
  suppression: 'suppressed',
  'old-contract': 'unchanged',
  update: 'updated',
} as const;

function countOf({ severity, excuse }: Pick<PlacedFinding, 'severity' | 'excuse'>) {
  return excuse ? COUNTS[excuse.by] : severity === 'error' ? 'errors' : 'warnings';
}

/** What the change of the contract means to a request. */
export function changeOf({ outcome, before }: Subject): 'breaks' | 'allows' | undefined {
  if (!before || (before.outcome === 'block') === (outcome === 'block')) return undefined;
  return outcome === 'block' ? 'breaks' : 'allows';
}

/** Whether the exit code is 1. What would be blocked fails though its error is among the findings that were left out. */
export function fails(report: Report, failOn: Severity): boolean {
  const { errors, warnings, skipped } = summaryOf(report);
  return (
    errors > 0 ||
    // What nobody could judge may be anything: a warning, as it were.
    (failOn === 'warn' && warnings + skipped > 0) ||
    (report.remarks ?? []).some(({ severity }) => severity === 'error') ||
    report.files.some(({ subjects }) => subjects.some((subject) => hidesFailure(subject, failOn)))
  );
}

/** Whether the exit code is 1 for a request alone. */
export function isFailing(subject: Subject, failOn: Severity): boolean {
  return subject.findings.some((finding) => countsAs(finding, failOn)) || hidesFailure(subject, failOn);
}

/** Whether the exit code is 1 for a finding alone. */
export function countsAs({ severity, excuse }: PlacedFinding, failOn: Severity): boolean {
  return !excuse && (severity === 'error' || failOn === 'warn');
}

/** Whether what fails may be among the findings that were left out: errors only where there was room for nothing else. */
function hidesFailure(
  { outcome, omitted, omittedExcuse, findings, before }: Subject,
  failOn: Severity,
): boolean {
  if (omitted === 0 || omittedExcuse || before?.outcome === 'block') return false;
  if (failOn === 'warn') return findings.length > 0;
  return outcome === 'block' && findings.every(({ severity }) => severity === 'error');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
