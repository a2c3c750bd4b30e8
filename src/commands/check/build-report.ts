import { access, readFile } from 'node:fs/promises';
import { dirname, relative, resolve, sep } from 'node:path';
import { PatchgateError, systemCode, whyUnreadable } from '../../errors.ts';
import { member } from '../../json/json.ts';
import { identityOf, omittedIdentityOf, requestOf } from '../../reporters/fingerprint.ts';
import {
  type CheckedFile,
  type PlacedFinding,
  type Remark,
  type Report,
  STDIN_NAME,
  type Subject,
  summaryOf,
} from '../../reporters/report.ts';
import { amount } from '../../reporters/wording.ts';
import { checkFile, parseFile, placeIn } from '../../schemas/check.ts';
import type { Suppression } from '../../settings/extras.ts';
import { writeFileWhole } from '../output.ts';
import { finishComparison, remarksOnLost } from './compare-contracts.ts';
import { applySuppressions, remarksOn } from './suppress.ts';

export interface BuildReportOptions {
  /** File with the findings that are known, relative to `cwd`; not asked where another contract is. */
  baseline?: string | undefined;
  /** Write the findings into the baseline instead of comparing them with it. */
  writeBaseline?: boolean | undefined;
  suppressions?: readonly Suppression[] | undefined;
  /** The contract with which the gate compared: `comparing` of compare-contracts.ts. */
  againstContract?: string | undefined;
  cwd: string;
  /** `2026-11-21` */
  today: string;
}

/**
 * The report of what was judged: says of each finding whether it counts, and what became of suppressions and baseline. A finding
 * that is suppressed is not written into a baseline.
 *
 * @param judged with their secrets hidden
 * @throws PatchgateError `bad-input` where the baseline is missing or broken, `cannot-write`
 */
export async function buildReport(
  judged: readonly CheckedFile[],
  options: BuildReportOptions,
): Promise<Report> {
  const { suppressions = [], baseline, againstContract } = options;
  if (againstContract !== undefined) {
    // A suppression may be of use for what the contract before says, too: nothing is said of those that suppress nothing.
    const compared = finishComparison(judged);
    const files = applySuppressions(compared, suppressions, options);
    return reportOf(files, [...remarkOnNothing(compared), ...remarksOnLost(compared)]);
  }
  const unsuppressed = applySuppressions(judged, suppressions, options);
  const { files, remarks } =
    baseline === undefined
      ? { files: unsuppressed, remarks: [] }
      : await applyBaseline(unsuppressed, baseline, options);
  return reportOf(files, [
    ...remarkOnNothing(judged),
    ...remarksOn(suppressions, files, options),
    ...remarks,
  ]);
}

function reportOf(files: readonly CheckedFile[], remarks: readonly Remark[]): Report {
  return { files, ...(remarks.length > 0 && { remarks }) };
}

async function applyBaseline(
  files: readonly CheckedFile[],
  name: string,
  { writeBaseline: writes, cwd }: BuildReportOptions,
): Promise<{ files: readonly CheckedFile[]; remarks: Remark[] }> {
  const file = resolve(cwd, name);
  const nameOf = (judged: string) => nameInBaseline(judged, cwd, file);
  const former = await readBaseline(file, name);
  if (writes) {
    const known = await writeBaseline(files, file, former ?? [], nameOf);
    const message = `wrote ${amount(countOf(known), 'finding')} to ${name}`;
    return { files: suppressKnown(files, known, nameOf).files, remarks: [{ severity: 'note', message }] };
  }
  if (!former) {
    throw new PatchgateError('bad-input', `the baseline ${name} does not exist`, {
      hint: 'write it with --write-baseline',
    });
  }
  const suppressed = suppressKnown(files, former, nameOf);
  const judged = new Set(files.map((one) => nameOf(one.file)));
  const others = former.filter((entry) => !judged.has(entry.file));
  // A file that comes back, under a name that another one had, is not to find its findings known.
  const gone = suppressed.gone + countOf(others) - countOf(await ofExistingFiles(others, dirname(file)));
  if (gone === 0) return { files: suppressed.files, remarks: [] };
  const remark: Remark = {
    severity: 'warn',
    message: `${name} holds ${amount(gone, 'finding')} that ${gone === 1 ? 'is' : 'are'} gone or suppressed`,
    hint: 'take them out with --write-baseline, so that they do not come back',
  };
  return { files: suppressed.files, remarks: [remark] };
}

/** A gate through which nothing goes is green for ever: a path may be misspelt. */
function remarkOnNothing(files: readonly CheckedFile[]): Remark[] {
  const { judged, unjudged, skipped } = summaryOf({ files });
  if (judged > 0 || skipped > 0) return [];
  const message =
    unjudged === 0
      ? 'nothing was judged: there are no requests'
      : `nothing was judged: none of ${amount(unjudged, 'request')} is for an operation of the contract`;
  const hint = 'check the paths and methods, and that these are the files that are meant';
  return [{ severity: 'warn', message, hint }];
}

const VERSION = 1;

/** Findings that are known, alike in all that they are known by. */
export interface KnownFindings {
  /** Relative to the baseline's folder, `/` between folders; `<stdin>` for standard input. */
  file: string;
  /** For people: `PATCH /accounts/196/projects/42`, or the operation of a body alone. */
  request: string;
  /** For people. Absent of those that were left out of a request's findings, where there were very many. */
  rule?: string;
  pointer?: string;
  /** Of those: the rules that were not left out. Each rule that finds something has at least one that is not. */
  rules?: readonly string[];
  /** What they are known by in their file: `identityOf` of reporters/fingerprint.ts. */
  fingerprint: string;
  /** How many; absent: one. */
  count?: number;
}

/**
 * Reads a baseline: `{ "version": 1, "findings": […] }`.
 *
 * @param name for messages
 * @returns undefined where there is none
 * @throws PatchgateError `bad-input`, with line and column where it is broken
 */
export async function readBaseline(file: string, name: string): Promise<KnownFindings[] | undefined> {
  let text: string;
  try {
    text = (await readFile(file, 'utf8')).replace(/^\ufeff/, '');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    const message = `cannot read the baseline ${name}: ${whyUnreadable(error)}`;
    throw new PatchgateError('bad-input', message, { cause: error });
  }
  const source = { where: name, text };
  const content = parseFile(source, 'bad-input', () => REWRITE);
  const version = member(content, 'version');
  if (typeof version === 'number' && version > VERSION) {
    const what = `the baseline is of version ${version}, this Patchgate reads version ${VERSION}`;
    throw new PatchgateError('bad-input', `${placeIn(source, '/version')}: ${what}`, {
      hint: 'update patchgate',
    });
  }
  checkFile('baseline', content, source, 'bad-input');
  return member(content, 'findings') as unknown as KnownFindings[];
}

const REWRITE = 'correct it, or delete it and write it again with --write-baseline';

/** The text of a baseline: sorted, a line for each entry, so that a change of it is easy to review. */
export function baselineText(findings: readonly KnownFindings[]): string {
  const lines = findings.toSorted(inOrder).map((entry) => `\n    ${JSON.stringify(entry)}`);
  const list = lines.length === 0 ? '[]' : `[${lines.join(',')}\n  ]`;
  return `{\n  "version": ${VERSION},\n  "findings": ${list}\n}\n`;
}

const ORDER = ['file', 'request', 'pointer', 'rule', 'fingerprint'] as const;

function inOrder(a: KnownFindings, b: KnownFindings): number {
  const name = ORDER.find((one) => (a[one] ?? '') !== (b[one] ?? ''));
  return name === undefined ? 0 : (a[name] ?? '') < (b[name] ?? '') ? -1 : 1;
}

/** The name that a judged file has in a baseline. */
export function nameInBaseline(file: string, cwd: string, baseline: string): string {
  if (file === STDIN_NAME) return file;
  return relative(dirname(baseline), resolve(cwd, file)).replaceAll(sep, '/');
}

function countOf(known: readonly KnownFindings[]): number {
  return known.reduce((total, { count = 1 }) => total + count, 0);
}

/**
 * Makes all findings known but those that are suppressed already. What the baseline has of other files stays, as long as there are
 * such files.
 *
 * @returns what the baseline holds now
 */
async function writeBaseline(
  files: readonly CheckedFile[],
  file: string,
  former: readonly KnownFindings[],
  nameOf: (file: string) => string,
): Promise<KnownFindings[]> {
  const judged = new Set(files.map((one) => nameOf(one.file)));
  const others = former.filter((entry) => !judged.has(entry.file));
  const all = [
    ...(await ofExistingFiles(others, dirname(file))),
    ...files.flatMap((one) => knownOf(one, nameOf(one.file))),
  ];
  const text = baselineText(all);
  const there = await readFile(file, 'utf8').catch(() => undefined);
  if (there !== text) await writeFileWhole(file, [text]);
  return all;
}

function knownOf({ subjects }: CheckedFile, file: string): KnownFindings[] {
  const known = new Map<string, KnownFindings>();
  const add = (entry: KnownFindings, count: number) => {
    const total = (known.get(entry.fingerprint)?.count ?? 0) + count;
    known.set(entry.fingerprint, { ...entry, count: total });
  };
  for (const subject of subjects) {
    const about = { file, request: requestOf(subject).join(' ') };
    for (const finding of subject.findings) {
      if (finding.excuse) continue;
      const { rule, pointer } = finding;
      add({ ...about, rule, pointer, fingerprint: identityOf(subject, finding) }, 1);
    }
    if (subject.omitted === 0) continue;
    const rules = [...new Set(subject.findings.map(({ rule }) => rule))].sort();
    add({ ...about, rules, fingerprint: omittedIdentityOf(subject) }, subject.omitted);
  }
  return [...known.values()].map(({ count = 1, ...one }) => (count === 1 ? one : { ...one, count }));
}

/** What a baseline has of files that are there. Standard input may come again. @param folder the baseline's */
async function ofExistingFiles(entries: readonly KnownFindings[], folder: string): Promise<KnownFindings[]> {
  const isThere = new Map([[STDIN_NAME, true]]);
  for (const { file } of entries) {
    if (isThere.has(file)) continue;
    const code = await access(resolve(folder, file)).catch((error: unknown) => systemCode(error) ?? '');
    // One that cannot be looked for may be there.
    isThere.set(file, code !== 'ENOENT' && code !== 'ENOTDIR');
  }
  return entries.filter(({ file }) => isThere.get(file));
}

const SUPPRESSION = { by: 'baseline' } as const;

/** What is known and was not met yet. */
type Left = Required<Pick<KnownFindings, 'rules' | 'count'>>;
/** By their fingerprints. */
type Known = Map<string, Left>;

/**
 * Suppresses what the baseline has. Of what is alike in a file as many count as known as were known; those of a request that were
 * left out, for being very many, are known by their number and the rules that found something then.
 *
 * @returns the files, and how many findings of them the baseline has that are gone
 */
function suppressKnown(
  files: readonly CheckedFile[],
  baseline: readonly KnownFindings[],
  nameOf: (file: string) => string,
): { files: CheckedFile[]; gone: number } {
  const left = new Map<string, Known>();
  for (const { file, fingerprint, count = 1, rules = [] } of baseline) {
    const ofFile = left.get(file) ?? (new Map() as Known);
    left.set(file, ofFile);
    // The same line twice is what a merge made of it.
    if ((ofFile.get(fingerprint)?.count ?? 0) < count) ofFile.set(fingerprint, { count, rules });
  }
  let gone = 0;
  const suppressed = files.map((file) => {
    const ofFile = left.get(nameOf(file.file));
    if (!ofFile) return file;
    const subjects = file.subjects.map((subject) => suppressIn(subject, ofFile));
    for (const { count } of ofFile.values()) gone += count;
    return { ...file, subjects };
  });
  return { files: suppressed, gone };
}

function suppressIn(subject: Subject, left: Known): Subject {
  const take = (fingerprint: string, count = 1): boolean => {
    const there = left.get(fingerprint);
    if (!there || there.count < count) return false;
    there.count -= count;
    return true;
  };
  const suppress = (findings: readonly PlacedFinding[], isKnown: (finding: PlacedFinding) => boolean) =>
    findings.map((one) => (one.excuse || !isKnown(one) ? one : { ...one, excuse: SUPPRESSION }));
  const known = suppress(subject.findings, (finding) => take(identityOf(subject, finding)));
  const omitted = omittedIdentityOf(subject);
  const rules = left.get(omitted)?.rules ?? [];
  // Where some are mended, others that were left out come to light.
  const findings = suppress(known, ({ rule }) => rules.includes(rule) && take(omitted));
  const omittedIsKnown = subject.omitted > 0 && take(omitted, subject.omitted);
  return { ...subject, findings, ...(omittedIsKnown && { omittedExcuse: SUPPRESSION }) };
}
