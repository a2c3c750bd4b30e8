import { dirname, join } from 'node:path';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { PatchgateError } from '../errors.ts';
import type { JsonValue } from '../json/json.ts';
import { escapeToken } from '../json/pointer.ts';
import type { ContractFile } from '../model/contract.ts';
import { checkFile, parseFile, placed, type Source } from '../schemas/check.ts';
import { compilerOf, type Schemas } from './compile-schemas.ts';
import { type Contract, contractOf } from './contract.ts';
import { digestOf, readContractFiles } from './contract-files.ts';
import { parametersIn } from './path.ts';

/** A test suite starts a gate for each test, and to compile schemas takes longest. */
let last: { key: string; contract: Contract } | undefined;

/** Reads a contract to be compiled. @param location contract.json, or its folder. @throws PatchgateError `bad-contract`, naming file and place */
export function loadContract(location: string): Contract {
  const { file, contractText, schemaTexts } = readContractFiles(location);
  const key = `${digestOf({ file, contractText, schemaTexts })} ${file}`;
  if (last?.key === key) return last.contract;
  const schemas = new Map<string, JsonValue>();
  for (const [name, text] of schemaTexts)
    schemas.set(name, parseFile({ where: join(dirname(file), name), text }, 'bad-contract'));
  last = { key, contract: contractFrom(readContract({ where: file, text: contractText }), schemas, file) };
  return last.contract;
}

/** @throws PatchgateError `bad-contract` if a schema is not as its meta-schema says */
export function contractFrom({ operations, source }: ContractFile, schemas: Schemas, file: string): Contract {
  const all = compilerOf(schemas, dirname(file), source);
  let brief: typeof all | undefined;
  return contractOf(file, operations, schemas, (reference, isLarge) => {
    if (!isLarge) return all.validatorOf(reference);
    brief ??= compilerOf(schemas, dirname(file), source, false);
    return brief.validatorOf(reference);
  });
}

/** Checks the form of `contract.json`: a missing or misspelt member would leave something unjudged. */
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
export const formOf = (path: string) => path.replace(/\{\w+\}/g, '{}');

export const isPattern = fullFormats.regex as (source: string) => boolean;
