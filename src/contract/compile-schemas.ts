import { join } from 'node:path';
import {
  _,
  Ajv2020,
  type CodeKeywordDefinition,
  Name,
  stringify,
  type ValidateFunction,
} from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { messageOf, PatchgateError } from '../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { formats, keywords } from './keywords.ts';

export type Schemas = ReadonlyMap<string, JsonValue>;

/** One for all contracts: to compile it takes longer than most contracts. */
let metaSchema: Ajv2020 | undefined;

/** Compiles a schema, or a place in one, when it is asked for. @throws PatchgateError `bad-contract` if one is not as its meta-schema says */
export function compilerOf(schemas: Schemas, folder: string, source: string, allErrors = true) {
  const ajv = createAjv(allErrors);
  const orRefuse = <T>(name: string, compile: () => T): T => {
    try {
      return compile();
    } catch (cause) {
      const message = `${join(folder, name)}: the schema does not compile: ${messageOf(cause)}`;
      const hint = 'correct the schema: without it nothing is judged, so nothing starts';
      throw new PatchgateError('bad-contract', message, { hint, cause });
    }
  };
  for (const [name, schema] of schemas)
    orRefuse(name, () => {
      if (!isObject(schema) && typeof schema !== 'boolean') throw new Error('it is no object, true or false');
      const ready = prepared(schema, source) as JsonObject;
      metaSchema ??= new Ajv2020({ logger: false, ownProperties: true, allErrors: true });
      metaSchema.validateSchema(ready, true);
      ajv.addSchema(ready, name);
    });
  const validatorOf = (reference: string) =>
    orRefuse(reference, () => ajv.getSchema(reference) as ValidateFunction);
  return { ajv, validatorOf };
}

/** There is no well-kept check of these standard formats. */
const UNCHECKED = { 'idn-email': true, 'idn-hostname': true, iri: true, 'iri-reference': true } as const;
/** The pattern of ajv-formats takes any text with an empty line, and overflows the stack on a megabyte. */
const byte = (text: string) => text.length % 4 === 0 && /^[a-z0-9+/]*={0,2}$/i.test(text);

/** Ajv for JSON Schema 2020-12 with the keywords of our own, which docs/your-api.md lists. */
export function createAjv(allErrors: boolean): Ajv2020 {
  const ajv = new Ajv2020({
    // What says nothing stops the start; what only looks odd does not.
    ...{ strictSchema: true, strictTypes: false, strictTuples: false, allowMatchingProperties: true },
    allErrors,
    formats: { ...fullFormats, ...UNCHECKED, ...formats, byte },
    // Errors carry the subschema with its annotations.
    verbose: true,
    // What Object.prototype lends is no member of a body.
    ownProperties: true,
    // For the module of the shipped contract, which has our formats and functions by these names.
    code: { source: true, esm: true, lines: true, formats: _`formats` },
    // `compilerOf` asks the meta-schema.
    ...{ validateSchema: false, logger: false },
  });
  ajv.addVocabulary(['source', 'hint', 'example', '$anchor']);
  ajv.addKeyword({ keyword: 'basis', metaSchema: { enum: ['stated', 'inferred', 'observed', 'protocol'] } });
  ajv.addKeyword({ keyword: 'severity', metaSchema: { enum: ['error', 'warn'] } });
  ajv.addKeyword({ keyword: 'observed', schemaType: ['object', 'boolean'], macro: (schema) => schema });
  ajv.addKeyword(checked('furtherFields', 'object', { enum: ['none', 'objects'] }));
  ajv.addKeyword(checked('readOnlyFields', 'object', { type: 'array', items: { type: 'string' } }));
  for (const keyword of ['const', 'enum', 'uniqueItems']) ajv.removeKeyword(keyword);
  ajv.addKeyword(checked('const'));
  ajv.addKeyword(checked('enum', [], { type: 'array' }));
  ajv.addKeyword(checked('uniqueItems', 'array', { type: 'boolean' }));
  return ajv;
}

function checked(
  keyword: keyof typeof keywords,
  type: 'object' | 'array' | [] = [],
  metaSchema = {},
): CodeKeywordDefinition {
  const checkOf = keywords[keyword] as (value: JsonValue, listed: readonly string[]) => unknown;
  return {
    ...{ keyword, type, metaSchema },
    error: { message: 'does not hold', params: ({ params }) => params.wrong as Name },
    code(context) {
      const { gen, data, schema, parentSchema } = context;
      const { properties, readOnlyFields = [] } = parentSchema;
      const listed = [...Object.keys(isObject(properties) ? properties : {}), ...readOnlyFields];
      const check = gen.scopeValue('func', {
        ref: checkOf(schema, listed),
        code: _`keywords.${new Name(keyword)}(${stringify(schema)}, ${stringify(keyword === 'furtherFields' ? listed : [])})`,
      });
      const wrong = gen.const('wrong', _`${check}(${data})`);
      context.setParams({ wrong });
      context.fail(wrong);
    },
  };
}

/** Keywords whose values, or their members' values, are schemas by name; and those whose values are none. */
export const MAPS = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);
export const VALUES = new Set(['enum', 'const', 'default', 'example', 'examples', 'dependentRequired']);

/** A schema without keywords that begin with `x-`, and each subschema with the source that holds for it. @param isMap its names are no keywords */
function prepared(value: JsonValue, source: string, isMap = false): JsonValue {
  if (Array.isArray(value)) return value.map((item) => prepared(item, source));
  if (!isObject(value)) return value;
  const own = !isMap && typeof value.source === 'string' ? value.source : source;
  const kept = Object.entries(value)
    .filter(([name]) => isMap || !name.startsWith('x-'))
    .map(([name, inner]) => {
      const isValue = !isMap && VALUES.has(name);
      return [name, isValue ? inner : prepared(inner, own, !isMap && MAPS.has(name))] as const;
    });
  return Object.fromEntries(isMap ? kept : [...kept, ['source', own]]);
}
