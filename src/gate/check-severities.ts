import { furtherSchemaRules } from '../contract/schema-rules.ts';
import { PatchgateError } from '../errors.ts';
import type { SeveritySetting } from '../model/finding.ts';
import { nearest } from '../model/nearest.ts';
import { DRIFT_NAMES } from '../recordings/drift/drift-rules.ts';
import type { CatalogueEntry } from './catalogue.ts';

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
  const all = [...names, ...furtherSchemaRules(), ...DRIFT_NAMES];
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
