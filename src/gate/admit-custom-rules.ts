import { PatchgateError } from '../errors.ts';
import { pointerOf } from '../json/pointer.ts';
import { nearest } from '../model/nearest.ts';
import type { Rule } from '../model/rule.ts';
import { CATALOGUE } from './catalogue.ts';

/**
 * Whether rules of one's own are for operations that there are, and told from all others by name.
 *
 * @param placeOf what is meant by a JSON Pointer in the config, and where it stands, for messages
 * @throws PatchgateError `bad-config`
 */
export function admitCustomRules(
  customRules: Readonly<Record<string, readonly Rule[]>>,
  operations: readonly string[],
  placeOf: (pointer: string) => string,
): void {
  const builtIn = new Set(CATALOGUE.map(({ name }) => name));
  const places = new Map<string, { rule: Rule; place: string }>();
  for (const [operation, rules] of Object.entries(customRules)) {
    if (!operations.includes(operation)) {
      const near = nearest(operation, operations);
      throw refusal(
        `${placeOf(pointerOf(['customRules', operation]))}: the contract has no such operation`,
        near ? `did you mean "${near}"?` : `operations: ${operations.join(', ')}`,
      );
    }
    for (const [index, rule] of rules.entries()) {
      const at = pointerOf(['customRules', operation, index]);
      const place = placeOf(at);
      const name = placeOf(`${at}/name`);
      if (builtIn.has(rule.name))
        throw refusal(`${name}: ${rule.name} is a built-in rule`, 'give it a scope of your own: team.…');
      if (rules.indexOf(rule) < index)
        throw refusal(`${place}: the rule ${rule.name} is in this list already`, 'name it once an operation');
      const other = places.get(rule.name);
      if (other && other.rule !== rule)
        throw refusal(`${name}: ${other.place} is another rule ${rule.name}`, 'give each its own name');
      places.set(rule.name, { rule, place });
    }
  }
}

function refusal(message: string, hint: string): PatchgateError {
  return new PatchgateError('bad-config', message, { hint });
}
