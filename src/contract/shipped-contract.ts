import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { ContractFile } from '../model/contract.ts';
import { type Contract, contractOf } from './contract.ts';
import { digestOf, openApiText, readContractFiles } from './contract-files.ts';
import * as shipped from './shipped-validators.js';

/** The contract whose validators the build has compiled, so that no start loads Ajv. Undefined if other texts stand there. */
export function shippedContract(location: string): Contract | undefined {
  if (openApiText(location) !== undefined) return undefined;
  const texts = readContractFiles(location);
  if (digestOf(texts) !== shipped.digest) return undefined;
  const { operations }: ContractFile = JSON.parse(texts.contractText);
  const schemas = new Map([...texts.schemaTexts].map(([name, text]) => [name, JSON.parse(text)]));
  return contractOf(texts.file, operations, schemas, (name) => shipped.validators[name] as ValidateFunction);
}
