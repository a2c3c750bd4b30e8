import { PatchgateError } from '../../errors.ts';
import { isObject } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import type { Rule } from '../../model/rule.ts';
import { misshapenRule } from './check-rule.ts';
import { type ExtraSource, placed } from './source.ts';

const EXAMPLE = "customRules: { updateProject: [{ name: 'team.rule-name', … }] }";

/**
 * `customRules` of a config file: rules by the operation that they apply to. Whether there are such operations, and whether the
 * rules work, only the gate knows.
 *
 * @throws PatchgateError `bad-config`, naming the place
 */
export function checkCustomRules(given: unknown, source: ExtraSource): Record<string, Rule[]> {
  if (given === undefined) return {};
  const fail = (pointer: string, what: string, hint: string) =>
    new PatchgateError('bad-config', `${placed(`/customRules${pointer}`, source)}${what}`, { hint });
  if (!isObject(given)) throw fail('', ' must be an object of operations and rules', EXAMPLE);
  const hint = 'a rule has a function: customRules stand in a patchgate.config.mjs';
  if (source.text !== undefined) throw fail('', ' cannot stand in JSON', hint);
  for (const [operation, rules] of Object.entries(given)) {
    const at = pointerOf([operation]);
    if (!Array.isArray(rules)) throw fail(at, ' must be a list of rules', EXAMPLE);
    for (const [index, rule] of rules.entries()) {
      const wrong = misshapenRule(rule);
      if (wrong) throw fail(`${at}/${index}${wrong.pointer}`, wrong.what, wrong.hint);
    }
  }
  return given as unknown as Record<string, Rule[]>;
}
