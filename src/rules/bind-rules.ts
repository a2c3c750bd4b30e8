import { messageOf, PatchgateError } from '../errors.ts';
import type { OperationEntry } from '../model/contract.ts';
import type { RawFinding } from '../model/finding.ts';
import { FindingBounds } from '../model/finding-bounds.ts';
import { contextOf, type Example, type Place, type Rule, type RuleContext } from '../model/rule.ts';
import { meant } from '../schemas/check.ts';
import { checkedPlaces, frozenContext } from './custom-rules.ts';
import { RULES } from './index.ts';

/** A rule as an operation's entry sets it. */
export interface BoundRule {
  /** Whether the guard counts on it. */
  guards: boolean;
  /** Whether it has something to say only if there are effects. */
  readsEffects: boolean;
  /** Never throws: a rule that does is a finding of severity error itself. `bounds` counts findings past its limits. */
  check(context: RuleContext, bounds?: FindingBounds): RawFinding[];
}

/**
 * The rules that an operation names, each tried with its canary.
 *
 * @param rules those that there are
 * @throws PatchgateError `bad-contract` if a rule is unknown or lets its canary pass
 */
export function bindRules(
  named: OperationEntry['rules'],
  file: string,
  rules: readonly Rule[] = RULES,
): BoundRule[] {
  return named.map((entry) => {
    const { name, severity } = typeof entry === 'string' ? { name: entry, severity: undefined } : entry;
    const rule = rules.find((candidate) => candidate.name === name);
    if (!rule) {
      const names = rules.map((candidate) => candidate.name);
      const hint = meant(name, names) ?? `rules: ${names.join(', ')}`;
      throw new PatchgateError('bad-contract', `${file}: there is no rule ${JSON.stringify(name)}`, { hint });
    }
    tryCanary(rule);
    const setting = severity ?? rule.severity;
    return {
      guards: rule.guards ?? false,
      readsEffects: rule.readsEffects ?? false,
      check: (context, bounds = new FindingBounds()) => findingsOf(rule, setting, context, bounds, true),
    };
  });
}

function tryCanary(rule: Rule): void {
  const [canary] = rule.examples.fails;
  if (canary) {
    const found = findingsOf(rule, 'error', contextOf(canary), new FindingBounds(), true);
    const points = new Set(found.map(({ pointer }) => pointer));
    if (!found.some(({ isFailure }) => isFailure) && canary.pointers.every((pointer) => points.has(pointer)))
      return;
  }
  throw new PatchgateError('bad-contract', `the rule ${rule.name} lets its canary pass`, {
    hint: 'correct the rule, or the first failing example of its file',
  });
}

/**
 * What a rule says of a request. Never throws: a rule that does is a finding of severity error itself.
 *
 * @param isTrusted its places need no look: it is a built-in one
 */
function findingsOf(
  rule: Rule,
  setting: Rule['severity'],
  context: RuleContext,
  bounds: FindingBounds,
  isTrusted: boolean,
): RawFinding[] {
  const findings: RawFinding[] = [];
  try {
    for (const place of isTrusted ? rule.check(context) : checkedPlaces(rule, context)) {
      if (bounds.takes(rule.name, kindOf(place) ?? setting, place.pointer.length))
        findings.push(findingOf(rule, setting, place));
    }
  } catch (error) {
    // Fails closed: what the rule would have said is not known.
    findings.push({
      rule: rule.name,
      severity: 'error',
      isFailure: true,
      basis: rule.basis,
      pointer: '',
      message: `the rule failed, so the request cannot be judged: ${messageOf(error)}`,
      hint: 'this is a fault of the rule: report it with the body',
      source: rule.source,
    });
  }
  return findings;
}

/** Bounded by itself: destructive findings must not hide protected ones. */
function kindOf({ isProtected, isDestructive }: Place): string | undefined {
  if (isProtected) return 'protected';
  return isDestructive ? 'destructive' : undefined;
}

/** Most findings of honest requests are made here, so without a spread. */
function findingOf({ name, basis, source }: Rule, severity: Rule['severity'], place: Place): RawFinding {
  const { pointer, message } = place;
  const finding: RawFinding = { rule: name, severity, basis, source, pointer, message };
  if (place.hint !== undefined) finding.hint = place.hint;
  if (place.isDestructive) finding.isDestructive = true;
  if (place.isProtected) finding.isProtected = true;
  if (place.isUnknown) finding.isUnknown = true;
  if (place.isUnread) finding.isUnread = true;
  if (place.isRemembered) finding.isRemembered = true;
  return finding;
}

/**
 * A team's own rules of one operation as one, so that what they are shown is copied once. Each is tried with its first
 * examples: no other test is known of it.
 *
 * @param placeOf where the rule of an index stands, for messages: `customRules.updateProject[0] in patchgate.config.mjs`
 * @throws PatchgateError `bad-config` if a rule does not say what its first examples say that it does
 */
export function bindCustomRules(rules: readonly Rule[], placeOf: (index: number) => string): BoundRule {
  for (const [index, rule] of rules.entries()) tryExamples(rule, placeOf(index));
  return {
    guards: rules.some(({ guards }) => guards),
    readsEffects: rules.every(({ readsEffects }) => readsEffects),
    check(context, bounds = new FindingBounds()) {
      const shown = frozenContext(context);
      const hasEffects = context.effects !== undefined && context.effects.length > 0;
      return rules
        .filter(({ readsEffects }) => hasEffects || !readsEffects)
        .flatMap((rule) => findingsOf(rule, rule.severity, shown, bounds, false));
    },
  };
}

function tryExamples(rule: Rule, where: string): void {
  const refuse = (what: string) =>
    new PatchgateError('bad-config', `${where}: the rule ${rule.name} ${what}`, {
      hint: 'correct the rule or its examples: testRule of patchgate/testing tries them all',
    });
  const told = (example: Example, place: string) => {
    const found = findingsOf(rule, 'error', frozenContext(contextOf(example)), new FindingBounds(), false);
    const failure = found.find(({ isFailure }) => isFailure);
    if (failure) throw refuse(`fails on examples.${place}[0]: ${failure.message.replace(/^.*?: /, '')}`);
    return found;
  };
  const { passes, fails } = rule.examples;
  const [canary] = fails;
  const points = canary && told(canary, 'fails').map(({ pointer }) => pointer);
  const missed = canary?.pointers.find((pointer) => !points?.includes(pointer));
  if (missed !== undefined)
    throw refuse(`lets its canary pass: it finds nothing at ${JSON.stringify(missed)} in examples.fails[0]`);
  const [good] = passes;
  const [wrong] = good ? told(good, 'passes') : [];
  if (wrong) throw refuse(`finds something at ${JSON.stringify(wrong.pointer)} in examples.passes[0]`);
}
