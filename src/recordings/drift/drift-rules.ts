import type { Basis, SeveritySetting } from '../../model/finding.ts';

/** What the rules of drift may find, under names of their own, so that their severities can be set as those of any rule. */
export type DriftRule =
  | 'drift.status'
  | 'drift.no-answer'
  | 'drift.removed'
  | 'drift.type-changed'
  | 'drift.items'
  | 'drift.value-changed'
  | 'drift.added'
  | 'drift.header'
  | 'drift.body';

interface DriftRuleInfo {
  name: DriftRule;
  severity: SeveritySetting;
  basis: Basis;
  /** One sentence: what must hold. */
  says: string;
  source: string;
}

/** An error is what a client that was written by the recording may break on; other data is a warning. */
export const DRIFT_RULES: readonly DriftRuleInfo[] = [
  rule('drift.status', 'error', 'the live status is the recorded one'),
  rule('drift.no-answer', 'error', 'what was answered when it was recorded is answered'),
  rule('drift.removed', 'error', 'the live body has every recorded member'),
  rule('drift.type-changed', 'error', 'a live value is of the recorded JSON type'),
  rule('drift.items', 'warn', 'a live array has the recorded items'),
  rule('drift.value-changed', 'warn', 'a live value is the recorded one'),
  rule('drift.added', 'warn', 'the live body has no member that was not recorded'),
  rule('drift.header', 'warn', 'a live header is the recorded one (drift-headers)'),
  rule('drift.body', 'warn', 'a live body that is no JSON is the recorded one'),
];

export const DRIFT_NAMES: readonly string[] = DRIFT_RULES.map(({ name }) => name);

export function isDriftRule(name: string): name is DriftRule {
  return DRIFT_NAMES.includes(name);
}

function rule(name: DriftRule, severity: SeveritySetting, says: string): DriftRuleInfo {
  return { name, severity, basis: 'recorded', says, source: 'the recording' };
}
