import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonValue } from '../json/json.ts';
import { escapeToken } from '../json/pointer.ts';
import type { Basis, Finding, RuleInfo, Severity } from '../model/finding.ts';
import type { FindingBounds } from '../model/finding-bounds.ts';
import { nearest } from '../model/nearest.ts';
import type { FurtherField } from './keywords.ts';

/** Keywords whose error only says that one further down failed, and that one is reported. */
const APPLICATORS = new Set(['if', 'allOf', '$ref', '$dynamicRef', 'propertyNames', 'dependentSchemas']);

/** Within a keyword that has an error of its own: only some items need be as `contains` says. Names in a schema's path are no keywords. */
const INNER = /\/(?:contains|observed)\//;
const NAMES = /^.*#|\/(?:properties|patternProperties|\$defs|definitions|dependentSchemas)\/[^/]*/g;

/** What the schema has to say of a body, worded for people. Severities are the rules' own; the gate's policy comes later. */
export function checkSchema(validate: ValidateFunction, body: JsonValue, bounds: FindingBounds): Finding[] {
  if (validate(body)) return [];
  const errors = validate.errors ?? [];
  // It would keep them, and with them the body, until the next call.
  validate.errors = null;
  const mistyped = new Set(errors.filter(({ keyword }) => keyword === 'type').map((one) => one.instancePath));
  // Two branches of a schema can say the same of one place.
  const findings = new Map<string, Finding>();
  const add = (error: ErrorObject, keyword: string, field?: string, meant?: string) => {
    const own = schemaRule(keyword);
    const said = error.parentSchema as Partial<Finding>;
    const isField = error.keyword === 'furtherFields';
    const severity = (!isField && said.severity) || own.severity;
    const length = error.instancePath.length + (field === undefined ? 0 : field.length + 1);
    if (!bounds.takes(own.name, severity, length)) return;
    const pointer = field === undefined ? error.instancePath : `${error.instancePath}/${escapeToken(field)}`;
    const key = `${own.name} ${severity} ${pointer}`;
    if (findings.has(key)) return;
    const basis = isField || keyword === 'observed' ? own.basis : (said.basis ?? 'stated');
    const hint = hintOf(error, keyword, field, meant) ?? said.hint;
    findings.set(key, {
      ...{ rule: own.name, severity, basis, pointer, source: said.source ?? own.source },
      message: messageOf(error, keyword, pointer, meant),
      ...(hint !== undefined && { hint }),
    });
  };
  for (const error of errors) {
    const { keyword, instancePath, params, propertyName, schemaPath } = error;
    if (APPLICATORS.has(keyword) || (keyword === 'observed' && mistyped.has(instancePath))) continue;
    if (INNER.test(schemaPath) && INNER.test(schemaPath.replace(NAMES, ''))) continue;
    const { fields, missingProperty, additionalProperty, unevaluatedProperty } = params;
    if (keyword === 'furtherFields')
      for (const { field, meant } of fields as FurtherField[])
        add(error, meant === undefined ? 'unknownField' : 'fieldCase', field, meant);
    else add(error, keyword, propertyName ?? missingProperty ?? additionalProperty ?? unevaluatedProperty);
  }
  const all = [...findings.values()];
  const misspelt = all.filter(({ rule }) => rule === 'schema.field-case').map(({ pointer }) => `${pointer}/`);
  // No schema was asked about the members of a misspelt field: they are not unknown.
  const isBelow = ({ pointer }: Finding) => misspelt.some((above) => pointer.startsWith(above));
  return all.filter((finding) => finding.rule !== 'schema.unknown-field' || !isBelow(finding));
}

/** A value that is nearly one of those that the contract lists says more than a general hint. */
function hintOf(error: ErrorObject, keyword: string, field = '', meant = ''): string | undefined {
  const { data, schema, parentSchema } = error;
  if (keyword === 'fieldCase') return `rename it to "${meant}": names are case-sensitive`;
  if (keyword === 'unknownField') {
    const near = nearest(field, Object.keys(parentSchema?.properties ?? {}));
    return near ? `did you mean "${near}"?` : 'the service may ignore or refuse it: check its name';
  }
  if (keyword !== 'enum' || typeof data !== 'string') return undefined;
  const texts = (schema as unknown[]).filter((value) => typeof value === 'string');
  const near = nearest(data, texts);
  return near === undefined ? undefined : `did you mean ${show(near)}?`;
}

function messageOf(error: ErrorObject, keyword: string, pointer: string, meant = ''): string {
  const { schema, data, params, message, propertyName } = error;
  const place = propertyName !== undefined ? `the name ${pointer}` : pointer === '' ? 'the body' : pointer;
  switch (keyword) {
    case 'type': {
      const types = [schema].flat().map((type) => TYPE_NAMES[String(type)]);
      return `${place} must be ${types.join(' or ')}, not ${kindOf(data)}`;
    }
    case 'required':
    case 'dependentRequired':
      return `${place} is missing`;
    case 'fieldCase':
      return `${place} is spelt "${meant}"`;
    case 'unknownField':
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `${place} is no field that the contract lists`;
    case 'enum':
      return `${place} must be one of ${(schema as JsonValue[]).map(show).join(', ')}, not ${show(data)}`;
    case 'const':
      return `${place} must be ${show(schema)}, not ${show(data)}`;
    case 'uniqueItems':
      return `${place} has the same item at ${params.i} and ${params.j}`;
    case 'false schema':
      return `${place} is not taken: its schema is false`;
    case 'format':
      // A URL is not shown: it can hold a password or a token.
      if (schema === 'url') return `${place} is no URL`;
      if (schema === 'http-url')
        return `${place} is ${data === '' ? 'empty, not a URL' : 'no http or https URL'}`;
      return `${place} is no valid ${schema}`;
    case 'readOnlyFields':
      return `${place} has ${params.found.join(', ')}, which the service sets itself`;
    case 'observed': {
      const shown = (schema as { enum?: unknown[] }).enum;
      const others = shown ? ` (shown: ${shown.map(show).join(', ')})` : '';
      return `${place} is ${show(data)}, a value that the description does not show${others}`;
    }
    default:
      return `${place} ${message ?? `breaks the schema's ${keyword}`}`;
  }
}

const TYPE_NAMES: Record<string, string> = {
  ...{ string: 'a string', integer: 'an integer', number: 'a number', boolean: 'a boolean' },
  ...{ object: 'an object', array: 'a list', null: 'null' },
};

/** `a string`. Numbers with a fraction are told from integers. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' && !Number.isInteger(value)) return 'a number with a fraction';
  return TYPE_NAMES[typeof value] as string;
}

function show(value: unknown): string {
  if (typeof value === 'object' && value !== null) return kindOf(value);
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, 80) : value);
  return typeof value === 'string' && value.length > 80 ? `${text.slice(0, -1)}…"` : text;
}

type SchemaRule = RuleInfo & { severity: Severity };

function rule(name: string, severity: Severity, basis: Basis, says: string): SchemaRule {
  return { name, severity, basis, stage: 'contract', status: 422, says, source: 'service-api 2' };
}

const BAD_FORMAT = 'a value has the wrong format; a URL is what the WHATWG parser accepts';

/** The findings of the schema check. Others, of keywords that only a contract of one's own uses, are made alike. */
export const SCHEMA_RULES: Readonly<Record<string, SchemaRule>> = Object.fromEntries(
  [
    rule('schema.type', 'error', 'stated', 'a value has the wrong type'),
    rule('schema.enum', 'error', 'stated', 'a value is not one of those that the contract lists'),
    rule('schema.format', 'error', 'inferred', BAD_FORMAT),
    rule('schema.required', 'error', 'stated', 'a mandatory field is missing'),
    rule('schema.observed', 'warn', 'observed', 'a value is not one of those that the description shows'),
    rule('schema.field-case', 'error', 'stated', 'a field name is spelt wrong: names are case-sensitive'),
    rule('schema.read-only-fields', 'warn', 'stated', 'an object echoes fields that the service sets itself'),
    rule('schema.unknown-field', 'warn', 'inferred', 'a field is not one that the contract lists'),
  ].map((info) => [info.name, info]),
);

/** One of Ajv's keywords as a rule: `minLength` -> `schema.min-length`. */
export function schemaRule(keyword: string): SchemaRule {
  const name = `schema.${keyword.replace(/ /g, '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return SCHEMA_RULES[name] ?? rule(name, 'error', 'stated', `the schema's ${keyword} does not hold`);
}

/** Names of the rules that only a contract of one's own can have: of the further keywords of JSON Schema. */
export function furtherSchemaRules(): string[] {
  return [
    ...['additionalItems', 'additionalProperties', 'anyOf', 'const', 'contains', 'dependencies'],
    ...['dependentRequired', 'exclusiveMaximum', 'exclusiveMinimum', 'false schema', 'items', 'maxItems'],
    ...['maxLength', 'maxProperties', 'maximum', 'minItems', 'minLength', 'minProperties', 'minimum'],
    ...['multipleOf', 'not', 'oneOf', 'pattern', 'unevaluatedItems', 'unevaluatedProperties', 'uniqueItems'],
  ].map((keyword) => schemaRule(keyword).name);
}
