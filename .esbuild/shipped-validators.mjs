import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { build } from 'esbuild';

const MODULE = resolve('src/contract/shipped-validators.js');
const FOLDER = resolve('src/contract');
const ASKED = /\/shipped-validators\.js$/;

/** For esbuild: the module is made whenever it is asked for, so that it is always that of the schemas. */
export const shippedValidators = {
  name: 'shipped-validators',
  setup(builder) {
    builder.onResolve({ filter: ASKED }, () => ({
      path: 'src/contract/shipped-validators.js',
      namespace: 'built',
    }));
    builder.onLoad({ filter: ASKED, namespace: 'built' }, async () => ({
      contents: await validatorsModule(),
      resolveDir: FOLDER,
    }));
  },
};

/** The same for Vitest. */
export const shippedValidatorsForVite = {
  name: 'shipped-validators',
  resolveId: (path) => (ASKED.test(path) ? MODULE : undefined),
  load: (path) => (path === MODULE ? validatorsModule() : undefined),
};

/** The shipped contract compiled by the product's own compiler, as the code of a module. */
async function validatorsModule() {
  const product = await loadSource(`
    export { compilerOf } from './compile-schemas.ts';
    export { schemasOf } from './load-contract.ts';
    export { digestOf, readContractFiles } from './read-contract-files.ts';
    export { default as standaloneCode } from 'ajv/dist/standalone/index.js';`);
  const texts = product.readContractFiles('schemas');
  const schemas = product.schemasOf(texts);
  const { ajvOf, validatorOf } = product.compilerOf(schemas, 'schemas');
  const { operations } = JSON.parse(texts.contractText);
  const names = [...new Set(Object.values(operations).map(({ schema }) => schema))];
  for (const name of names) validatorOf(name);
  const code = product.standaloneCode(
    ajvOf(names[0]),
    Object.fromEntries(names.map((name, index) => [`validator${index}`, name])),
  );
  const needed = /\brequire\(.*?\)/.exec(code);
  if (needed)
    throw new Error(`the shipped contract's validators need ${needed[0]}, which must be imported here`);
  const named = [...code.matchAll(/^const (schema\d+) = /gm)].map(([, name]) => name);
  return `
    import { appended, firstRepeated, formats, furtherFields, oneOf } from './keyword-functions.ts';
    ${code}
    export const digest = ${JSON.stringify(product.digestOf(texts))};
    export const validators = {${names.map((name, index) => `${JSON.stringify(name)}: validator${index}`)}};
    export const schemas = [${named}];`;
}

/** What a module of these sources exports. */
async function loadSource(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: FOLDER },
    ...{ bundle: true, write: false, format: 'cjs', platform: 'node', packages: 'external' },
  });
  const module = { exports: {} };
  new Function('module', 'require', outputFiles[0].text)(module, createRequire(import.meta.url));
  return module.exports;
}
