import { inspect } from 'node:util';
import type { AnySchemaObject, ErrorObject, ValidateFunction } from 'ajv';
import { type ErrorCode, PatchgateError } from '../errors.ts';
import { escapeToken } from '../json/pointer.ts';
import { nearest } from '../model/nearest.ts';
import type { PlaceOf } from './source.ts';

/** What is wrong with a value. */
export interface Problem {
  /** JSON Pointer of the part that is wrong. */
  pointer: string;
  /** `invalid value 5 for `, `unknown field "x" of `: the place stands behind it. */
  text: string;
  /** Of an unknown field: its pointer. */
  name?: string;
  hint: string;
}

/** What the schema has against a value; undefined: nothing. */
export function problemOf(validate: ValidateFunction, value: unknown): Problem | undefined {
  if (validate(value)) return undefined;
  const errors = (validate.errors ?? []).filter(
    // Where one of several must hold, none of them alone is meant.
    ({ keyword, schemaPath }) => keyword !== 'if' && !/\/(?:anyOf|oneOf)\/\d/.test(schemaPath),
  );
  const rank = ({ keyword }: ErrorObject) =>
    /^(?:additionalProperties|plain)$/.test(keyword) ? 0 : /^(?:any|one)Of$/.test(keyword) ? 2 : 1;
  const depth = ({ instancePath }: ErrorObject) => instancePath.split('/').length;
  return problem(errors.sort((a, b) => rank(a) - rank(b) || depth(a) - depth(b))[0] as ErrorObject);
}

/** @throws PatchgateError with what the schema has against it */
export function check(
  validate: ValidateFunction,
  value: unknown,
  placeOf: PlaceOf,
  code: ErrorCode = 'bad-config',
): void {
  const found = problemOf(validate, value);
  if (found) throw problemError(found, placeOf, code);
}

export function problemError(
  { text, pointer, name, hint }: Problem,
  placeOf: PlaceOf,
  code: ErrorCode = 'bad-config',
): PatchgateError {
  return new PatchgateError(code, text + placeOf(pointer, name), { hint });
}

function problem({ keyword, params, instancePath: pointer, parentSchema = {}, data }: ErrorObject): Problem {
  const members = (parentSchema.properties ?? {}) as Record<string, AnySchemaObject>;
  if (keyword === 'additionalProperties') {
    const name: string = params.additionalProperty;
    return {
      pointer,
      name: `${pointer}/${escapeToken(name)}`,
      text: `unknown field ${JSON.stringify(name)} of `,
      hint: meant(name, Object.keys(members)) ?? `it has: ${Object.keys(members).join(', ')}`,
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
    };
  }
  if (parentSchema.needs !== undefined && /^(?:any|one)Of$/.test(keyword))
    return { pointer, text: 'invalid combination of fields in ', hint: `it needs ${parentSchema.needs}` };
  return {
    pointer,
    text: `invalid value ${shownValue(data)} for `,
    hint: `it takes ${takesOf(parentSchema, data)}`,
  };
}

/** What a schema takes, for people. @param given what it did not take */
export function takesOf(schema: object, given: unknown): string {
  const { takes, type, minimum = 0, maximum = Number.MAX_SAFE_INTEGER, ...rest } = schema as AnySchemaObject;
  if (takes !== undefined) return takes;
  if (rest.enum) return `one of: ${withMeant(rest.enum, given)}`;
  if (type === 'boolean') return 'true or false';
  if (type === 'integer') return `an integer from ${minimum} to ${maximum}`;
  return type === 'object' ? 'an object' : 'a text';
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

/** A value of a config for a message, in one line: as JSON, where it is nothing that only a program can hold. */
export function shownValue(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  const text = isPlain(value) ? JSON.stringify(value) : inspect(value, { depth: 0, breakLength: Infinity });
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}

/** Characters of it that a message shows. */
const MOST = 200;

function isPlain(value: unknown): boolean {
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) && value.every((item) => typeof item !== 'object' && isPlain(item));
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || typeof value === 'string' || typeof value === 'boolean';
}
