import { inspect } from 'node:util';
import type { AnySchemaObject, ErrorObject } from 'ajv';
import { type ErrorCode, PatchgateError } from '../errors.ts';
import type { JsonValue } from '../json/json.ts';
import { faultOf, findPlace, type Part, placeAt } from '../json/json-text.ts';
import { escapeToken, tokensOf } from '../json/pointer.ts';
import { nearest } from '../model/nearest.ts';
import { shortened } from '../model/short-text.ts';
import { validate } from './validators.js';

/** What people hand in; build/compile-validators.ts says where the schema of each stands. */
type Kind = 'config' | 'customRule' | 'contract' | 'state' | 'kept' | 'recording' | 'har';

/** Where values come from. */
export interface Source {
  /** For messages: the file's name, or `the settings given`. */
  where: string;
  /** The file's text, if it is JSON: a place in it has a line. */
  text?: string;
}

/**
 * A value's name and place, for messages: `suppressions[2].reason in patchgate.config.json:12:5`.
 *
 * @param pointer JSON Pointer in the file: `/suppressions/2/reason`
 * @param name pointer of the member whose name has the line, in the place of the value's
 */
export type PlaceOf = (pointer: string, name?: string) => string;

export function placed(source: Source, pointer: string, name?: string): string {
  const place = name === undefined ? placeIn(source, pointer) : placeIn(source, name, 'name');
  return pointer === '' ? place : `${memberAt(pointer)} in ${place}`;
}

/** A value's name, as a program would write it: `suppressions[2].reason`. */
export function memberAt(pointer: string): string {
  return tokensOf(pointer).reduce((path, token) => {
    if (/^\d+$/.test(token)) return `${path}[${token}]`;
    if (!/^[\w$]+$/.test(token)) return `${path}[${JSON.stringify(token)}]`;
    return path === '' ? token : `${path}.${token}`;
  }, '');
}

/** The place alone: `patchgate.config.json:12:5`; `patchgate.config.mjs` if no line is known. */
export function placeIn({ where, text }: Source, pointer: string, part: Part = 'value'): string {
  if (text === undefined) return where;
  const { line, column } = findPlace(text, pointer, part);
  return `${where}:${line}:${column}`;
}

/**
 * The content of a JSON file. A name that comes twice in one object is an error: one of the two would be without effect.
 *
 * @throws PatchgateError naming line and column
 */
export function parseFile(
  { where, text }: Required<Source>,
  code: ErrorCode,
  hint = 'correct the JSON',
): JsonValue {
  const fault = faultOf(text);
  if (!fault) return JSON.parse(text) as JsonValue;
  const { line, column } = placeAt(text, fault.offset);
  throw new PatchgateError(code, `${where}:${line}:${column}: ${fault.message}`, { hint });
}

/** A value's fault. */
interface Problem {
  /** JSON Pointer of the part that is wrong. */
  pointer: string;
  /** `invalid value 5 for `, `unknown field "x" of `: the place stands behind it. */
  text: string;
  /** Of a name that is wrong: its pointer. */
  name?: string;
  hint: string;
  /** The same without the value, behind the pointer of the field: `must be a text`. */
  brief: { pointer: string; what: string };
}

/** What the schema has against a value; undefined: nothing. */
export function problemOf(kind: Kind, value: unknown): Problem | undefined {
  // A member that is undefined would not be looked at.
  if (validate({ [kind]: value ?? null })) return undefined;
  const errors = (validate.errors ?? []).filter(
    // Where one of several must hold, none of them alone is meant.
    ({ keyword, schemaPath }) =>
      !/^(?:if|propertyNames)$/.test(keyword) && !/\/(?:anyOf|oneOf)\/\d/.test(schemaPath),
  );
  // It would keep them, and the value, until its next call.
  validate.errors = null;
  const rank = ({ keyword }: ErrorObject) =>
    keyword === 'additionalProperties' ? 0 : /^(?:any|one)Of$/.test(keyword) ? 2 : 1;
  const depth = ({ instancePath }: ErrorObject) => instancePath.split('/').length;
  const [first] = errors.sort((a, b) => rank(a) - rank(b) || depth(a) - depth(b));
  return problem(first as ErrorObject, kind.length + 1);
}

/** @throws PatchgateError with what the schema has against it */
export function check(kind: Kind, value: unknown, placeOf: PlaceOf, code: ErrorCode): void {
  const found = problemOf(kind, value);
  if (found) throw problemError(found, placeOf, code);
}

/** The same of a file's content. */
export function checkFile(kind: Kind, content: unknown, source: Source, code: ErrorCode): void {
  check(kind, content, (pointer, name) => placed(source, pointer, name), code);
}

export function problemError(
  { text, pointer, name, hint }: Problem,
  placeOf: PlaceOf,
  code: ErrorCode,
): PatchgateError {
  return new PatchgateError(code, text + placeOf(pointer, name), { hint });
}

/** @param start of the value's own pointer in those of Ajv */
function problem(error: ErrorObject, start: number): Problem {
  const { keyword, params, parentSchema = {}, data, propertyName } = error;
  const pointer = error.instancePath.slice(start);
  const below = (name: string) => `${pointer}/${escapeToken(name)}`;
  const members = (parentSchema.properties ?? {}) as Record<string, AnySchemaObject>;
  if (keyword === 'additionalProperties') {
    const name: string = params.additionalProperty;
    return {
      pointer,
      name: below(name),
      text: `unknown field ${JSON.stringify(name)} of `,
      hint: meant(name, Object.keys(members)) ?? `it has: ${Object.keys(members).join(', ')}`,
      brief: { pointer: below(name), what: 'is unknown' },
    };
  }
  if (keyword === 'required' || keyword === 'dependencies') {
    const name: string = params.missingProperty;
    const { takes, description } = members[name] ?? {};
    const of = keyword === 'required' ? '' : ` for ${params.property}`;
    return {
      pointer,
      text: `missing field ${JSON.stringify(name)}${of} of `,
      hint: takes ? `it takes ${takes}` : (description ?? `give ${name}`),
      brief: { pointer: below(name), what: 'is missing' },
    };
  }
  const takes = takesOf(parentSchema, data);
  const brief = { pointer, what: `must be ${takes}` };
  if (propertyName !== undefined)
    return {
      pointer,
      name: below(propertyName),
      text: `invalid name ${JSON.stringify(propertyName)} in `,
      hint: `it takes ${takes}`,
      brief,
    };
  if (parentSchema.needs !== undefined && /^(?:any|one)Of$/.test(keyword))
    return {
      pointer,
      text: 'invalid combination of fields in ',
      hint: `it needs ${parentSchema.needs}`,
      brief,
    };
  return { pointer, text: `invalid value ${shownValue(data)} for `, hint: `it takes ${takes}`, brief };
}

const TYPES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  object: 'an object',
  string: 'a text',
};

/** What a schema takes, for people. @param given what it did not take */
export function takesOf(schema: object, given: unknown): string {
  const { takes, type, minimum = 0, maximum = Number.MAX_SAFE_INTEGER, ...rest } = schema as AnySchemaObject;
  if (takes !== undefined) return takes;
  if (rest.enum) return `one of: ${withMeant(rest.enum, given)}`;
  if (type === 'boolean') return 'true or false';
  if (type === 'integer') return `an integer from ${minimum} to ${maximum}`;
  return [type]
    .flat()
    .map((one) => TYPES[one] ?? one)
    .join(' or ');
}

/** The words that are taken, and which of them was probably meant. */
export function withMeant(words: readonly unknown[], given: unknown): string {
  const texts = words.filter((word) => typeof word === 'string');
  const near = typeof given === 'string' ? meant(given, texts) : undefined;
  return texts.join(', ') + (near ? `; ${near}` : '');
}

/** `did you mean "port"?` */
export function meant(word: string, words: readonly string[]): string | undefined {
  const near = nearest(word, words);
  return near === undefined ? undefined : `did you mean "${near}"?`;
}

/** A value for a message, in one line: as JSON, unless only a program can hold it. */
export function shownValue(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  const text = isPlain(value) ? JSON.stringify(value) : inspect(value, { depth: 0, breakLength: Infinity });
  return shortened(text, MOST);
}

/** Characters of it that a message shows. */
const MOST = 200;

function isPlain(value: unknown): boolean {
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) && value.every((item) => typeof item !== 'object' && isPlain(item));
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || typeof value === 'string' || typeof value === 'boolean';
}
