// Builds dist/: the program and the library as ES modules that share their code, and the inspector's page. Packages stay packages.

import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { build } from 'rolldown';

rmSync('dist', { recursive: true, force: true });

// Compiles our own schemas while it bundles; TypeScript itself, it is bundled first.
const COMPILER = 'dist/compile-validators.js';
const isPackage = (id) => !id.startsWith('.') && !isAbsolute(id);
await build({ input: 'build/compile-validators.ts', external: isPackage, output: { file: COMPILER } });
const { compiledValidators } = await import(`../${COMPILER}`);
rmSync(COMPILER);

// Packages stay packages, but for those that every start loads: to find and read each takes a millisecond.
const { dependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const stay = Object.keys({ ...dependencies, ...peerDependencies });
// Less to read at each start; names of functions stay, for stack traces.
const minify = { compress: true, mangle: { keepNames: true }, codegen: true };
const { output } = await build({
  ...{ platform: 'node', transform: { target: 'node20.19' } },
  // What a command loads late may be loaded already by another.
  checks: { ineffectiveDynamicImport: false, bundlerTimings: false },
  input: {
    cli: 'src/bin.ts',
    main: 'src/cli.ts',
    testing: 'src/testing/index.ts',
    'recording-worker': 'src/recordings/beside.ts',
    'gate-worker': 'src/testing/gate-worker.ts',
  },
  external: (id) => stay.some((name) => id === name || id.startsWith(`${name}/`)),
  plugins: [compiledValidators],
  output: {
    ...{ dir: 'dist', minify, chunkFileNames: '[name]-[hash].js' },
    // Each file costs a start half a millisecond: those that three of these need, or commands, are one.
    codeSplitting: { groups: [{ name: 'shared', minShareCount: 3 }] },
  },
});
// A config file loads it, in whatever program.
await build({ input: 'src/settings/define-config.ts', output: { file: 'dist/define-config.js', minify } });
const bundled = new Set(
  output
    .flatMap(({ moduleIds = [] }) => moduleIds)
    .flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []),
);
const licenses = [...bundled].map((name) => `${name}\n\n${readFileSync(licenseOf(name), 'utf8')}`);
writeFileSync('dist/LICENSES.txt', licenses.join('\n\n'));
chmodSync('dist/cli.js', 0o755);
copyFileSync('src/postgres/tables.sql', 'dist/tables.sql');

// Its policy allows nothing that stands in the page itself: a file for each kind.
await build({
  ...{ input: 'src/ui/main.tsx', platform: 'browser', transform: { target: 'es2022' } },
  output: {
    ...{ file: 'dist/ui/app.js', minify: true },
    banner: `/*! Preact: ${readFileSync('node_modules/preact/LICENSE', 'utf8')}*/`,
  },
});
for (const file of ['style.css', 'index.html']) copyFileSync(`src/ui/${file}`, `dist/ui/${file}`);

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
