import type { Basis, SeveritySetting } from '../../model/finding.ts';

/** Of what the rules of drift find, under names of their own: their severities can be set as those of any rule. */
interface DriftRuleInfo {
  name: DriftRule;
  severity: SeveritySetting;
  basis: Basis;
  /** One sentence: what is wrong where it finds something. */
  says: string;
  source: string;
}

/** An error is what a client that was written by the recording may break on; other data is a warning. */
const RULES = {
  'drift.status': ['error', 'the live status is not the recorded one'],
  'drift.no-answer': ['error', 'a request that was answered when it was recorded is not answered'],
  'drift.removed': ['error', 'the live body lacks a recorded member'],
  'drift.type-changed': ['error', 'a live value is not of the recorded JSON type'],
  'drift.items': ['warn', 'a live array does not have the recorded items'],
  'drift.value-changed': ['warn', 'a live value is not the recorded one'],
  'drift.added': ['warn', 'the live body has a member that was not recorded'],
  'drift.header': ['warn', 'a live header is not the recorded one (drift-headers)'],
  'drift.body': ['warn', 'a live body that is no JSON is not the recorded one'],
} as const;

export type DriftRule = keyof typeof RULES;

export const DRIFT_RULES: readonly DriftRuleInfo[] = Object.entries(RULES).map(
  ([name, [severity, says]]) => ({
    ...{ name: name as DriftRule, severity, says },
    ...{ basis: 'recorded', source: 'the recording' },
  }),
);

export const DRIFT_NAMES: readonly string[] = Object.keys(RULES);

export function isDriftRule(name: string): name is DriftRule {
  return DRIFT_NAMES.includes(name);
}
