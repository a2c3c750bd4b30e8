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
  /** Blocks what deletes for good, `strict` also what is not known; independent of `validation`. */
  guard: 'on' | 'strict' | 'off';
}

/** What else there is to say of a request that was judged. */
interface Judged {
  /** Severities by rule name, over the rules' own. */
  severities?: () => Readonly<Record<string, SeveritySetting>>;
  /** Findings that were only counted. */
  omitted?: number;
  /** The body, for lines and columns. */
  text?: string | undefined;
  /** What it loses is to be lost: the guard lets that pass. */
  isApproved?: boolean;
  /** What is not known may be protected: no approval lets it pass. */
  mayProtect?: boolean;
  /** It is judged in a file. */
  isInFile?: boolean;
}

/** Findings that a verdict holds at most; the rest are counted. */
const MOST_FINDINGS = 100;
/** Findings about a member's name rather than its value. */
const ABOUT_NAMES = new Set(['schema.field-case', 'schema.unknown-field']);
const APPROVAL: RequestRule = 'request.approval';
const GUARD = STAGES.indexOf('guard');
const NONE: readonly Finding[] = [];
const NO_SEVERITIES = () => ({});

interface Resolved {
  /** Index in STAGES. */
  stage: number;
  finding: Finding;
  /** It blocks, whatever `validation` says. */
  isGuards?: true;
  /** It is of interest only where the request passes. */
  isNotice?: true;
}

/** @param operation undefined where none can be told */
export function verdictOf(
  options: PolicyOptions,
  operation: string | undefined,
  findings: readonly RawFinding[],
  judged: Judged,
): Verdict {
  const { omitted = 0, text = '', severities = NO_SEVERITIES } = judged;
  const verdict: Verdict = { outcome: 'pass', findings: NONE, omitted };
  if (operation !== undefined) verdict.operation = operation;
  if (findings.length === 0) return verdict;
  const given = severities();
  const resolved: Resolved[] = [];
  for (const finding of findings) {
    const one = resolve(finding, options, judged, given);
    if (one) resolved.push(one);
  }
  if (resolved.length === 0) return verdict;
  const worst = worstOf(resolved, options.validation === 'enforce');
  // What is blocked deletes nothing.
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

/** A finding with the severity that holds for it; undefined: it is off. */
function resolve(
  finding: RawFinding,
  { guard, validation }: PolicyOptions,
  { isApproved = false, mayProtect = false, isInFile = false }: Judged,
  severities: Readonly<Record<string, SeveritySetting>>,
): Resolved | undefined {
  const { isDestructive, isProtected, isUnknown, isUnread, isRemembered, isBlinding, isFailure, ...plain } =
    finding;
  const guards = guard !== 'off';
  const isKept =
    (isProtected && (guards || isInFile)) || (isUnknown && mayProtect && guards) || (isUnread && guards);
  const isLosing = isDestructive || isKept || (isUnknown && guard === 'strict');
  const isOfGuard = isKept || (isLosing && !isApproved);
  if (isKept || ((isOfGuard || isBlinding || finding.rule === APPROVAL) && guards)) {
    const stage = isOfGuard ? GUARD : stageOf(finding.rule);
    const hint = guardsHint(plain.hint, isBlinding && validation !== 'enforce', isUnknown && isKept);
    const why = hint === undefined ? {} : { hint };
    return { stage, finding: { ...plain, ...why, severity: 'error' }, isGuards: true };
  }
  // The guard says each time what it cannot see, whatever the settings of the rules.
  if (guards && (isRemembered || isUnknown))
    return { stage: GUARD, finding: { ...plain, severity: 'warn' }, isGuards: true, isNotice: true };
  if (validation === 'off') return undefined;
  const own = isFailure ? 'error' : (severities[finding.rule] ?? finding.severity);
  if (own === 'off') return undefined;
  // What the guard was told to let pass is no error of a rule any more.
  const severity = isLosing && isApproved && guards ? 'warn' : own;
  return { stage: stageOf(finding.rule), finding: { ...plain, severity } };
}

function guardsHint(hint: string | undefined, isBlind = false, mayBeProtected = false): string | undefined {
  const why = isBlind && 'the guard cannot see what this deletes, so it stops it; --no-guard lets it pass';
  const first = mayBeProtected && 'the guard policy may protect what this project has, so no approval helps';
  const parts = first ? [`${first}: ${hint}`] : [hint, why].filter(Boolean);
  return parts.length > 0 ? parts.join('; ') : undefined;
}

/** The blocking error of the first stage that has one. */
function worstOf(resolved: readonly Resolved[], enforces: boolean): Resolved | undefined {
  let worst: Resolved | undefined;
  for (const one of resolved) {
    if (one.finding.severity !== 'error' || !(one.isGuards || enforces)) continue;
    if (!worst || one.stage < worst.stage) worst = one;
  }
  return worst;
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
