import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Finding, RuleInfo, Severity, Verdict } from '../model/finding.ts';

/** A part of the line that a finding is in, and the offset of its place there, in UTF-16 code units. */
export interface Excerpt {
  text: string;
  caret: number;
}

/** A finding with its line and column in the file that was judged. */
export interface PlacedFinding extends Finding {
  excerpt?: Excerpt;
}

/** One body, or one request of a file that holds several, with the gate's answer. */
export interface Subject extends Omit<Verdict, 'findings'> {
  /** JSON Pointer of the request in its file: `/exchanges/3`, `/log/entries/3`; `""` if the whole file is the body. */
  pointer: string;
  /** Where the request begins in its file. */
  line?: number;
  method?: string;
  path?: string;
  findings: readonly PlacedFinding[];
}

export interface CheckedFile {
  /** As it was given or found; `<stdin>` for standard input. */
  file: string;
  kind: 'body' | 'recording' | 'har';
  /** The operation that was guessed for a body, and from what: `updateProject, by its shape`. */
  taken?: string;
  subjects: readonly Subject[];
  /** Number of requests that no operation of the contract concerns. */
  unjudged: number;
  /** Requests that could not be judged. */
  skipped?: readonly Skipped[];
}

export interface Skipped extends Pick<Subject, 'pointer' | 'method' | 'path'> {
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
  /** The rules that were asked. */
  rules?: readonly RuleFacts[];
  remarks?: readonly Remark[];
}

export interface ReporterOptions {
  /** The folder that files are relative to, and that of the repository: absolute. */
  cwd: string;
  root: string;
  /** The severity from which on a finding fails the run. */
  failOn: Severity;
  isColoured: boolean;
  version: string;
  now: Date;
}

export type Reporter = (report: Report, options: ReporterOptions) => string;

/** A finding and its place. */
export interface Found {
  file: string;
  subject: Subject;
  finding: PlacedFinding;
  /** How often it is in its file. */
  count: number;
}

/** The findings of all requests, each by itself. */
export function findingsOf({ files }: Pick<Report, 'files'>): Found[] {
  return files.flatMap(({ file, subjects }) =>
    subjects.flatMap((subject) => subject.findings.map((finding) => ({ file, subject, finding, count: 1 }))),
  );
}

/** The findings of some requests of a file, in the order of reading; those that differ by place alone are one. */
export function distinctFindings(file: string, subjects: readonly Subject[]): Found[] {
  const found = new Map<string, Found>();
  for (const subject of subjects)
    for (const finding of subject.findings.toSorted(byPlace)) {
      const { severity, rule, pointer, message } = finding;
      const anyItem = pointer.replace(/\/\d+(?=\/|$)/g, '/*');
      const said = pointer ? message.replaceAll(pointer, anyItem) : message;
      const key = [severity, rule, anyItem, said].join('\n');
      const same = found.get(key) ?? { file, subject, finding, count: 0 };
      found.set(key, { ...same, count: same.count + 1 });
    }
  return [...found.values()];
}

/** What has no place comes last. */
function byPlace(a: PlacedFinding, b: PlacedFinding): number {
  return (a.line ?? 1e9) - (b.line ?? 1e9) || (a.column ?? 0) - (b.column ?? 0);
}

/** Errors before warnings, else in their order. */
export function errorsFirst(found: readonly Found[]): Found[] {
  const rank = ({ finding }: Found) => (finding.severity === 'error' ? 0 : 1);
  return found.toSorted((a, b) => rank(a) - rank(b));
}

/** The numbers of a report, as the JSON report has them. */
export function summaryOf(report: Pick<Report, 'files'>) {
  const subjects = report.files.flatMap((file) => file.subjects);
  const findings = findingsOf(report);
  const errors = findings.filter(({ finding }) => finding.severity === 'error').length;
  return {
    files: report.files.length,
    judged: subjects.length,
    unjudged: report.files.reduce((sum, file) => sum + file.unjudged, 0),
    skipped: report.files.reduce((sum, { skipped = [] }) => sum + skipped.length, 0),
    blocked: subjects.filter(({ outcome }) => outcome === 'block').length,
    errors,
    warnings: findings.length - errors,
    omitted: subjects.reduce((sum, subject) => sum + subject.omitted, 0),
  };
}

/** Of `check`: findings say more than a request that could not be judged. */
export function exitCodeOf({ files }: Pick<Report, 'files'>, failOn: Severity): 0 | 1 | 2 {
  if (files.some(({ subjects }) => subjects.some((one) => isFailing(one, failOn)))) return 1;
  return files.some(({ skipped = [] }) => skipped.length > 0) ? 2 : 0;
}

/** Whether a request alone makes the exit code 1. Its error may be among the findings that were left out. */
export function isFailing({ findings, outcome, omitted }: Subject, failOn: Severity): boolean {
  const isFound = findings.some(({ severity }) => severity === 'error' || failOn === 'warn');
  return isFound || (omitted > 0 && outcome === 'block');
}

/** `bodies/a.json:2:3`; the file alone if the finding has no place. */
export function placeOf(file: string, { line, column }: { line?: number; column?: number }): string {
  return line === undefined ? file : `${file}:${line}${column === undefined ? '' : `:${column}`}`;
}

/** Names standard input, which is no file. */
export const STDIN_NAME = '<stdin>';

/** A judged file as the repository has it; undefined for standard input, an absolute path if it is outside. */
export function repositoryPath(file: string, { cwd, root }: ReporterOptions): string | undefined {
  if (file === STDIN_NAME) return undefined;
  const whole = resolve(cwd, file);
  const path = relative(root, whole).replaceAll(sep, '/');
  return /^\.\.(?:\/|$)/.test(path) || isAbsolute(path) ? whole.replaceAll(sep, '/') : path;
}
