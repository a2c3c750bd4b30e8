import { furtherSchemaRules, SCHEMA_RULES } from '../contract/check-schema.ts';
import { REQUEST_RULES } from '../contract/request-rules.ts';
import { PatchgateError } from '../errors.ts';
import { pointerOf } from '../json/pointer.ts';
import type { RuleInfo, SeveritySetting } from '../model/finding.ts';
import type { Rule } from '../model/rule.ts';
import { RULES } from '../rules/index.ts';
import { meant } from '../schemas/check.ts';

/** What can be said of a rule without a request. */
export type CatalogueEntry = Pick<RuleInfo, 'name' | 'severity' | 'basis' | 'says' | 'source'>;

/** Every rule that can find something: those of the request, of the schemas, and the semantic ones. */
export const CATALOGUE: readonly CatalogueEntry[] = [
  ...Object.values(REQUEST_RULES),
  ...Object.values(SCHEMA_RULES),
  ...RULES,
];

/** Of a body that breaks one of these there is nothing to judge: to make it milder would turn judging off. */
const ALWAYS_ERRORS = ['request.json', 'request.too-large', 'request.content-encoding'];

const refusal = (message: string, hint: string) => new PatchgateError('bad-config', message, { hint });

function nearestHint(name: string, names: readonly string[], what: string): string {
  return meant(name, names) ?? `${what}: ${names.join(', ')}`;
}

/** Names of all rules that a finding may be of. @param rules those of the gate */
export function ruleNames(rules: readonly CatalogueEntry[]): string[] {
  return [...rules.map(({ name }) => name), ...furtherSchemaRules()];
}

/**
 * Whether severities are given for rules that there are, and that can have them.
 *
 * @param placeOf names the place of a rule's severity, for messages
 * @throws PatchgateError `bad-config`
 */
export function checkSeverities(
  severities: Readonly<Record<string, SeveritySetting>>,
  rules: readonly CatalogueEntry[],
  placeOf: (rule: string) => string,
): void {
  const all = ruleNames(rules);
  for (const [name, severity] of Object.entries(severities)) {
    const hint =
      'a body that breaks it cannot be judged at all: use --validation warn to let such bodies pass';
    if (ALWAYS_ERRORS.includes(name) && severity !== 'error')
      throw refusal(`${placeOf(name)} cannot be ${JSON.stringify(severity)}`, hint);
    if (!all.includes(name))
      throw refusal(`${placeOf(name)}: there is no such rule`, nearestHint(name, all, 'rules'));
  }
}

/**
 * Whether rules of one's own are for operations that there are, and told from all others by name.
 *
 * @param placeOf names a JSON Pointer's place in the config, for messages
 * @throws PatchgateError `bad-config`
 */
export function admitCustomRules(
  customRules: Readonly<Record<string, readonly Rule[]>>,
  operations: readonly string[],
  placeOf: (pointer: string) => string,
): void {
  const places = new Map<string, { rule: Rule; place: string }>();
  for (const [operation, rules] of Object.entries(customRules)) {
    const at = pointerOf(['customRules', operation]);
    if (!operations.includes(operation)) {
      const hint = nearestHint(operation, operations, 'operations');
      throw refusal(`${placeOf(at)}: the contract has no such operation`, hint);
    }
    for (const [index, rule] of rules.entries()) {
      const [place, name] = [placeOf(`${at}/${index}`), placeOf(`${at}/${index}/name`)];
      const other = places.get(rule.name);
      if (CATALOGUE.some((one) => one.name === rule.name))
        throw refusal(`${name}: ${rule.name} is a built-in rule`, 'give it a scope of your own: team.…');
      if (rules.indexOf(rule) < index)
        throw refusal(`${place}: the rule ${rule.name} is in this list already`, 'name it once an operation');
      if (other && other.rule !== rule)
        throw refusal(`${name}: ${other.place} is another rule ${rule.name}`, 'give each its own name');
      places.set(rule.name, { rule, place });
    }
  }
}
