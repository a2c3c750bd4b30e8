import { messageOf, PatchgateError } from '../errors.ts';
import type { OperationEntry } from '../model/contract.ts';
import type { RawFinding } from '../model/finding.ts';
import type { JsonValue } from '../model/json.ts';
import { nearest } from '../model/nearest.ts';
import { RULES } from './index.ts';
import type { Place, Rule } from './rule.ts';

/** A rule as an operation's entry sets it. */
export interface BoundRule {
  /** Never throws: a rule that does is a finding of severity error itself. */
  check(body: JsonValue, recordId: string): RawFinding[];
}

/** Findings of one rule that are kept; a rule on a hostile body is stopped here. */
const MOST_FINDINGS = 200;

/**
 * The rules that an operation names, each tried with its canary.
 *
 * @throws PatchgateError `bad-contract` where a rule is unknown or lets its canary pass
 */
export function bindRules(named: OperationEntry['rules'], file: string): BoundRule[] {
  return named.map((entry) => {
    const { name, severity } = typeof entry === 'string' ? { name: entry, severity: undefined } : entry;
    const rule = RULES.find((candidate) => candidate.name === name);
    if (!rule) {
      const near = nearest(
        name,
        RULES.map((candidate) => candidate.name),
      );
      throw new PatchgateError('bad-contract', `${file}: there is no rule ${JSON.stringify(name)}`, {
        hint: near
          ? `did you mean "${near}"?`
          : `rules: ${RULES.map((candidate) => candidate.name).join(', ')}`,
      });
    }
    tryCanary(rule);
    const setting = severity ?? rule.severity;
    return { check: (body, recordId) => findingsOf(rule, setting, body, recordId) };
  });
}

function findingsOf(rule: Rule, setting: Rule['severity'], body: JsonValue, recordId: string): RawFinding[] {
  const findings: RawFinding[] = [];
  try {
    for (const place of rule.check({ body, recordId })) {
      if (findings.push(findingOf(rule, setting, place)) >= MOST_FINDINGS) break;
    }
  } catch (error) {
    // Fails closed: nobody knows what the rule would have said.
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

function findingOf({ name, basis, source }: Rule, severity: Rule['severity'], place: Place): RawFinding {
  return { rule: name, severity, basis, source, ...place };
}

function tryCanary(rule: Rule): void {
  const [canary] = rule.examples.fails;
  if (canary) {
    const found = findingsOf(rule, 'error', canary.body, canary.recordId ?? '').map(({ pointer }) => pointer);
    if (canary.pointers.every((pointer) => found.includes(pointer))) return;
  }
  throw new PatchgateError('bad-contract', `the rule ${rule.name} lets its canary pass`, {
    hint: 'correct the rule, or the first failing example of its file',
  });
}
