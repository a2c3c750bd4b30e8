// Builds dist/: the program and the library as ES modules that share their code, and the inspector's page. Packages stay packages.

import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const COMMON = {
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  logLevel: 'warning',
};

rmSync('dist', { recursive: true, force: true });

// Compiles our own schemas while it bundles; TypeScript itself, it is bundled first.
await build({ ...COMMON, packages: 'external', entryPoints: ['build/compile-validators.ts'] });
const { forBuild } = await import('../dist/compile-validators.js');
rmSync('dist/compile-validators.js');

// Packages stay packages, but for those that every start loads: yargs with its many small files, safe-stable-stringify, p-limit.
const { dependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const { metafile } = await build({
  ...COMMON,
  external: Object.keys({ ...dependencies, ...peerDependencies }),
  metafile: true,
  // Less to read at each start; names stay, for stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  entryPoints: {
    cli: 'src/bin.ts',
    main: 'src/cli.ts',
    testing: 'src/testing/index.ts',
    'merge-worker': 'src/recordings/merge-worker.ts',
    'redact-worker': 'src/recordings/redact-worker.ts',
    'gate-worker': 'src/testing/gate-worker.ts',
    'define-config': 'src/settings/define-config.ts',
  },
  splitting: true,
  chunkNames: '[name]-[hash]',
  plugins: [forBuild],
});
const bundled = new Set(
  Object.keys(metafile.inputs).flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []),
);
const licenses = [...bundled].map((name) => `${name}\n\n${readFileSync(licenseOf(name), 'utf8')}`);
writeFileSync('dist/LICENSES.txt', licenses.join('\n\n'));
chmodSync('dist/cli.js', 0o755);
copyFileSync('src/postgres/tables.sql', 'dist/tables.sql');

// Its policy allows nothing that stands in the page itself: a file for each kind.
await build({
  entryPoints: { app: 'src/ui/main.tsx', style: 'src/ui/style.css', index: 'src/ui/index.html' },
  outdir: 'dist/ui',
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

// The types of the two entries, and of all that they lead to.
const TYPES = 'dist/types';
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'build'], { stdio: 'inherit' });
const kept = new Set(['testing/index', 'settings/define-config'].map((name) => join(TYPES, `${name}.d.ts`)));
for (const file of kept)
  for (const [, name] of readFileSync(file, 'utf8').matchAll(/\b(?:from |import\()['"](\.[^'"]+)\.ts['"]/g))
    kept.add(join(file, '..', `${name}.d.ts`));
for (const name of readdirSync(TYPES, { recursive: true }))
  if (name.endsWith('.d.ts') && !kept.has(join(TYPES, name))) rmSync(join(TYPES, name));

// Editors show beside an option what the table of settings says of it.
const settings = join(TYPES, 'settings/settings.d.ts');
const SETTING = /^( +)(?:readonly )?(\w+): \{\n(?:\1 {4}.*\n)*?\1 {4}readonly description: (['"])(.*)\3;$/gm;
const documented = readFileSync(settings, 'utf8').replace(SETTING, (setting, indent, _name, _quote, text) => {
  const comment = text.replace(/\\(["'])/g, '$1').replaceAll('*/', '*\\/');
  return `${indent}/** ${comment} */\n${setting}`;
});
writeFileSync(settings, documented);

function licenseOf(name) {
  const folder = join('node_modules', name);
  return join(
    folder,
    readdirSync(folder).find((file) => /^licen[cs]e/i.test(file)),
  );
}
