import { PatchgateError } from '../errors.ts';
import type { OperationEntry } from '../model/contract.ts';
import type { RawFinding } from '../model/finding.ts';
import { FindingBounds } from '../model/finding-bounds.ts';
import { nearest } from '../model/nearest.ts';
import { contextOf, type Rule, type RuleContext } from '../model/rule.ts';
import { findingsOf } from './findings-of.ts';
import { RULES } from './index.ts';

/** A rule as an operation's entry sets it. */
export interface BoundRule {
  /** Whether the guard counts on it. */
  guards: boolean;
  /** Whether it has something to say only where there are effects. */
  readsEffects: boolean;
  /** Never throws: a rule that does is a finding of severity error itself. What is too much is counted in `bounds`. */
  check(context: RuleContext, bounds?: FindingBounds): RawFinding[];
}

/**
 * The rules that an operation names, each tried with its canary.
 *
 * @param rules those that there are
 * @throws PatchgateError `bad-contract` where a rule is unknown or lets its canary pass
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
      const near = nearest(name, names);
      throw new PatchgateError('bad-contract', `${file}: there is no rule ${JSON.stringify(name)}`, {
        hint: near ? `did you mean "${near}"?` : `rules: ${names.join(', ')}`,
      });
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
