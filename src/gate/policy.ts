import { REQUEST_RULES, type RequestRule } from '../contract/request-rules.ts';
import { findPlaces } from '../json/json-text.ts';
import {
  type Finding,
  type RawFinding,
  type RuleInfo,
  type SeveritySetting,
  STAGES,
  type Verdict,
} from '../model/finding.ts';

/** What turns findings into a verdict. */
export interface PolicyOptions {
  /** `enforce` blocks on errors, `warn` only reports, `off` judges nothing but what the guard asks. */
  validation: 'enforce' | 'warn' | 'off';
  /** Blocks deletions for good, `strict` also possible ones; independent of `validation`. */
  guard: 'on' | 'strict' | 'off';
}

/** What else there is to say of a request that was judged. */
interface Judged {
  /** Severities by rule name, over the rules' own. */
  severities: () => Readonly<Record<string, SeveritySetting>>;
  /** Findings that were only counted. */
  omitted?: number;
  /** The body, for lines and columns. */
  text?: string | undefined;
  /** What it loses is to be lost: the guard lets that pass. */
  isApproved?: boolean;
  /** An unknown environment may be protected: no approval lets it pass. */
  mayProtect?: boolean;
  /** It is judged in a file. */
  isInFile?: boolean;
}

/** Findings that a verdict holds at most; the rest are counted. */
const MOST_FINDINGS = 100;
/** Findings about a member's name rather than its value. */
const ABOUT_NAMES = new Set(['schema.field-case', 'schema.unknown-field']);
const GUARD = STAGES.indexOf('guard');

/** A finding with the severity that holds for it, and the index of its stage in STAGES. */
interface Resolved {
  stage: number;
  finding: Finding;
  /** It blocks, whatever `validation` says. */
  isGuards?: true;
  /** It is of interest only if the request passes. */
  isNotice?: true | undefined;
}

/** @param operation undefined if none can be told */
export function verdictOf(
  options: PolicyOptions,
  operation: string | undefined,
  findings: readonly RawFinding[],
  judged: Judged,
): Verdict {
  const { omitted = 0, text = '', severities } = judged;
  const verdict: Verdict = { outcome: 'pass', findings: [], omitted };
  if (operation !== undefined) verdict.operation = operation;
  if (findings.length === 0) return verdict;
  const given = severities();
  const resolved = findings.flatMap((finding) => resolve(finding, options, judged, given) ?? []);
  const blocking = resolved.filter(
    ({ finding, isGuards }) => finding.severity === 'error' && (isGuards || options.validation === 'enforce'),
  );
  // Of the first stage that has one.
  const worst = blocking.toSorted((a, b) => a.stage - b.stage)[0];
  // A blocked request deletes nothing.
  const told = worst ? resolved.filter(({ isNotice }) => !isNotice) : resolved;
  const kept = mostImportant(told.map(({ finding }) => finding));
  verdict.findings = locate(kept, text);
  verdict.omitted += told.length - kept.length;
  if (!worst) return verdict;
  verdict.outcome = 'block';
  verdict.status = worst.stage === GUARD ? 409 : (infoOf(worst.finding.rule)?.status ?? 422);
  verdict.problem = verdict.status === 409 ? 'destructive-change' : 'invalid-request';
  return verdict;
}

/** Undefined: it is off. */
function resolve(
  finding: RawFinding,
  { guard, validation }: PolicyOptions,
  { isApproved = false, mayProtect = false, isInFile = false }: Judged,
  severities: Readonly<Record<string, SeveritySetting>>,
): Resolved | undefined {
  const guards = guard !== 'off';
  const own = finding.isFailure ? 'error' : (severities[finding.rule] ?? finding.severity);
  // Before it is copied: without the guard, each PATCH has one.
  if (own === 'off' && !guards && !isInFile) return undefined;
  const { isDestructive, isProtected, isUnknown, isUnread, isRemembered, isBlinding, isFailure, ...plain } =
    finding;
  const isKept = (isProtected && (guards || isInFile)) || (guards && ((isUnknown && mayProtect) || isUnread));
  const isLosing = isDestructive || isKept || (isUnknown && guard === 'strict');
  const isOfGuard = isKept || (isLosing && !isApproved);
  if (isKept || ((isOfGuard || isBlinding || finding.rule === 'request.approval') && guards)) {
    const stage = isOfGuard ? GUARD : stageOf(finding.rule);
    const protecting =
      isUnknown && isKept && 'the guard policy may protect what this project has, so no approval helps: ';
    const blind =
      isBlinding &&
      validation !== 'enforce' &&
      'the guard cannot see what this deletes, so it stops it; --no-guard lets it pass';
    const hint = [`${protecting || ''}${plain.hint ?? ''}`, blind].filter(Boolean).join('; ');
    return { stage, finding: { ...plain, ...(hint && { hint }), severity: 'error' }, isGuards: true };
  }
  // The guard says each time what it cannot see, whatever the settings of the rules.
  if (guards && !isInFile && (isRemembered || isUnknown))
    return { stage: GUARD, finding: { ...plain, severity: 'warn' }, isGuards: true, isNotice: isUnknown };
  if (validation === 'off' || own === 'off') return undefined;
  // What the guard was told to let pass is no error of a rule any more.
  const severity = isLosing && isApproved && guards ? 'warn' : own;
  return { stage: stageOf(finding.rule), finding: { ...plain, severity } };
}

/** Within the bound. Where not all fit, errors go before warnings, and the first one of each rule before the others. */
function mostImportant(findings: Finding[]): Finding[] {
  if (findings.length <= MOST_FINDINGS) return findings;
  const ordered = (['error', 'warn'] as const).flatMap((severity) => {
    const some = findings.filter((finding) => finding.severity === severity);
    const firsts = new Map(some.toReversed().map((finding) => [finding.rule, finding]));
    return [...new Set([...firsts.values(), ...some])];
  });
  const kept = new Set(ordered.slice(0, MOST_FINDINGS));
  return findings.filter((finding) => kept.has(finding));
}

/** Gives each finding inside the body its line and column. */
function locate(findings: Finding[], text: string): Finding[] {
  if (text === '') return findings;
  const open = findings.filter(({ line, rule }) => line === undefined && !infoOf(rule));
  if (open.length === 0) return findings;
  const wanted = open.map(({ pointer, rule }) => {
    return { pointer, part: ABOUT_NAMES.has(rule) ? ('name' as const) : ('value' as const) };
  });
  const places = findPlaces(text, wanted);
  for (const [index, finding] of open.entries()) Object.assign(finding, places[index]);
  return findings;
}

function stageOf(rule: string): number {
  return STAGES.indexOf(infoOf(rule)?.stage ?? 'contract');
}

function infoOf(rule: string): RuleInfo | undefined {
  return Object.hasOwn(REQUEST_RULES, rule) ? REQUEST_RULES[rule as RequestRule] : undefined;
}
