import type { RuleInfo } from '../model/finding.ts';

/** One of Ajv's keywords as a rule: `minLength` -> `schema.min-length`. */
export function schemaRule(keyword: string): RuleInfo {
  let info = byKeyword.get(keyword);
  if (!info) {
    const name = `schema.${keyword.replace(/ /g, '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    info = SCHEMA_RULES[name] ?? rule(name, 'error', 'stated', `the schema's ${keyword} holds`);
    byKeyword.set(keyword, info);
  }
  return info;
}

/** The further keywords of JSON Schema that a contract of one's own can use; each is a rule too. */
const FURTHER_KEYWORDS = [
  'additionalItems',
  'additionalProperties',
  'anyOf',
  'const',
  'contains',
  'dependencies',
  'dependentRequired',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'false schema',
  'items',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
  'not',
  'oneOf',
  'pattern',
  'unevaluatedItems',
  'unevaluatedProperties',
  'uniqueItems',
];

/** Names of the rules that only a contract of one's own can have. */
export function furtherSchemaRules(): string[] {
  return FURTHER_KEYWORDS.map((keyword) => schemaRule(keyword).name);
}

/** What was asked for already: as many as JSON Schema has keywords. */
const byKeyword = new Map<string, RuleInfo>();

/** The findings of the schema check. Others, of keywords that only a contract of one's own uses, are made alike. */
export const SCHEMA_RULES: Readonly<Record<string, RuleInfo>> = Object.fromEntries(
  [
    rule('schema.type', 'error', 'stated', 'a value has the type that the contract gives it'),
    rule('schema.enum', 'error', 'stated', 'a value is one of those that the contract lists'),
    rule(
      'schema.format',
      'error',
      'inferred',
      'a value has the format that the contract gives it; a URL is what the WHATWG parser accepts',
    ),
    rule('schema.required', 'error', 'stated', 'a mandatory field is there'),
    rule('schema.observed', 'warn', 'observed', 'a value is one of those that the description shows'),
    rule('schema.field-case', 'error', 'stated', 'field names are case-sensitive and given exactly'),
    rule('schema.unknown-field', 'warn', 'inferred', 'a field is one that the contract lists'),
  ].map((info) => [info.name, info]),
);

function rule(name: string, severity: 'error' | 'warn', basis: RuleInfo['basis'], says: string): RuleInfo {
  return { name, severity, basis, stage: 'contract', status: 422, says, source: 'service-api 2' };
}
