import { join } from 'node:path';
import { Ajv } from 'ajv';
import { _, Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js';
import { messageOf, PatchgateError } from '../errors.ts';
import { addKeywords, addOrdinary } from './keywords.ts';

/** Schemas that are ready to be compiled, each when it is asked for. */
export interface Compiler {
  /** @param name of the schema's file. @throws PatchgateError `bad-contract` where it does not compile */
  validatorOf(name: string): ValidateFunction;
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
    orDoesNotCompile(file, () => ajv.addSchema(schema, name));
  }
  const ajvOf = (name: string) => ajvByName.get(name) as Ajv2020;
  return {
    ajvOf,
    validatorOf: (name) =>
      orDoesNotCompile(join(folder, name), () => ajvOf(name).compile(schemas.get(name) as AnySchema)),
  };
}

/** What a file of a contract can be written in. */
const DRAFTS = { '2020-12': Ajv2020, 'draft-07': Ajv };
type Draft = keyof typeof DRAFTS;

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
