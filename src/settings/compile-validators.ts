/** Build time: compiles the schemas of schema.ts, so that no start pays for it. The program itself does not load this. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { _, Ajv, type KeywordCxt } from 'ajv';
import type standalone from 'ajv/dist/standalone/index.js';
import { compiledSchema } from './schema.ts';

// Ajv's types say that this module has a default export, which a bundler and Node find in different places.
const { default: standaloneCode }: typeof standalone = createRequire(import.meta.url)('ajv/dist/standalone');

/** The module that `settings-validators.d.ts` declares. */
const SETTINGS_VALIDATORS = 'src/settings/settings-validators.js';

/** Writes that module, unless it is the same already. Paths start from the working folder, the repository's. */
export function writeSettingsValidators(): void {
  const ajv = new Ajv({
    ...{
      strictTypes: false,
      allErrors: true,
      verbose: true,
      inlineRefs: false,
      unicode: false,
      logger: false,
    },
    code: { source: true, esm: true },
  });
  ajv.addVocabulary(['takes', 'needs']);
  ajv.addKeyword({
    keyword: 'function',
    code: (context: KeywordCxt) => context.fail(_`typeof ${context.data} != "function"`),
  });
  ajv.addKeyword({
    keyword: 'plain',
    type: 'object',
    code: (context: KeywordCxt) =>
      context.fail(_`Object.prototype.toString.call(${context.data}) != "[object Object]"`),
  });
  ajv.addSchema(compiledSchema(), 'config');
  const names = ['fault', 'faultsGiven', 'customRule', 'fixtures'];
  const validators = names.map((name) => [name, `config#/definitions/${name}`]);
  const code = standaloneCode(ajv, { config: 'config', ...Object.fromEntries(validators) });
  const isThere = existsSync(SETTINGS_VALIDATORS);
  if (!isThere || readFileSync(SETTINGS_VALIDATORS, 'utf8') !== code)
    writeFileSync(SETTINGS_VALIDATORS, code);
}
