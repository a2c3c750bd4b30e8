import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { ContractFile } from '../model/contract.ts';
import { annotationsOf } from './check-schema.ts';
import { type Contract, contractOf } from './contract.ts';
import { digestOf, openApiText, readContractFiles } from './read-contract-files.ts';
import * as shipped from './shipped-validators.js';

/**
 * The contract that the product ships, whose validators the build has compiled: Ajv is not loaded. Undefined where other texts
 * stand there than those that were compiled.
 *
 * @throws PatchgateError `bad-contract` where a file cannot be read
 */
export function shippedContract(location: string): Contract | undefined {
  if (openApiText(location) !== undefined) return undefined;
  const texts = readContractFiles(location);
  if (digestOf(texts) !== shipped.digest) return undefined;
  const { operations }: ContractFile = JSON.parse(texts.contractText);
  const parsed = [...texts.schemaTexts].map(([name, text]) => [name, JSON.parse(text)] as const);
  return contractOf({
    ...{ file: texts.file, entries: operations, schemas: new Map(parsed) },
    validatorOf: (name) => shipped.validators[name] as ValidateFunction,
    annotationOf: annotationsOf(shipped.schemas),
  });
}
