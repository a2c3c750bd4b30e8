import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Finding, RuleInfo, Severity, Verdict } from '../model/finding.ts';

/** A part of the line that a finding is in, at most some 100 characters. */
export interface Excerpt {
  text: string;
  /** Offset of the place in `text`, in UTF-16 code units. */
  caret: number;
}

/** A finding with its line and column in the file that was judged, not in the body that the gate read. */
export interface PlacedFinding extends Finding {
  excerpt?: Excerpt;
}

/** One body, or one request of a file that holds several, with the gate's answer. */
export interface Subject extends Omit<Verdict, 'findings' | 'status' | 'problem'> {
  /**
   * JSON Pointer of the request in its file: `/exchanges/3` of a recording, `/log/entries/3` of an HTTP archive; `""` where the
   * whole file is the body.
   */
  pointer: string;
  /** Where it begins in the file, from 1; absent where the whole file is the body. */
  line?: number;
  /** Of an exchange, and of a body that was judged as sent to a path. */
  method?: string;
  path?: string;
  findings: readonly PlacedFinding[];
}

export function subjectOf(
  judged: Pick<Subject, 'pointer' | 'line' | 'method' | 'path'>,
  { status, problem, ...verdict }: Verdict,
): Subject {
  return { ...judged, ...verdict };
}

export interface CheckedFile {
  /** As it was given or found, `/` between folders; `<stdin>` for standard input. */
  file: string;
  kind: 'body' | 'recording' | 'har';
  /** The operation that was guessed for a body, and from what: `updateProject, by its shape`. */
  taken?: string;
  /** In the order of the file. */
  subjects: readonly Subject[];
  /** Number of requests that no operation of the contract concerns. They were not judged. */
  unjudged: number;
  /** Requests that an operation concerns, yet that could not be judged. */
  skipped?: readonly Skipped[];
}

export interface Skipped {
  pointer: string;
  line?: number;
  method: string;
  path: string;
  /** `the request's body is not in the file` */
  why: string;
}

/** Tells people something beside the findings. */
export interface Remark {
  severity: 'warn' | 'note';
  message: string;
  hint?: string;
}

export type RuleFacts = Pick<RuleInfo, 'name' | 'severity' | 'basis' | 'says' | 'source'>;

/** What `check` found: the input of each reporter. */
export interface Report {
  files: readonly CheckedFile[];
  /** The rules that were asked. A keyword that only a contract of one's own has may be missing. */
  rules?: readonly RuleFacts[];
  remarks?: readonly Remark[];
}

export interface ReporterOptions {
  /** The severity from which on a finding fails the run. */
  failOn: Severity;
  isColoured: boolean;
  /** The folder that files are relative to, and that of the repository: absolute. */
  cwd: string;
  root: string;
  /** Of Patchgate: `0.2.0` */
  version: string;
  now: Date;
}

/** Pure. */
export type Reporter = (report: Report, options: ReporterOptions) => string;

/** A finding and its place. */
export interface Found {
  file: string;
  subject: Subject;
  finding: PlacedFinding;
  /** How many others in its file are the same. */
  others: number;
}

/** The findings of all requests, each by itself. */
export function findingsOf({ files }: Pick<Report, 'files'>): Found[] {
  return files.flatMap(({ file, subjects }) =>
    subjects.flatMap((subject) => subject.findings.map((finding) => ({ file, subject, finding, others: 0 }))),
  );
}

/** The findings of some requests of a file, in the order of reading; only the first one of those that differ by place alone. */
export function distinctFindings(file: string, subjects: readonly Subject[]): Found[] {
  const found = new Map<string, Found>();
  for (const subject of subjects) {
    for (const finding of subject.findings.toSorted(byPlace)) {
      const { severity, rule, pointer, message } = finding;
      const anyItem = pointer.replace(/\/\d+(?=\/|$)/g, '/*');
      const key = [severity, rule, anyItem, pointer ? message.replaceAll(pointer, anyItem) : message].join(
        '\n',
      );
      const same = found.get(key);
      if (same) same.others++;
      else found.set(key, { file, subject, finding, others: 0 });
    }
  }
  return [...found.values()];
}

/** What has no place comes last. */
function byPlace(a: PlacedFinding, b: PlacedFinding): number {
  const last = Number.MAX_VALUE;
  return (a.line ?? last) - (b.line ?? last) || (a.column ?? last) - (b.column ?? last);
}

/** The numbers of a report, as the JSON report has them. */
export function summaryOf(report: Report) {
  const { files } = report;
  const subjects = files.flatMap((file) => file.subjects);
  const findings = findingsOf(report);
  const errors = findings.filter(({ finding }) => finding.severity === 'error').length;
  return {
    files: files.length,
    judged: subjects.length,
    unjudged: files.reduce((sum, file) => sum + file.unjudged, 0),
    /** Requests that could not be judged, though an operation concerns them. */
    skipped: files.reduce((sum, { skipped = [] }) => sum + skipped.length, 0),
    blocked: subjects.filter(({ outcome }) => outcome === 'block').length,
    errors,
    warnings: findings.length - errors,
    omitted: subjects.reduce((sum, subject) => sum + subject.omitted, 0),
  };
}

/** Whether the exit code is 1. A request that was not judged may be anything: a warning. */
export function fails({ files }: Report, failOn: Severity): boolean {
  return files.some(
    ({ subjects, skipped = [] }) =>
      (failOn === 'warn' && skipped.length > 0) || subjects.some((subject) => isFailing(subject, failOn)),
  );
}

/** Whether the exit code is 1 for a request alone. Its error may be among the findings that were left out. */
export function isFailing({ findings, outcome, omitted }: Subject, failOn: Severity): boolean {
  return findings.some((finding) => countsAs(finding, failOn)) || (omitted > 0 && outcome === 'block');
}

/** Whether the exit code is 1 for a finding alone. */
export function countsAs({ severity }: PlacedFinding, failOn: Severity): boolean {
  return severity === 'error' || failOn === 'warn';
}

/** `bodies/a.json:2:3`; the file alone where the finding has no place. */
export function placeOf(file: string, { line, column }: PlacedFinding): string {
  return line === undefined ? file : `${file}:${line}:${column ?? 1}`;
}

/** Names standard input, which is no file. */
export const STDIN_NAME = '<stdin>';

/**
 * A judged file as the repository has it: `bodies/a.json`.
 *
 * @param file as in the report
 * @returns undefined for standard input; an absolute path for what is not in the repository
 */
export function repositoryPath(
  file: string,
  { cwd, root }: Pick<ReporterOptions, 'cwd' | 'root'>,
): string | undefined {
  if (file === STDIN_NAME) return undefined;
  const path = relative(root, resolve(cwd, file));
  const isOutside = path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path);
  return (isOutside ? resolve(cwd, file) : path).replaceAll(sep, '/');
}
