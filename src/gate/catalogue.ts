import { furtherSchemaRules, SCHEMA_RULES } from '../contract/check-schema.ts';
import { REQUEST_RULES } from '../contract/request-rules.ts';
import { PatchgateError } from '../errors.ts';
import { pointerOf } from '../json/pointer.ts';
import type { Basis, SeveritySetting } from '../model/finding.ts';
import { nearest } from '../model/nearest.ts';
import type { Rule } from '../model/rule.ts';
import { RULES } from '../rules/index.ts';

/** What can be said of a rule without a request. */
export interface CatalogueEntry {
  name: string;
  severity: SeveritySetting;
  basis: Basis;
  /** One sentence: what is wrong where it finds something. */
  says: string;
  /** The paragraph or standard that it rests on. */
  source: string;
}

/** Every rule that can find something: those of the request, of the schemas, and the semantic ones. */
export const CATALOGUE: readonly CatalogueEntry[] = [
  ...Object.values(REQUEST_RULES),
  ...Object.values(SCHEMA_RULES),
  ...RULES,
];

/** The same with rules of one's own, each once. */
export function catalogueOf(
  customRules: Readonly<Record<string, readonly Rule[]>> = {},
): readonly CatalogueEntry[] {
  return [...CATALOGUE, ...new Set(Object.values(customRules).flat())];
}

/** Of a body that breaks one of these there is nothing to judge: to make it milder would turn judging off. */
const ALWAYS_ERRORS: ReadonlySet<string> = new Set([
  'request.json',
  'request.too-large',
  'request.content-encoding',
]);

/**
 * Whether severities are given for rules that there are, and that can have them.
 *
 * @param placeOf what a rule's severity is, and where it stands, for messages
 * @throws PatchgateError `bad-config`
 */
export function checkSeverities(
  severities: Readonly<Record<string, SeveritySetting>>,
  rules: readonly CatalogueEntry[],
  placeOf: (rule: string) => string,
): void {
  const names = rules.map(({ name }) => name);
  const all = [...names, ...furtherSchemaRules()];
  for (const [name, severity] of Object.entries(severities)) {
    if (ALWAYS_ERRORS.has(name) && severity !== 'error') {
      throw new PatchgateError('bad-config', `${placeOf(name)} cannot be ${JSON.stringify(severity)}`, {
        hint: 'a body that breaks it cannot be judged at all: use --validation warn to let such bodies pass',
      });
    }
    if (all.includes(name)) continue;
    const near = nearest(name, all);
    throw new PatchgateError('bad-config', `${placeOf(name)}: there is no such rule`, {
      hint: near ? `did you mean "${near}"?` : `rules: ${names.join(', ')}`,
    });
  }
}

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
