import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { ContractFile } from '../model/contract.ts';
import { type Contract, contractOf } from './contract.ts';
import { digestOf, openApiText, readContractFiles } from './contract-files.ts';
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
  const schemas = new Map([...texts.schemaTexts].map(([name, text]) => [name, JSON.parse(text)]));
  return contractOf(texts.file, operations, schemas, (name) => shipped.validators[name] as ValidateFunction);
}
