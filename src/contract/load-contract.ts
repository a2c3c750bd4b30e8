import { dirname, join } from 'node:path';
import { PatchgateError } from '../errors.ts';
import { isObject, type JsonValue } from '../json/json.ts';
import { escapeToken } from '../json/pointer.ts';
import type { ContractFile } from '../model/contract.ts';
import { checkFile, parseFile, placed, type Source } from '../schemas/check.ts';
import { compilerOf } from './compile-schemas.ts';
import { type Contract, contractOf } from './contract.ts';
import { type ContractTexts, readContractFiles } from './contract-files.ts';
import { parametersIn } from './path.ts';

/** Reads a contract to be compiled. @param location contract.json, or its folder. @throws PatchgateError `bad-contract`, naming file and place */
export function loadContract(location: string): Contract {
  const texts = readContractFiles(location);
  const { file, contractText } = texts;
  return contractFrom(readContract({ where: file, text: contractText }), schemasOf(texts), file);
}

/** @param schemas by file name. @throws PatchgateError `bad-contract` where a schema is not as its meta-schema says */
export function contractFrom(
  { operations, source }: ContractFile,
  schemas: ReadonlyMap<string, JsonValue>,
  file: string,
): Contract {
  const all = compilerOf(schemas, dirname(file), source);
  const brief = compilerOf(schemas, dirname(file), source, false);
  return contractOf(file, operations, schemas, (reference, isLarge) =>
    (isLarge ? brief : all).validatorOf(reference),
  );
}

/** Every schema beside contract.json, by file name. References are by `$id`, as editors resolve them: that name, or absolute. */
function schemasOf({ file, schemaTexts }: ContractTexts): Map<string, JsonValue> {
  const schemas = new Map<string, JsonValue>();
  for (const [name, text] of schemaTexts) {
    const where = join(dirname(file), name);
    const schema = parseFile({ where, text }, 'bad-contract');
    const bad = (what: string, hint: string) =>
      new PatchgateError('bad-contract', `${where}: ${what}`, { hint });
    if (!isObject(schema) && typeof schema !== 'boolean')
      throw bad('a schema is an object, true or false', 'correct the schema');
    const id = isObject(schema) ? (schema.$id ?? name) : name;
    if (id !== name && !(typeof id === 'string' && URL.canParse(id)))
      throw bad(
        `"$id" must be the file's name, "${name}", or an absolute URI`,
        'references between schemas are by "$id"',
      );
    schemas.set(name, schema);
  }
  return schemas;
}

/** Checks the form of `contract.json`: what is missing or misspelt there would leave something unjudged. */
function readContract(source: Required<Source>): ContractFile {
  const content = parseFile(source, 'bad-contract') as unknown as ContractFile;
  checkFile('contract', content, source, 'bad-contract');
  const twins = new Map<string, string>();
  for (const [name, entry] of Object.entries(content.operations)) {
    entry.parameters ??= {};
    entry.rules ??= [];
    if (content.base !== undefined) entry.base = content.base;
    const { method, path, parameters, record, schema, schemas } = entry;
    const fail = (member: string, takes: string) => {
      const place = placed(source, `/operations/${escapeToken(name)}${member && `/${member}`}`);
      return new PatchgateError('bad-contract', `invalid value for ${place}`, { hint: `it takes ${takes}` });
    };
    if ((schema === undefined) === (schemas === undefined)) throw fail('', 'either "schema" or "schemas"');
    const named = parametersIn(path);
    if (new Set(named).size < named.length)
      throw fail('path', 'a path template that names each parameter once');
    const form = `${method} ${formOf(path)}`;
    const twin = twins.get(form);
    if (twin) throw fail('path', `another one than that of ${twin}, which would never be told from it`);
    twins.set(form, name);
    if (named.toSorted().join() !== Object.keys(parameters).sort().join())
      throw fail('parameters', `the parameters of the path: ${named.join(', ')}`);
    for (const [parameter, { pattern }] of Object.entries(parameters))
      if (pattern !== undefined && !isPattern(pattern))
        throw fail(`parameters/${parameter}/pattern`, 'a regular expression of JavaScript');
    for (const role of ['id', 'account'] as const)
      if (record?.[role] !== undefined && !named.includes(record[role]))
        throw fail(`record/${role}`, `a parameter of the path: ${named.join(', ')}`);
  }
  return content;
}

/** The same for templates that no path tells apart. */
export function formOf(path: string): string {
  return path.replace(/\{\w+\}/g, '{}');
}

export function isPattern(source: string): boolean {
  try {
    return new RegExp(source, 'u') !== undefined;
  } catch {
    return false;
  }
}
