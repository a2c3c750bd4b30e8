import { dirname, join } from 'node:path';
import type { AnySchema } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import { PatchgateError } from '../errors.ts';
import { isObject, type JsonValue, member } from '../json/json.ts';
import { faultOf, placeAt } from '../json/json-text.ts';
import type { ContractFile } from '../model/contract.ts';
import { annotationsOf } from './check-schema.ts';
import { compilerOf } from './compile-schemas.ts';
import { type Contract, contractOf } from './contract.ts';
import { type ContractTexts, digestOf, readContractFiles } from './read-contract-files.ts';

/**
 * Reads any contract, to be compiled. Fails closed: whatever cannot be read or understood stops the start.
 *
 * @param location contract.json, or the folder that holds it
 * @throws PatchgateError `bad-contract`, naming file and place
 */
export function loadContract(location: string): Contract {
  const texts = readContractFiles(location);
  const { file, contractText } = texts;
  const key = `${digestOf(texts)} ${file}`;
  const known = kept.get(key);
  if (known) return known;
  const { operations } = checkContractFile(parseStrictly(contractText, file), file);
  const schemas = schemasOf(texts);
  const contract = contractOf({
    ...{ file, entries: operations, schemas },
    validatorOf: compilerOf(schemas, dirname(file)).validatorOf,
    annotationOf: annotationsOf(schemas.values()),
  });
  kept.set(key, contract);
  return contract;
}

/** By their texts: to compile schemas takes longest at the start of a gate, and a test suite starts one for each test. */
const kept = new LRUCache<string, Contract>({ max: 4 });

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

/**
 * Checks the form of `contract.json`: what is missing or misspelt there would leave something unjudged.
 *
 * @throws PatchgateError `bad-contract`, naming the place by JSON Pointer
 */
function checkContractFile(content: unknown, file: string): ContractFile {
  const wrong = (pointer: string, needs: string) =>
    new PatchgateError('bad-contract', `${file}: ${pointer || 'the file'} must be ${needs}`, {
      hint: 'see schemas/contract.json of the package for an example',
    });
  const keys = (pointer: string, value: unknown, required: string[], optional: string[] = []) => {
    if (!isObject(value)) throw wrong(pointer, 'an object');
    for (const key of required) if (!Object.hasOwn(value, key)) throw wrong(`${pointer}/${key}`, 'given');
    for (const key of Object.keys(value)) {
      if (!required.includes(key) && !optional.includes(key) && key !== '$comment')
        throw wrong(`${pointer}/${key}`, `left out: known are ${[...required, ...optional].join(', ')}`);
    }
    return value;
  };

  keys('', content, ['contractVersion', 'source', 'operations']);
  if (member(content, 'contractVersion') !== 1) throw wrong('/contractVersion', '1');
  const operations = member(content, 'operations');
  if (!isObject(operations) || Object.keys(operations).length === 0)
    throw wrong('/operations', 'an object with operations');
  const twins = new Map<string, string>();
  for (const [name, entry] of Object.entries(operations)) {
    const at = `/operations/${name}`;
    keys(at, entry, ['method', 'path', 'parameters', 'record', 'schema', 'rules', 'canary']);
    const { method, path, parameters, record, schema, rules, canary } = entry as Record<string, unknown>;
    if (typeof method !== 'string' || !/^[A-Z]+$/.test(method))
      throw wrong(`${at}/method`, 'a method in capitals');
    if (typeof path !== 'string' || !/^(\/([\w.~-]+|\{[A-Za-z_]\w*\}))+$/.test(path))
      throw wrong(`${at}/path`, 'a path template: /accounts/{account_id}/projects/{project_id}');
    if (typeof schema !== 'string') throw wrong(`${at}/schema`, 'the name of a schema file');

    const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
    if (new Set(named).size < named.length)
      throw wrong(`${at}/path`, 'a template that names each parameter once');
    const twin = twins.get(`${method} ${path.replace(/\{\w+\}/g, '{}')}`);
    if (twin)
      throw wrong(`${at}/path`, `another one than that of ${twin}, which would never be told from it`);
    twins.set(`${method} ${path.replace(/\{\w+\}/g, '{}')}`, name);
    keys(`${at}/parameters`, parameters, named);
    for (const parameter of named)
      checkParameter(`${at}/parameters/${parameter}`, member(parameters, parameter));

    const { kind } = keys(`${at}/record`, record, ['kind', 'id'], ['account']);
    if (typeof kind !== 'string') throw wrong(`${at}/record/kind`, 'a text: project');
    for (const role of ['id', 'account']) {
      const parameter = member(record, role);
      if (parameter !== undefined && !named.includes(String(parameter)))
        throw wrong(`${at}/record/${role}`, 'a parameter of the path');
    }
    if (!Array.isArray(rules)) throw wrong(`${at}/rules`, 'a list of rule names');
    rules.forEach((rule, index) => {
      if (typeof rule === 'string') return;
      const { name: named, severity } = keys(`${at}/rules/${index}`, rule, ['name', 'severity']);
      if (typeof named !== 'string') throw wrong(`${at}/rules/${index}/name`, 'the name of a rule');
      if (!['error', 'warn', 'off'].includes(String(severity)))
        throw wrong(`${at}/rules/${index}/severity`, 'error, warn or off');
    });
    const { rule, pointer } = keys(`${at}/canary`, canary, ['body', 'rule', 'pointer']);
    if (typeof rule !== 'string' || typeof pointer !== 'string')
      throw wrong(`${at}/canary`, 'a body with the rule and the pointer of its finding');
  }
  return content as unknown as ContractFile;

  function checkParameter(pointer: string, form: unknown): void {
    const { type, keywords } = keys(pointer, form, ['type'], ['keywords', 'source']);
    if (!['integer', 'int32', 'string'].includes(String(type)))
      throw wrong(`${pointer}/type`, 'integer, int32 or string');
    if (
      keywords !== undefined &&
      !(Array.isArray(keywords) && keywords.every((word) => typeof word === 'string'))
    )
      throw wrong(`${pointer}/keywords`, 'a list of words');
  }
}
