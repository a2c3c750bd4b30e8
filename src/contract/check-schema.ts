import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonValue } from '../json/json.ts';
import { escapeToken } from '../json/pointer.ts';
import type { Basis, Finding, RuleInfo, Severity } from '../model/finding.ts';
import type { FindingBounds } from '../model/finding-bounds.ts';
import { nearest } from '../model/nearest.ts';
import type { FurtherField } from './keywords.ts';

/** Keywords whose error only says that one further down failed, and that one is reported. */
const APPLICATORS = new Set(['if', 'allOf', '$ref', '$dynamicRef', 'propertyNames', 'dependentSchemas']);

/** What a schema file says of a subschema beyond JSON Schema. */
interface Annotated {
  basis?: Basis;
  severity?: Severity;
  source?: string;
  hint?: string;
}

/**
 * What the schema has to say of a body, worded for people. Severities are the rules' own; the gate's policy comes later.
 *
 * @param bounds counts what is too much to be kept
 */
export function checkSchema(validate: ValidateFunction, body: JsonValue, bounds: FindingBounds): Finding[] {
  if (validate(body)) return [];
  const errors = validate.errors ?? [];
  // It would keep them, and with them the body, until the next call.
  validate.errors = null;
  const mistyped = new Set(errors.filter(({ keyword }) => keyword === 'type').map((one) => one.instancePath));
  // Two branches of a schema can say the same of one place.
  const findings = new Map<string, Finding>();
  const add = (
    error: ErrorObject,
    { name, severity: own, basis, source: described }: SchemaRule,
    field?: string,
  ) => {
    const { basis: stated, severity = own, source = described, hint } = error.parentSchema as Annotated;
    const { instancePath, keyword } = error;
    const of = keyword === 'furtherFields' ? own : severity;
    const length = instancePath.length + (field === undefined ? 0 : field.length + 1);
    if (!bounds.takes(name, of, length)) return;
    const pointer = field === undefined ? instancePath : `${instancePath}/${escapeToken(field)}`;
    const key = `${name} ${of} ${pointer}`;
    if (findings.has(key)) return;
    findings.set(key, {
      ...{ rule: name, severity: of, basis, pointer, source },
      ...(keyword === 'furtherFields'
        ? fieldMessage(error, pointer, field as string)
        : {
            ...(keyword !== 'observed' && { basis: stated ?? 'stated' }),
            message: messageOf(error, pointer),
            ...hintOf(error, hint),
          }),
    });
  };
  for (const error of errors) {
    const { keyword, instancePath, params, propertyName, schemaPath } = error;
    if (APPLICATORS.has(keyword) || (keyword === 'observed' && mistyped.has(instancePath))) continue;
    // Only some items need be as `contains` says.
    if (schemaPath.includes('/contains/')) continue;
    if (keyword === 'furtherFields')
      for (const { field, meant } of params.fields as FurtherField[])
        add(error, meant === undefined ? UNKNOWN_FIELD : FIELD_CASE, field);
    else {
      const { missingProperty, additionalProperty, unevaluatedProperty } = params;
      add(
        error,
        schemaRule(keyword),
        propertyName ?? missingProperty ?? additionalProperty ?? unevaluatedProperty,
      );
    }
  }
  return withoutConsequences([...findings.values()]);
}

/** What is in a field whose name is spelt wrong was held against no schema of its own: it is not unknown. */
function withoutConsequences(findings: Finding[]): Finding[] {
  const misspelt = findings
    .filter(({ rule }) => rule === FIELD_CASE.name)
    .map(({ pointer }) => `${pointer}/`);
  if (misspelt.length === 0) return findings;
  return findings.filter(
    ({ rule, pointer }) =>
      rule !== UNKNOWN_FIELD.name || !misspelt.some((above) => pointer.startsWith(above)),
  );
}

function fieldMessage({ params, parentSchema }: ErrorObject, pointer: string, field: string) {
  const { meant } = (params.fields as FurtherField[]).find((one) => one.field === field) as FurtherField;
  if (meant !== undefined)
    return {
      message: `${pointer} is spelt "${meant}"`,
      hint: `rename it to "${meant}": names are case-sensitive`,
    };
  const near = nearest(field, Object.keys(parentSchema?.properties ?? {}));
  const hint = near ? `did you mean "${near}"?` : 'the service may ignore or refuse it: check its name';
  return { message: `${pointer} is no field that the contract lists`, hint };
}

/** A value that is nearly one of those that the contract lists says more than a general hint. */
function hintOf({ keyword, schema, data }: ErrorObject, hint: string | undefined): Pick<Finding, 'hint'> {
  const values =
    keyword === 'enum' ? (schema as JsonValue[]).filter((value) => typeof value === 'string') : [];
  const near = typeof data === 'string' ? nearest(data, values) : undefined;
  const said = near === undefined ? hint : `did you mean ${show(near)}?`;
  return said === undefined ? {} : { hint: said };
}

function messageOf(
  { keyword, schema, data, params, message, propertyName }: ErrorObject,
  pointer: string,
): string {
  const place = propertyName !== undefined ? `the name ${pointer}` : pointer === '' ? 'the body' : pointer;
  switch (keyword) {
    case 'type':
      return `${place} must be ${typesOf(schema)}, not ${kindOf(data)}`;
    case 'required':
    case 'dependentRequired':
      return `${place} is missing`;
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

function typesOf(schema: unknown): string {
  return [schema]
    .flat()
    .map((type) => TYPE_NAMES[String(type)] ?? String(type))
    .join(' or ');
}

/** What a value is, in words: `a string`. Numbers with a fraction are told from integers. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' && !Number.isInteger(value)) return 'a number with a fraction';
  return TYPE_NAMES[typeof value] ?? typeof value;
}

/** A value for a message: its JSON, shortened. */
function show(value: unknown): string {
  if (typeof value === 'object' && value !== null) return kindOf(value);
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, 80) : value);
  return typeof value === 'string' && value.length > 80 ? `${text.slice(0, -1)}…"` : text;
}

type SchemaRule = RuleInfo & { severity: Severity };

function rule(name: string, severity: Severity, basis: Basis, says: string): SchemaRule {
  return { name, severity, basis, stage: 'contract', status: 422, says, source: 'service-api 2' };
}

const MISSPELT = 'a field name is spelt wrong: names are case-sensitive';
const FIELD_CASE = rule('schema.field-case', 'error', 'stated', MISSPELT);
const UNLISTED = 'a field is not one that the contract lists';
const UNKNOWN_FIELD = rule('schema.unknown-field', 'warn', 'inferred', UNLISTED);

const BAD_FORMAT = 'a value has the wrong format; a URL is what the WHATWG parser accepts';

/** The findings of the schema check. Others, of keywords that only a contract of one's own uses, are made alike. */
export const SCHEMA_RULES: Readonly<Record<string, SchemaRule>> = Object.fromEntries(
  [
    rule('schema.type', 'error', 'stated', 'a value has the wrong type'),
    rule('schema.enum', 'error', 'stated', 'a value is not one of those that the contract lists'),
    rule('schema.format', 'error', 'inferred', BAD_FORMAT),
    rule('schema.required', 'error', 'stated', 'a mandatory field is missing'),
    rule('schema.observed', 'warn', 'observed', 'a value is not one of those that the description shows'),
    FIELD_CASE,
    rule('schema.read-only-fields', 'warn', 'stated', 'an object echoes fields that the service sets itself'),
    UNKNOWN_FIELD,
  ].map((info) => [info.name, info]),
);

/** One of Ajv's keywords as a rule: `minLength` -> `schema.min-length`. */
export function schemaRule(keyword: string): SchemaRule {
  const name = `schema.${keyword.replace(/ /g, '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return SCHEMA_RULES[name] ?? rule(name, 'error', 'stated', `the schema's ${keyword} does not hold`);
}

/** The further keywords of JSON Schema that a contract of one's own can use; each is a rule too. */
const FURTHER_KEYWORDS = [
  ...['additionalItems', 'additionalProperties', 'anyOf', 'const', 'contains', 'dependencies'],
  ...['dependentRequired', 'exclusiveMaximum', 'exclusiveMinimum', 'false schema', 'items', 'maxItems'],
  ...['maxLength', 'maxProperties', 'maximum', 'minItems', 'minLength', 'minProperties', 'minimum'],
  ...['multipleOf', 'not', 'oneOf', 'pattern', 'unevaluatedItems', 'unevaluatedProperties', 'uniqueItems'],
];

/** Names of the rules that only a contract of one's own can have. */
export function furtherSchemaRules(): string[] {
  return FURTHER_KEYWORDS.map((keyword) => schemaRule(keyword).name);
}
