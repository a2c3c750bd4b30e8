import { basename, dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js';
import { messageOf, PatchgateError } from '../errors.ts';
import type { ContractFile, OperationEntry } from '../model/contract.ts';
import type { Finding } from '../model/finding.ts';
import { FindingBounds } from '../model/finding-bounds.ts';
import { isObject, type JsonValue } from '../model/json.ts';
import { placeAt } from '../model/json-text.ts';
import { faultOf } from '../model/strict-json.ts';
import { annotationsOf } from './annotations.ts';
import { appendErrors } from './append-errors.ts';
import { checkContractFile } from './check-contract-file.ts';
import { checkSchema } from './check-schema.ts';
import { replaceEquality } from './equality.ts';
import { ErrorSites } from './error-sites.ts';
import { keptContract } from './kept-contracts.ts';
import { addKeywords, addOrdinary } from './keywords.ts';
import { type ContractTexts, readContractFiles } from './read-contract-files.ts';
import { requestFinding } from './request-rules.ts';
import { type Shape, shapeOf } from './schema-shape.ts';
import { LONGEST_AUTHORITY, MOST_CODED, UrlBudget } from './url-budget.ts';

/** An operation with its schema compiled. */
export interface LoadedOperation {
  name: string;
  entry: OperationEntry;
  /** What the schema has to say of a body; what is too much is counted in `bounds`. */
  check(body: JsonValue, bounds?: FindingBounds): Finding[];
  /** What the schema says of the shape of a body. */
  shape: Shape;
  /** The schema itself, for those who make bodies of it. */
  schema: object | boolean;
  /** All schemas of the contract by file, for references. */
  schemas: ReadonlyMap<string, object | boolean>;
}

/** The operations of `contract.json` with the schema files beside it. Schemas are compiled when first asked for. */
export interface Contract {
  /** Where it was read from. */
  file: string;
  entries: Readonly<Record<string, OperationEntry>>;
  /** @throws PatchgateError `bad-contract` where the schema does not compile */
  load(operation: string): LoadedOperation;
}

/**
 * Reads a contract. Fails closed: whatever cannot be read or understood stops the start.
 *
 * @param location contract.json, or the folder that holds it
 * @param isTrusted skips the strict reading of the files and the check against the meta-schema, which take as long as all the
 *   rest; for the contract that the product ships and its tests check
 * @throws PatchgateError `bad-contract`, naming file and place
 */
export function loadContract(location: string, isTrusted = false): Contract {
  const texts = readContractFiles(location);
  return keptContract(texts, isTrusted, () => contractOf(texts, isTrusted));
}

function contractOf({ file, contractText, schemaTexts }: ContractTexts, isTrusted: boolean): Contract {
  const contract: ContractFile = checkContractFile(parsed(contractText, file, isTrusted), file);
  const schemas = schemasOf(schemaTexts, dirname(file), isTrusted);
  const sites = new ErrorSites();
  const urls = new UrlBudget();
  const makeCompiler = () => {
    const ajvs = new Map<Draft, Ajv2020>();
    for (const [name, schema] of schemas) {
      const place = join(dirname(file), name);
      const draft = draftOf(schema, place);
      const ajv = ajvs.get(draft) ?? createAjv(draft, isTrusted, sites, urls);
      ajvs.set(draft, ajv);
      try {
        ajv.addSchema(schema, name);
      } catch (error) {
        throw doesNotCompile(place, error);
      }
    }
    return { ajvs, annotationOf: annotationsOf(schemas.values()) };
  };
  // It takes as long as all the rest, and who judges nothing does without.
  let compiler = isTrusted ? undefined : makeCompiler();
  const loaded = new Map<string, LoadedOperation>();
  const load = (name: string): LoadedOperation => {
    const entry = contract.operations[name] as OperationEntry;
    const schema = schemas.get(entry.schema);
    if (schema === undefined) {
      throw new PatchgateError(
        'bad-contract',
        `${file}: operation ${name} names the schema ${entry.schema}, which is not there`,
        {
          hint: `put ${entry.schema} beside ${basename(file)}`,
        },
      );
    }
    compiler ??= makeCompiler();
    const { ajvs, annotationOf } = compiler;
    const place = join(dirname(file), entry.schema);
    const validate = compile(ajvs.get(draftOf(schema, place)) as Ajv2020, schema, place);
    return {
      name,
      entry,
      check(body, bounds = new FindingBounds()) {
        urls.reset();
        try {
          const findings = checkSchema(validate, body, annotationOf, sites, bounds);
          if (urls.isSpent) findings.push(tooManyUrls());
          return findings;
        } catch (error) {
          return [notJudged(entry.schema, error)];
        }
      },
      shape: shapeOf(schema, schemas),
      schema,
      schemas,
    };
  };
  return {
    file,
    entries: contract.operations,
    load(name) {
      const operation = loaded.get(name) ?? load(name);
      loaded.set(name, operation);
      return operation;
    },
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

function createAjv(draft: Draft, isTrusted: boolean, sites: ErrorSites, urls: UrlBudget): Ajv2020 {
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
    // Inlined, each error makes its pointer anew: with a long name in it, that costs a hostile body's square.
    inlineRefs: false,
    code: { process: (code) => sites.bound(appendErrors(code)) },
    validateSchema: !isTrusted,
    logger: false,
  });
  sites.attach(ajv);
  if (!isTrusted) addOrdinary(ajv);
  addKeywords(ajv, isTrusted, sites, urls);
  replaceEquality(ajv);
  return ajv;
}

/** Schemas that go round in a circle, and patterns on long texts, can take more of the stack than there is. */
function notJudged(schema: string, error: unknown): Finding {
  const message = `the body cannot be held against ${schema}: ${messageOf(error)}`;
  return requestFinding('request.too-large', message, {
    hint: 'send shorter texts, or correct the pattern or the reference in the schema that has no end',
  });
}

function tooManyUrls(): Finding {
  return requestFinding(
    'request.too-large',
    `a URL of the body has a host of more than ${LONGEST_AUTHORITY} characters, or all hosts that are not plain ASCII have more than ${MOST_CODED}`,
    { hint: 'send fewer such URLs' },
  );
}

function compile(ajv: Ajv2020, schema: AnySchema, file: string): ValidateFunction {
  try {
    return ajv.compile(schema);
  } catch (error) {
    throw doesNotCompile(file, error);
  }
}

function doesNotCompile(file: string, error: unknown): PatchgateError {
  return new PatchgateError('bad-contract', `${file}: the schema does not compile: ${messageOf(error)}`, {
    hint: 'correct the schema: without it nothing is judged, so nothing starts',
    cause: error,
  });
}

/** Every schema beside contract.json, by file name. References are by `$id`, as editors resolve them: that name, or absolute. */
function schemasOf(
  texts: ReadonlyMap<string, string>,
  folder: string,
  isTrusted: boolean,
): Map<string, AnySchema> {
  const schemas = new Map<string, AnySchema>();
  for (const [name, text] of texts) {
    const schema = parsed(text, join(folder, name), isTrusted);
    const id = isObject(schema) ? (schema.$id ?? name) : name;
    const bad = (what: string, hint: string) =>
      new PatchgateError('bad-contract', `${join(folder, name)}: ${what}`, { hint });
    if (!isObject(schema) && typeof schema !== 'boolean')
      throw bad('a schema is an object, true or false', 'correct the schema');
    if (id !== name && !(typeof id === 'string' && URL.canParse(id)))
      throw bad(
        `"$id" must be the file's name, "${name}", or an absolute URI`,
        'references between schemas are by "$id"',
      );
    schemas.set(name, schema);
  }
  return schemas;
}

function parsed(text: string, file: string, isTrusted: boolean): JsonValue {
  const wrong = isTrusted ? undefined : faultOf(text);
  if (wrong) {
    const { line, column } = placeAt(text, wrong.offset);
    throw new PatchgateError('bad-contract', `${file}:${line}:${column}: ${wrong.message}`, {
      hint: 'correct the JSON',
    });
  }
  return JSON.parse(text);
}
