/** Compiles the schemas of our own with Ajv, so that no start pays for it. Only the build and the tests load this. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { _, Ajv, type AnySchemaObject, type KeywordCxt } from 'ajv';
import type standalone from 'ajv/dist/standalone/index.js';
import { minifySync } from 'rolldown/utils';
import type { Plugin } from 'vitest/config';
import { compilerOf } from '../src/contract/compile-schemas.ts';
import { digestOf, readContractFiles } from '../src/contract/contract-files.ts';
import type { ContractFile } from '../src/model/contract.ts';
import { COMPILED as OWN } from '../src/settings/schema.ts';

// Ajv's types say that this module has a default export, which a bundler and Node find in different places.
const { default: standaloneCode }: typeof standalone = createRequire(import.meta.url)('ajv/dist/standalone');

/** Modules that only a `.d.ts` file of src/ declares. */
const COMPILED = /(?:^|[\\/])(?:shipped-)?validators\.js$/;

/** For the build, whose working folder is the repository's, and for vitest, so that the tests run from source. */
export const compiledValidators = {
  name: 'compiled-validators',
  enforce: 'pre',
  resolveId: (id, importer = '') =>
    COMPILED.test(id) && id.startsWith('.') ? join(dirname(importer), id) : undefined,
  load(id) {
    if (!COMPILED.test(id)) return undefined;
    return id.includes('shipped-') ? validatorsOfContract('schemas') : validatorsOfFiles();
  },
} satisfies Plugin;

/** One function for all that people hand in: functions of its own for each would have a copy of each definition. */
function validatorsOfFiles(): string {
  const files = {
    contract: schemaOf('contract'),
    state: schemaOf('state'),
    kept: schemaOf('kept'),
    recording: schemaOf('recording'),
    har: schemaOf('har'),
  };
  const own = ['config', 'customRule'];
  const validate = {
    properties: {
      ...Object.fromEntries(own.map((name) => [name, { $ref: `#/definitions/${name}` }])),
      ...Object.fromEntries(Object.keys(files).map((name) => [name, { $ref: name }])),
    },
    definitions: OWN,
  };
  const ajv = new Ajv({
    schemas: { ...files, validate },
    strictTypes: false,
    strictRequired: false,
    allErrors: true,
    verbose: true,
    messages: false,
    inlineRefs: false,
    unicode: false,
    logger: false,
    code: { source: true, esm: true },
    keywords: [
      'takes',
      {
        keyword: 'function',
        code: (context: KeywordCxt) => context.fail(_`typeof ${context.data} != "function"`),
      },
    ],
  });
  const code = standaloneCode(ajv, { validate: 'validate' });
  return minifySync('validators.js', code).code;
}

/** What editors show of a field is what our messages say that it takes. */
function schemaOf(name: string): AnySchemaObject {
  const text = readFileSync(`schemas/files/${name}.schema.json`, 'utf8');
  return JSON.parse(text.replaceAll('"description":', '"takes":'));
}

function validatorsOfContract(folder: string): string {
  const texts = readContractFiles(folder);
  const { operations, source } = JSON.parse(texts.contractText) as ContractFile;
  const schemas = new Map([...texts.schemaTexts].map(([name, text]) => [name, JSON.parse(text)]));
  const { ajv, validatorOf } = compilerOf(schemas, folder, source);
  const names = [...new Set(Object.values(operations).flatMap(({ schema }) => schema ?? []))];
  for (const name of names) validatorOf(name);
  const code = standaloneCode(
    ajv,
    Object.fromEntries(names.map((name, index) => [`validator${index}`, name])),
  );
  const needed = /\brequire\(.*?\)/.exec(code);
  if (needed)
    throw new Error(`the shipped contract's validators need ${needed[0]}, which must be imported here`);
  return `import { formats, keywords } from './keywords.ts';
${minifySync('shipped-validators.js', code).code}
export const digest = ${JSON.stringify(digestOf(texts))};
export const validators = {${names.map((name, index) => `${JSON.stringify(name)}: validator${index}`)}};
`;
}
