// Bundles our own sources into one file: a start reads that one instead of hundreds. Packages stay packages.

import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { build } from 'esbuild';

const OUT = 'dist';
const COMMON = { outdir: OUT, bundle: true, platform: 'node', target: 'node20.19', logLevel: 'warning' };

/**
 * In CommonJS, a module and the packages that it needs are loaded when they are first asked for; ES modules in one file would load
 * all packages at the start.
 */
const COMMON_JS = {
  ...COMMON,
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  define: { 'import.meta.url': '__fileUrl' },
  banner: { js: "const __fileUrl = require('node:url').pathToFileURL(__filename).href;" },
  // A test may put others in the place of the globals.
  inject: ['src/testing/own-globals.ts'],
};

/** A module that gives, for each name, what that source exports. */
const gatherExports = (sources) => ({
  contents: Object.entries(sources)
    .map(([name, source]) => `module.exports[${JSON.stringify(name)}] = () => require('./src/${source}');`)
    .join('\n'),
  resolveDir: '.',
});

const TESTING = { testing: 'testing/index.ts', 'fast-check': 'testing/fast-check.ts' };

rmSync(OUT, { recursive: true, force: true });

// The validators of our own schemas, which our own sources write.
await build({
  ...COMMON_JS,
  inject: [],
  entryPoints: { compile: 'src/compile-validators.ts' },
  packages: 'external',
});
const require = createRequire(import.meta.url);
require('./dist/compile.cjs').writeValidators();
rmSync('dist/compile.cjs');

// The program and the library.
const MODULES = { index: 'index.ts', ...TESTING };
await build({
  ...COMMON_JS,
  stdin: { ...gatherExports({ cli: 'cli.ts', ...MODULES }), sourcefile: 'main.js' },
  entryNames: 'main',
  packages: 'external',
});
const main = require('./dist/main.cjs');
const load = (bundle) =>
  `import { createRequire } from 'node:module';\n\nconst main = createRequire(import.meta.url)('./${bundle}');\n`;
for (const name of Object.keys(MODULES)) {
  const names = Object.keys(main[name]()).join(', ');
  const bundle = Object.hasOwn(TESTING, name) ? 'for-tests.cjs' : 'main.cjs';
  writeFileSync(
    `${OUT}/${name}.js`,
    `${load(bundle)}export const { ${names} } = main[${JSON.stringify(name)}]();\n`,
  );
}
writeFileSync(
  `${OUT}/cli.js`,
  `#!/usr/bin/env node\n${load('main.cjs')}main.cli().main(process.argv.slice(2));\n`,
);
chmodSync(`${OUT}/cli.js`, 0o755);
await build({
  ...COMMON,
  entryPoints: { 'define-config': 'src/settings/define-config.ts', vitest: 'src/testing/vitest.ts' },
  format: 'esm',
  packages: 'external',
  plugins: [
    {
      name: 'beside-the-library',
      setup: ({ onResolve }) =>
        onResolve({ filter: /gate-matchers/ }, () => ({ path: './testing.js', external: true })),
    },
  ],
});

// What a test loads has all that it needs, with the machine's own timers: a test may fake those that packages take. Jest loads CommonJS alone.
const FOR_JEST = { ...TESTING, jest: 'testing/jest.ts' };
await build({
  ...COMMON_JS,
  stdin: { ...gatherExports(FOR_JEST), sourcefile: 'for-tests.js' },
  entryNames: 'for-tests',
  // No test needs the metrics' package at its start.
  external: ['@jest/globals', 'fast-check', 'prom-client', 'pg'],
  legalComments: 'eof',
});
for (const name of Object.keys(FOR_JEST))
  writeFileSync(
    `${OUT}/${name}.cjs`,
    `module.exports = require('./for-tests.cjs')[${JSON.stringify(name)}]();\n`,
  );

// The inspector's page, for browsers. Its own file for each kind, since its policy allows nothing that stands in the page itself.
await build({
  entryPoints: { app: 'src/ui/main.tsx', style: 'src/ui/style.css', index: 'src/ui/index.html' },
  entryNames: '[name]',
  outdir: `${OUT}/ui`,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  loader: { '.html': 'copy' },
  banner: { js: `/*! Preact: ${readFileSync('node_modules/preact/LICENSE', 'utf8')}*/` },
  logLevel: 'warning',
});
