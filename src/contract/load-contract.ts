import { dirname, join } from 'node:path';
import type { AnySchema } from 'ajv/dist/2020.js';
import { PatchgateError } from '../errors.ts';
import { isObject, type JsonValue } from '../json/json.ts';
import { faultOf, placeAt } from '../json/json-text.ts';
import { annotationsOf } from './annotations.ts';
import { checkContractFile } from './check-contract-file.ts';
import { compilerOf } from './compile-schemas.ts';
import type { Contract } from './contract.ts';
import { keptContract } from './kept-contracts.ts';
import { contractOf } from './make-contract.ts';
import { type ContractTexts, readContractFiles } from './read-contract-files.ts';

/**
 * Reads any contract, to be compiled. Fails closed: whatever cannot be read or understood stops the start.
 *
 * @param location contract.json, or the folder that holds it
 * @throws PatchgateError `bad-contract`, naming file and place
 */
export function loadContract(location: string): Contract {
  const texts = readContractFiles(location);
  return keptContract(texts, () => {
    const { file, contractText } = texts;
    const { operations } = checkContractFile(parseStrictly(contractText, file), file);
    const schemas = schemasOf(texts);
    return contractOf({
      ...{ file, entries: operations, schemas },
      validatorOf: compilerOf(schemas, dirname(file)).validatorOf,
      annotationOf: annotationsOf(schemas.values()),
    });
  });
}

/** Every schema beside contract.json, by file name. References are by `$id`, as editors resolve them: that name, or absolute. */
export function schemasOf({ file, schemaTexts }: ContractTexts): Map<string, AnySchema> {
  const folder = dirname(file);
  const schemas = new Map<string, AnySchema>();
  for (const [name, text] of schemaTexts) {
    const schema = parseStrictly(text, join(folder, name));
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

function parseStrictly(text: string, file: string): JsonValue {
  const wrong = faultOf(text);
  if (wrong) {
    const { line, column } = placeAt(text, wrong.offset);
    throw new PatchgateError('bad-contract', `${file}:${line}:${column}: ${wrong.message}`, {
      hint: 'correct the JSON',
    });
  }
  return JSON.parse(text);
}
