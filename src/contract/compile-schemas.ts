import { join } from 'node:path';
import { Ajv } from 'ajv';
import {
  _,
  Ajv2020,
  type AnySchema,
  type CodeKeywordDefinition,
  type KeywordCxt,
  type Name,
  str,
  stringify,
  type ValidateFunction,
} from 'ajv/dist/2020.js';
import { _Code } from 'ajv/dist/compile/codegen/code.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { messageOf, PatchgateError } from '../errors.ts';
import type { JsonValue } from '../json/json.ts';
import { appended, fieldsAmong, firstRepeated, formats, furtherFields, oneOf } from './keyword-functions.ts';

/** Schemas that are ready to be compiled, each when it is asked for. */
interface Compiler {
  /** @param reference the schema's file, or a place in it. @throws PatchgateError `bad-contract` where it does not compile */
  validatorOf(reference: string): ValidateFunction;
  /** The Ajv that has a schema. */
  ajvOf(name: string): Ajv2020;
}

/**
 * @param schemas by name of the file in `folder`
 * @throws PatchgateError `bad-contract` where one is not as its meta-schema says
 */
export function compilerOf(schemas: ReadonlyMap<string, AnySchema>, folder: string): Compiler {
  const ajvs = new Map<Draft, Ajv2020>();
  const ajvByName = new Map<string, Ajv2020>();
  for (const [name, schema] of schemas) {
    const file = join(folder, name);
    const draft = draftOf(schema, file);
    const ajv = ajvs.get(draft) ?? createAjv(draft);
    ajvs.set(draft, ajv);
    ajvByName.set(name, ajv);
    orDoesNotCompile(file, () => {
      metaSchemaOf[draft] ??= new DRAFTS[draft]({ logger: false, ownProperties: true, allErrors: true });
      metaSchemaOf[draft].validateSchema(schema, true);
      ajv.addSchema(schema, name);
    });
  }
  const ajvOf = (name: string) => ajvByName.get(name) as Ajv2020;
  return {
    ajvOf,
    validatorOf: (reference) =>
      orDoesNotCompile(join(folder, reference), () => {
        const ajv = ajvOf(reference.split('#')[0] as string);
        return ajv.getSchema(reference) as ValidateFunction;
      }),
  };
}

/** What a file of a contract can be written in. */
const DRAFTS = { '2020-12': Ajv2020, 'draft-07': Ajv };
type Draft = keyof typeof DRAFTS;

/** One for all contracts: to compile a meta-schema takes longer than most contracts. */
const metaSchemaOf: Partial<Record<Draft, Ajv2020>> = {};

/** By its `$schema`; 2020-12 where it has none. */
function draftOf(schema: AnySchema, file: string): Draft {
  const named = typeof schema === 'object' ? schema.$schema : undefined;
  if (named === undefined || /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(named))
    return '2020-12';
  if (/^http:\/\/json-schema\.org\/draft-07\/schema#?$/.test(named)) return 'draft-07';
  throw new PatchgateError('bad-contract', `${file}: "$schema" is ${JSON.stringify(named)}`, {
    hint: 'schemas are of "https://json-schema.org/draft/2020-12/schema" or "http://json-schema.org/draft-07/schema#"',
  });
}

function createAjv(draft: Draft): Ajv2020 {
  const ajv = new DRAFTS[draft]({
    // What says nothing stops the start; what only looks odd does not.
    strictSchema: true,
    strictTypes: false,
    strictTuples: false,
    allowMatchingProperties: true,
    allErrors: true,
    // Errors carry the subschema, by which its annotations are found.
    verbose: true,
    // What Object.prototype lends is no member of a body.
    ownProperties: true,
    // For the module of the shipped contract, which has our formats and functions by these names.
    code: { source: true, esm: true, lines: true, formats: _`formats` },
    // `compilerOf` asks the meta-schema.
    validateSchema: false,
    logger: false,
  });
  addOrdinary(ajv);
  addKeywords(ajv);
  return ajv;
}

function orDoesNotCompile<T>(file: string, compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    throw new PatchgateError('bad-contract', `${file}: the schema does not compile: ${messageOf(error)}`, {
      hint: 'correct the schema: without it nothing is judged, so nothing starts',
      cause: error,
    });
  }
}

/**
 * What the contract's schemas say beyond JSON Schema 2020-12.
 *
 * - `observed`: a subschema for values that the description only shows; failing it is a warning.
 * - `furtherFields`: of an object with `properties`, what other fields it takes: `none`, or `objects` (any that hold one).
 * - `basis`, `severity`, `source`, `hint`: annotations that a finding of that subschema carries. A source holds for
 *   everything below it as well.
 */
export function addKeywords(ajv: Ajv2020): void {
  ajv.addKeyword(observed);
  ajv.addKeyword(further);
  ajv.addKeyword(readOnlyFields);
  ajv.addKeyword({ keyword: 'basis', metaSchema: { enum: ['stated', 'inferred', 'observed', 'protocol'] } });
  ajv.addKeyword({ keyword: 'severity', metaSchema: { enum: ['error', 'warn'] } });
  ajv.addKeyword({ keyword: 'source', metaSchema: { type: 'string' } });
  ajv.addKeyword({ keyword: 'hint', metaSchema: { type: 'string' } });
  for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format);
  dropSideErrors(ajv);
  appendErrors(ajv);
  replaceEquality(ajv);
}

/** Standard formats of which nothing is checked: there is no well-kept check of them. */
const UNCHECKED = ['idn-email', 'idn-hostname', 'iri', 'iri-reference'];

/** What schemas of other services have beside the keywords: the standard formats, and `example`. */
function addOrdinary(ajv: Ajv2020): void {
  for (const [name, format] of Object.entries(fullFormats)) ajv.addFormat(name, format);
  // The pattern of ajv-formats takes any text with an empty line, and overflows the stack on a megabyte.
  ajv.addFormat('byte', (text: string) => text.length % 4 === 0 && /^[a-z0-9+/]*={0,2}$/i.test(text));
  for (const name of UNCHECKED) ajv.addFormat(name, true);
  ajv.addVocabulary(['example', '$anchor']);
}

/**
 * Drops the errors within `contains` and `oneOf` that are not why these fail: only some items need be as `contains` says, and where
 * two branches of `oneOf` hold, the others may fail.
 */
function dropSideErrors(ajv: Ajv2020): void {
  for (const keyword of ['contains', 'oneOf']) {
    const definition = ajv.getKeyword(keyword) as CodeKeywordDefinition;
    const { code } = definition;
    definition.code = (context) => {
      const { result } = context;
      context.result = (isValid, onValid) =>
        result.call(context, isValid, onValid, () => {
          const { passing } = context.params;
          if (passing) context.gen.if(_`${passing} !== null`, () => context.reset());
          else context.reset();
          context.error();
        });
      code(context);
    };
  }
}

/** Adds the errors of a reference to those so far. Ajv copies all of them for each reference: of many wrong items, that is their square. */
function appendErrors(ajv: Ajv2020): void {
  for (const keyword of ['$ref', '$dynamicRef']) {
    const definition = ajv.getKeyword(keyword) as CodeKeywordDefinition;
    if (!definition) continue;
    const { code } = definition;
    definition.code = (context) => {
      const { gen, result } = context;
      context.result = (isValid, onValid) =>
        result.call(context, isValid, onValid, () => {
          const append = gen.scopeValue('func', { ref: appended, code: _`appended` });
          const called = new _Code(String(isValid).split('(', 1)[0] as string);
          gen.code(_`vErrors = ${append}(vErrors, ${called}.errors)`);
          gen.code(_`errors = vErrors.length`);
        });
      code(context);
    };
  }
}

/** Like `not`, the other way round: applies the subschema without its own errors, and gives one in its place. */
const observed: CodeKeywordDefinition = {
  keyword: 'observed',
  schemaType: ['object', 'boolean'],
  trackErrors: true,
  code(context: KeywordCxt) {
    const valid = context.gen.name('valid');
    const quiet = { compositeRule: true, createErrors: false, allErrors: false } as const;
    context.subschema({ keyword: 'observed', ...quiet }, valid);
    context.pass(valid, () => {
      context.reset();
      context.error();
    });
  },
};

const further: CodeKeywordDefinition = {
  keyword: 'furtherFields',
  type: 'object',
  schemaType: 'string',
  metaSchema: { enum: ['none', 'objects'] },
  error: {
    message: 'must have no field that is not listed',
    params: ({ params: { found } }) => _`${found as Name}`,
  },
  code(context: KeywordCxt) {
    const { gen, data, schema, parentSchema } = context;
    const listed = [
      ...Object.keys((parentSchema.properties as object | undefined) ?? {}),
      ...((parentSchema.readOnlyFields as string[] | undefined) ?? []),
    ];
    const takesObjects = schema === 'objects';
    const find = gen.scopeValue('func', {
      ref: furtherFields(listed, takesObjects),
      code: _`furtherFields(${stringify(listed)}, ${takesObjects})`,
    });
    gen.forOf('found', _`${find}(${data})`, (found) => {
      context.setParams({ found });
      context.error();
    });
  },
};

const readOnlyFields: CodeKeywordDefinition = {
  keyword: 'readOnlyFields',
  type: 'object',
  schemaType: 'array',
  metaSchema: { type: 'array', items: { type: 'string' } },
  error: {
    message: 'must not echo what the service sets',
    params: ({ params: { found } }) => _`{found: ${found as Name}}`,
  },
  code(context: KeywordCxt) {
    const { gen, data, schema } = context;
    const find = gen.scopeValue('func', {
      ref: fieldsAmong(schema as string[]),
      code: _`fieldsAmong(${stringify(schema)})`,
    });
    const found = gen.const('found', _`${find}(${data})`);
    context.setParams({ found });
    context.fail(found);
  },
};

/**
 * Puts keywords that compare whole values in the place of Ajv's own, with the same errors. Its comparison calls `toString` and
 * `valueOf` where a value has them, which a body's members can be, and holds each item of a list against each other one.
 */
export function replaceEquality(ajv: Ajv2020): void {
  for (const definition of [uniqueItems, constant, enumeration]) {
    ajv.removeKeyword(definition.keyword as string);
    ajv.addKeyword(definition);
  }
}

const uniqueItems: CodeKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  error: {
    message: ({ params: { pair } }) =>
      str`must NOT have duplicate items (items ## ${_`${pair as Name}[0]`} and ${_`${pair as Name}[1]`} are identical)`,
    params: ({ params: { pair } }) => _`{i: ${pair as Name}[1], j: ${pair as Name}[0]}`,
  },
  code(context: KeywordCxt) {
    const { gen, data, schema } = context;
    if (schema !== true) return;
    const find = gen.scopeValue('func', { ref: firstRepeated, code: _`firstRepeated` });
    const pair = gen.const('pair', _`${find}(${data})`);
    context.setParams({ pair });
    context.fail(pair);
  },
};

const constant: CodeKeywordDefinition = {
  keyword: 'const',
  error: {
    message: 'must be equal to constant',
    params: ({ schemaCode }) => _`{allowedValue: ${schemaCode}}`,
  },
  code: (context) => failUnlessAmong(context, [context.schema as JsonValue]),
};

const enumeration: CodeKeywordDefinition = {
  keyword: 'enum',
  schemaType: 'array',
  error: {
    message: 'must be equal to one of the allowed values',
    params: ({ schemaCode }) => _`{allowedValues: ${schemaCode}}`,
  },
  code: (context) => failUnlessAmong(context, context.schema as JsonValue[]),
};

function failUnlessAmong(context: KeywordCxt, values: readonly JsonValue[]): void {
  const { gen, data } = context;
  const isAmong = gen.scopeValue('func', { ref: oneOf(values), code: _`oneOf(${stringify(values)})` });
  context.fail(_`!${isAmong}(${data})`);
}
