import { REQUEST_RULES } from '../contract/request-rules.ts';
import { SCHEMA_RULES } from '../contract/schema-rules.ts';
import type { Basis, SeveritySetting } from '../model/finding.ts';
import type { Rule } from '../model/rule.ts';
import { RULES } from '../rules/index.ts';

/** What can be said of a rule without a request. */
export interface CatalogueEntry {
  name: string;
  severity: SeveritySetting;
  basis: Basis;
  /** One sentence: what must hold. */
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
