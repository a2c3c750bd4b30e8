import { messageOf } from '../errors.ts';
import type { RawFinding } from '../model/finding.ts';
import type { FindingBounds } from '../model/finding-bounds.ts';
import type { Place, Rule, RuleContext } from '../model/rule.ts';
import { checkedPlaces } from './checked-places.ts';

/**
 * What a rule says of a request. Never throws: a rule that does is a finding of severity error itself.
 *
 * @param isTrusted its places need no look: it is a built-in one
 */
export function findingsOf(
  rule: Rule,
  setting: Rule['severity'],
  context: RuleContext,
  bounds: FindingBounds,
  isTrusted: boolean,
): RawFinding[] {
  const findings: RawFinding[] = [];
  try {
    for (const place of isTrusted ? rule.check(context) : checkedPlaces(rule, context)) {
      if (bounds.takes(rule.name, place.isDestructive ? 'destructive' : setting, place.pointer.length))
        findings.push(findingOf(rule, setting, place));
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

/** Only what a place may say; most findings of honest requests are made here, so without a spread. */
function findingOf(
  { name, basis, source }: Rule,
  severity: Rule['severity'],
  { pointer, message, hint, isDestructive, isUnknown }: Place,
): RawFinding {
  const finding: RawFinding = { rule: name, severity, basis, source, pointer, message };
  if (hint !== undefined) finding.hint = hint;
  if (isDestructive) finding.isDestructive = true;
  if (isUnknown) finding.isUnknown = true;
  return finding;
}
