import type { AnySchema, AnySchemaObject, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonValue } from '../json/json.ts';
import { escapeToken } from '../json/pointer.ts';
import type { Basis, Finding, RuleInfo, Severity } from '../model/finding.ts';
import type { FindingBounds } from '../model/finding-bounds.ts';
import { nearest } from '../model/nearest.ts';
import type { FurtherField } from './keyword-functions.ts';

/** Keywords whose error only says that one further down failed, and that one is reported. */
const APPLICATORS = new Set(['if', 'allOf', '$ref', '$dynamicRef', 'propertyNames', 'dependentSchemas']);

/**
 * What the schema has to say of a body, worded for people. Severities are the rules' own; the gate's policy comes later.
 *
 * @param annotationOf what the schema file says of a subschema beyond JSON Schema
 * @param bounds counts what is too much to be kept
 */
export function checkSchema(
  validate: ValidateFunction,
  body: JsonValue,
  annotationOf: (subschema: AnySchemaObject) => Annotation,
  bounds: FindingBounds,
): Finding[] {
  const errors = errorsOf(validate, body);
  if (errors.length === 0) return [];
  const failing = (keyword: string) =>
    new Set(errors.filter((error) => error.keyword === keyword).map(({ instancePath }) => instancePath));
  const mistyped = failing('type');
  const objects = failing('propertyNames');
  // Two branches of a schema can say the same of one place.
  const findings = new Map<string, Finding>();
  for (const error of errors) {
    const { keyword, instancePath, data } = error;
    if (APPLICATORS.has(keyword) || (keyword === 'observed' && mistyped.has(instancePath))) continue;
    const annotation = annotationOf(error.parentSchema as AnySchemaObject);
    const rule = ruleOf(error);
    const severity = (keyword !== 'furtherFields' && annotation.severity) || rule.severity;
    // What is of a text where an object stands, is of one of its names.
    const isOfName = typeof data === 'string' && objects.has(instancePath);
    const field = isOfName ? data : fieldOf(error);
    if (
      !bounds.takes(rule.name, severity, instancePath.length + (field === undefined ? 0 : field.length + 1))
    )
      continue;
    const pointer = field === undefined ? instancePath : `${instancePath}/${escapeToken(field)}`;
    const key = `${rule.name} ${severity} ${pointer}`;
    if (findings.has(key)) continue;
    findings.set(key, {
      rule: rule.name,
      severity,
      basis: rule.basis,
      pointer,
      source: annotation.source ?? rule.source,
      ...(keyword === 'furtherFields'
        ? fieldMessage(error, pointer)
        : {
            ...(keyword !== 'observed' && { basis: annotation.basis }),
            message: messageOf(error, pointer, isOfName),
            ...hintOf(error, annotation.hint),
          }),
    });
  }
  return withoutConsequences([...findings.values()]);
}

function errorsOf(validate: ValidateFunction, body: JsonValue): ErrorObject[] {
  try {
    return validate(body) ? [] : (validate.errors ?? []);
  } finally {
    // It would keep them, and with them the body, until the next call.
    validate.errors = null;
  }
}

/** What is in a field whose name is spelt wrong was held against no schema of its own: it is not unknown. */
function withoutConsequences(findings: Finding[]): Finding[] {
  const misspelt = findings
    .filter(({ rule }) => rule === 'schema.field-case')
    .map(({ pointer }) => `${pointer}/`);
  if (misspelt.length === 0) return findings;
  return findings.filter(
    ({ rule, pointer }) =>
      rule !== 'schema.unknown-field' || !misspelt.some((above) => pointer.startsWith(above)),
  );
}

function ruleOf({ keyword, params }: ErrorObject): SchemaRule {
  if (keyword !== 'furtherFields') return schemaRule(keyword);
  const isMeant = (params as FurtherField).meant !== undefined;
  return SCHEMA_RULES[isMeant ? 'schema.field-case' : 'schema.unknown-field'] as SchemaRule;
}

/** The field that is meant, where the error stands at the object that has it or lacks it. */
function fieldOf({ params }: ErrorObject): string | undefined {
  return params.field ?? params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
}

function fieldMessage(error: ErrorObject, pointer: string): Pick<Finding, 'message' | 'hint'> {
  const { field, meant } = error.params as FurtherField;
  if (meant !== undefined) {
    return {
      message: `${pointer} is spelt "${meant}"`,
      hint: `rename it to "${meant}": names are case-sensitive`,
    };
  }
  const near = nearest(field, Object.keys(error.parentSchema?.properties ?? {}));
  return {
    message: `${pointer} is no field that the contract lists`,
    hint: near ? `did you mean "${near}"?` : 'the service may ignore or refuse it: check its name',
  };
}

/** A value that is nearly one of those that the contract lists says more than a general hint. */
function hintOf({ keyword, schema, data }: ErrorObject, hint: string | undefined): Pick<Finding, 'hint'> {
  const values =
    keyword === 'enum' ? (schema as JsonValue[]).filter((value) => typeof value === 'string') : [];
  const near = typeof data === 'string' ? nearest(data, values) : undefined;
  const said = near === undefined ? hint : `did you mean ${show(near)}?`;
  return said === undefined ? {} : { hint: said };
}

function messageOf(error: ErrorObject, pointer: string, isOfName: boolean): string {
  const place = isOfName ? `the name ${pointer}` : pointer === '' ? 'the body' : pointer;
  switch (error.keyword) {
    case 'type':
      return `${place} must be ${typesOf(error.schema)}, not ${kindOf(error.data)}`;
    case 'required':
    case 'dependentRequired':
    case 'dependencies':
      return `${place} is missing`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `${place} is no field that the contract lists`;
    case 'enum':
      return `${place} must be one of ${(error.schema as JsonValue[]).map(show).join(', ')}, not ${show(error.data)}`;
    case 'const':
      return `${place} must be ${show(error.schema)}, not ${show(error.data)}`;
    case 'false schema':
      return `${place} is not taken: its schema is false`;
    case 'format':
      return formatMessage(String(error.schema), place, error.data);
    case 'readOnlyFields':
      return `${place} has ${error.params.found.join(', ')}, which the service sets itself`;
    case 'observed':
      return `${place} is ${show(error.data)}, a value that the description does not show${shown(error.schema)}`;
    default:
      return `${place} ${error.message ?? `breaks the schema's ${error.keyword}`}`;
  }
}

/** A URL is not shown: it can hold a password or a token. */
function formatMessage(format: string, place: string, data: unknown): string {
  if (format === 'url') return `${place} is no URL`;
  if (format === 'http-url')
    return `${place} is ${data === '' ? 'empty, not a URL' : 'no http or https URL'}`;
  return `${place} is no valid ${format}`;
}

function shown(schema: unknown): string {
  const values = (schema as { enum?: unknown[] } | null)?.enum;
  return values ? ` (shown: ${values.map(show).join(', ')})` : '';
}

const TYPE_NAMES: Record<string, string> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'a boolean',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

function typesOf(schema: unknown): string {
  return [schema]
    .flat()
    .map((type) => TYPE_NAMES[String(type)] ?? String(type))
    .join(' or ');
}

/** What a value is, in words: `a string`. Numbers with a fraction are told from integers. */
export function kindOf(value: unknown): string {
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

/** One of Ajv's keywords as a rule: `minLength` -> `schema.min-length`. */
export function schemaRule(keyword: string): SchemaRule {
  let info = byKeyword.get(keyword);
  if (!info) {
    const name = `schema.${keyword.replace(/ /g, '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    info = SCHEMA_RULES[name] ?? rule(name, 'error', 'stated', `the schema's ${keyword} does not hold`);
    byKeyword.set(keyword, info);
  }
  return info;
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

/** What was asked for already: as many as JSON Schema has keywords. */
const byKeyword = new Map<string, SchemaRule>();

/** The findings of the schema check. Others, of keywords that only a contract of one's own uses, are made alike. */
export const SCHEMA_RULES: Readonly<Record<string, SchemaRule>> = Object.fromEntries(
  [
    rule('schema.type', 'error', 'stated', 'a value has the wrong type'),
    rule('schema.enum', 'error', 'stated', 'a value is not one of those that the contract lists'),
    rule(
      'schema.format',
      'error',
      'inferred',
      'a value has the wrong format; a URL is what the WHATWG parser accepts',
    ),
    rule('schema.required', 'error', 'stated', 'a mandatory field is missing'),
    rule('schema.observed', 'warn', 'observed', 'a value is not one of those that the description shows'),
    rule('schema.field-case', 'error', 'stated', 'a field name is spelt wrong: names are case-sensitive'),
    rule('schema.read-only-fields', 'warn', 'stated', 'an object echoes fields that the service sets itself'),
    rule('schema.unknown-field', 'warn', 'inferred', 'a field is not one that the contract lists'),
  ].map((info) => [info.name, info]),
);

function rule(name: string, severity: Severity, basis: RuleInfo['basis'], says: string): SchemaRule {
  return { name, severity, basis, stage: 'contract', status: 422, says, source: 'service-api 2' };
}

/** What a schema file says of one of its subschemas beyond JSON Schema. */
export interface Annotation {
  basis: Basis;
  severity: Severity | undefined;
  /** Its own, or that of what it stands in. */
  source: string | undefined;
  hint: string | undefined;
}

const NONE: Annotation = { basis: 'stated', severity: undefined, source: undefined, hint: undefined };

/**
 * Looks annotations up by the subschema itself: the objects that were given here are those that errors name.
 *
 * @param from where the contract comes from: the source of what names none
 */
export function annotationsOf(
  schemas: Iterable<AnySchema>,
  from?: string,
): (subschema: AnySchemaObject) => Annotation {
  const known = new WeakMap<object, Annotation>();
  const visit = (value: unknown, inherited: string | undefined) => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const item of value) visit(item, inherited);
      return;
    }
    const { basis, severity, source, hint } = value as Partial<Annotation>;
    // `properties` may hold a field that is called "source": only texts are annotations.
    const own = typeof source === 'string' ? source : inherited;
    known.set(value, {
      basis: typeof basis === 'string' ? basis : 'stated',
      severity: typeof severity === 'string' ? severity : undefined,
      source: own,
      hint: typeof hint === 'string' ? hint : undefined,
    });
    for (const inner of Object.values(value)) visit(inner, own);
  };
  for (const schema of schemas) visit(schema, from);
  return (subschema) => known.get(subschema) ?? NONE;
}
