/** Build time: compiles the shipped contract's schemas, so that no start pays for it. The program itself does not load this. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type standalone from 'ajv/dist/standalone/index.js';
import type { ContractFile } from '../model/contract.ts';
import { compilerOf } from './compile-schemas.ts';
import { schemasOf } from './load-contract.ts';
import { digestOf, readContractFiles } from './read-contract-files.ts';

// Ajv's types say that this module has a default export, which a bundler and Node find in different places.
const { default: standaloneCode }: typeof standalone = createRequire(import.meta.url)('ajv/dist/standalone');

/** The module that `shipped-validators.d.ts` declares. */
const SHIPPED_VALIDATORS = 'src/contract/shipped-validators.js';

/** Writes that module, unless it is the same already. Paths start from the working folder, the repository's. */
export function writeShippedValidators(): void {
  const code = moduleOf('schemas');
  if (textOf(SHIPPED_VALIDATORS) !== code) writeFileSync(SHIPPED_VALIDATORS, code);
}

function moduleOf(folder: string): string {
  const texts = readContractFiles(folder);
  const { ajvOf, validatorOf } = compilerOf(schemasOf(texts), folder);
  const { operations } = JSON.parse(texts.contractText) as ContractFile;
  const names = [...new Set(Object.values(operations).map(({ schema }) => schema))];
  for (const name of names) validatorOf(name);
  const exported = Object.fromEntries(names.map((name, index) => [`validator${index}`, name]));
  const code = standaloneCode(ajvOf(names[0] as string), exported);
  const needed = /\brequire\(.*?\)/.exec(code);
  if (needed)
    throw new Error(`the shipped contract's validators need ${needed[0]}, which must be imported here`);
  const schemas = [...code.matchAll(/^const (schema\d+) = /gm)].map(([, name]) => name);
  return `import { appended, firstRepeated, formats, furtherFields, oneOf } from './keyword-functions.ts';
${code}
export const digest = ${JSON.stringify(digestOf(texts))};
export const validators = {${names.map((name, index) => `${JSON.stringify(name)}: validator${index}`)}};
export const schemas = [${schemas}];
`;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
