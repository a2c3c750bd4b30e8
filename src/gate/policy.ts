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
  /** Severities by rule name, over the rules' own. */
  severities: Readonly<Record<string, SeveritySetting>>;
}

/** What else there is to say of a request that was judged. */
interface Judged {
  /** Findings that were only counted. */
  omitted?: number;
  /** The body, for lines and columns. */
  text?: string;
  /** What it loses is to be lost: the guard lets that pass. */
  isApproved?: boolean;
  /** What is not known may be protected: no approval lets it pass. */
  mayProtect?: boolean;
  /** It is judged in a file. */
  isInFile?: boolean;
}

export interface Policy {
  (operation: string | undefined, findings: readonly RawFinding[], more?: Judged): Verdict;
  /** False: nothing would come of judging. */
  readonly judges: boolean;
}

/** Findings that a verdict holds at most; the rest are counted. */
const MOST_FINDINGS = 100;
/** Findings about a member's name rather than its value. */
const ABOUT_NAMES = new Set(['schema.field-case', 'schema.unknown-field']);

export function createPolicy(options: PolicyOptions): Policy {
  const { severities } = options;
  const guards = options.guard !== 'off';
  const isStrict = options.guard === 'strict';

  const resolve = (
    finding: RawFinding,
    isApproved: boolean,
    mayProtect: boolean,
    isInFile: boolean,
  ): ResolvedFinding | undefined => {
    const { isDestructive, isProtected, isUnknown, isUnread, isRemembered, isBlinding, isFailure, ...plain } =
      finding;
    const isKept =
      (isProtected && (guards || isInFile)) || (isUnknown && mayProtect && guards) || (isUnread && guards);
    const isLosing = isDestructive || isKept || (isUnknown && isStrict);
    const isOfGuard = isKept || (isLosing && !isApproved);
    if (isKept || ((isOfGuard || isBlinding || finding.rule === APPROVAL) && guards)) {
      const stage = isOfGuard ? GUARD : stageOf(finding.rule);
      const isBlind = isBlinding && options.validation !== 'enforce';
      const hint = isBlind
        ? blindHint(plain.hint)
        : isUnknown && isKept
          ? `${MAY_BE_PROTECTED}: ${plain.hint}`
          : undefined;
      const why = hint === undefined ? {} : { hint };
      return { stage, finding: { ...plain, ...why, severity: 'error' }, isGuards: true };
    }
    // The guard says each time what it cannot see, whatever the settings of the rules.
    if (guards && (isRemembered || isUnknown))
      return { stage: GUARD, finding: { ...plain, severity: 'warn' }, isGuards: true, isNotice: true };
    if (options.validation === 'off') return undefined;
    const severity = isFailure ? 'error' : (severities[finding.rule] ?? finding.severity);
    if (severity === 'off') return undefined;
    // What the guard was told to let pass is no error of a rule any more.
    const resolvedSeverity = isLosing && isApproved && guards ? 'warn' : severity;
    return {
      stage: stageOf(finding.rule),
      finding: { ...plain, severity: resolvedSeverity },
      isGuards: false,
    };
  };

  const decide = (
    operation: string | undefined,
    findings: readonly RawFinding[],
    { omitted = 0, text = '', isApproved = false, mayProtect = false, isInFile = false } = NOTHING_MORE,
  ): Verdict => {
    const known = operation === undefined ? {} : { operation };
    if (findings.length === 0) return { outcome: 'pass', ...known, findings: NONE, omitted };
    const resolved: ResolvedFinding[] = [];
    for (const finding of findings) {
      const one = resolve(finding, isApproved, mayProtect, isInFile);
      if (one) resolved.push(one);
    }
    const worst = worstOf(resolved, options.validation === 'enforce');
    // What is blocked deletes nothing.
    const told = worst ? resolved.filter(({ isNotice }) => !isNotice) : resolved;
    const kept = mostImportant(told);
    const verdict = {
      ...known,
      findings: locate(kept, text),
      omitted: omitted + told.length - kept.length,
    };
    if (!worst) return { outcome: 'pass', ...verdict };
    const status = worst.stage === GUARD ? 409 : statusOf(worst.finding.rule);
    return { outcome: 'block', ...verdict, status, problem: problemOf(status) };
  };
  return Object.assign(decide, { judges: options.validation !== 'off' || guards });
}

interface ResolvedFinding {
  /** Index in STAGES. */
  stage: number;
  finding: Finding;
  /** It blocks, whatever `validation` says. */
  isGuards: boolean;
  /** It is of interest only where the request passes. */
  isNotice?: true;
}

const MAY_BE_PROTECTED = 'the guard policy may protect what this project has, so no approval helps';
const NOTHING_MORE: Judged = {};
const APPROVAL: RequestRule = 'request.approval';
const GUARD = STAGES.indexOf('guard');
const CONTRACT = STAGES.indexOf('contract');
const NONE: readonly Finding[] = [];

function blindHint(hint: string | undefined): string {
  const why = 'the guard cannot see what this deletes, so it stops it; --no-guard lets it pass';
  return hint === undefined ? why : `${hint}; ${why}`;
}

/** The blocking error of the first stage that has one. */
function worstOf(resolved: readonly ResolvedFinding[], enforces: boolean): ResolvedFinding | undefined {
  let worst: ResolvedFinding | undefined;
  for (const one of resolved) {
    if (one.finding.severity !== 'error' || !(one.isGuards || enforces)) continue;
    if (!worst || one.stage < worst.stage) worst = one;
  }
  return worst;
}

/** Within the bound; where not all fit, errors go before warnings. */
function mostImportant(resolved: readonly ResolvedFinding[]): Finding[] {
  const findings = resolved.map(({ finding }) => finding);
  if (findings.length <= MOST_FINDINGS) return findings;
  const ordered = [
    ...firstsOfRules(findings.filter(({ severity }) => severity === 'error')),
    ...firstsOfRules(findings.filter(({ severity }) => severity === 'warn')),
  ];
  const kept = new Set(ordered.slice(0, MOST_FINDINGS));
  return findings.filter((finding) => kept.has(finding));
}

/** The first one of each rule, then the others: a flood of one rule hides no other, which may be new to a baseline. */
function firstsOfRules(findings: readonly Finding[]): Finding[] {
  const firsts = new Map<string, Finding>();
  for (const finding of findings) if (!firsts.has(finding.rule)) firsts.set(finding.rule, finding);
  return [...new Set([...firsts.values(), ...findings])];
}

/** Gives each finding inside the body its line and column. */
function locate(findings: Finding[], text: string): Finding[] {
  if (text === '') return findings;
  const open = findings.filter(({ line, rule }) => line === undefined && !Object.hasOwn(REQUEST_RULES, rule));
  const places = findPlaces(
    text,
    open.map(({ pointer, rule }) => ({
      pointer,
      part: ABOUT_NAMES.has(rule) ? ('name' as const) : ('value' as const),
    })),
  );
  for (const [index, finding] of open.entries()) Object.assign(finding, places[index]);
  return findings;
}

function stageOf(rule: string): number {
  const info = infoOf(rule);
  return info ? STAGES.indexOf(info.stage) : CONTRACT;
}

function statusOf(rule: string): number {
  return infoOf(rule)?.status ?? 422;
}

function infoOf(rule: string): RuleInfo | undefined {
  return (REQUEST_RULES as Readonly<Record<string, RuleInfo>>)[rule];
}

function problemOf(status: number): NonNullable<Verdict['problem']> {
  return status === 409 ? 'destructive-change' : 'invalid-request';
}
