// Bundles the product with all that it needs: a start loads a few files instead of hundreds, which is most of its time.
import { rmSync } from 'node:fs';
import { build } from 'esbuild';
import { loadTogether } from './.esbuild/load-together.mjs';
import { writeNotices } from './.esbuild/notices.mjs';
import { ownGlobals } from './.esbuild/own-globals.mjs';
import { shippedValidators } from './.esbuild/shipped-validators.mjs';
import { writeTypesForCommonJs } from './.esbuild/types-for-commonjs.mjs';

const COMMON = {
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
  // They are the test suite's own.
  external: ['vitest', '@jest/globals', 'fast-check'],
};

const SPLIT = {
  splitting: true,
  format: 'esm',
  // Packages in CommonJS call it for Node's own modules.
  banner: {
    js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
  },
};

/** What a test suite imports. */
const TESTING = {
  testing: 'src/testing/index.ts',
  vitest: 'src/testing/vitest.ts',
  jest: 'src/testing/jest.ts',
  'fast-check': 'src/testing/fast-check.ts',
};

/** vitest is for modules alone. */
const { vitest: _, ...FOR_COMMON_JS } = TESTING;

/** Apart from the commands: what a gate needs is in a few files then, not in the many that the commands share. */
async function buildForTests() {
  const { metafile } = await build({
    ...COMMON,
    entryPoints: TESTING,
    ...SPLIT,
    metafile: true,
    chunkNames: 'testing-[name]-[hash]',
    inject: ['own-globals'],
    plugins: [shippedValidators, ownGlobals],
  });
  writeTypesForCommonJs(metafile, FOR_COMMON_JS, COMMON.outdir);
}

/** Jest loads CommonJS alone, and knows no dynamic import: each is one file with all that it needs. */
async function buildForJest() {
  await build({
    ...COMMON,
    entryPoints: FOR_COMMON_JS,
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    define: { 'import.meta.url': '__fileUrl' },
    banner: { js: "const __fileUrl=require('node:url').pathToFileURL(__filename).href;" },
    inject: ['own-globals'],
    plugins: [shippedValidators, ownGlobals],
  });
}

rmSync(COMMON.outdir, { recursive: true, force: true });
const { metafile } = await build({
  ...COMMON,
  entryPoints: {
    cli: 'src/cli.ts',
    index: 'src/index.ts',
    'define-config': 'src/settings/define-config.ts',
  },
  ...SPLIT,
  metafile: true,
  plugins: [shippedValidators, await loadTogether()],
});

await buildForTests();
await buildForJest();
writeNotices(metafile, COMMON.outdir);
