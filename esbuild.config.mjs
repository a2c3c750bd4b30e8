// Bundles the product with all that it needs: a start loads a few files instead of hundreds, which is most of its time.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';

/** Prints a deprecation warning on newer versions of Node; Object.assign does the same. */
const withoutUtilExtend = {
  name: 'without-util-extend',
  setup(builder) {
    builder.onLoad({ filter: /node_modules[\\/]http-proxy[\\/].*\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(/require\(['"]util['"]\)\._extend/g, 'Object.assign'),
    }));
  },
};

/** What yargs imports, and does here without: that is felt at each start. */
const LIGHT = {
  // The help is plain English: a character, a column. The package looks at graphemes.
  'string-width': 'export default (text) => String(text).length;',
  // To guess a version, which is not asked of it, it lists the working folder and those above: of ten thousand bodies that takes
  // a third of a start.
  'escalade/sync': "export default () => { throw new Error('not looked for'); };",
  // Node's own loads all its streams.
  assert: `
    const hold = (holds, message) => { if (!holds) throw new Error(message); };
    export const strictEqual = (a, b, message) => hold(Object.is(a, b), message);
    export const notStrictEqual = (a, b, message) => hold(!Object.is(a, b), message);`,
};
const lightYargs = {
  name: 'light-yargs',
  setup(builder) {
    builder.onResolve({ filter: /^(?:string-width|escalade\/sync|assert)$/ }, ({ path, importer }) =>
      /node_modules[\\/](?:yargs|cliui|wrap-ansi)[\\/]/.test(importer)
        ? { path, namespace: 'light' }
        : undefined,
    );
    builder.onLoad({ filter: /./, namespace: 'light' }, ({ path }) => ({ contents: LIGHT[path] }));
    // It makes the help's text before each command runs, for a failure that would show it; ours never does.
    builder.onLoad({ filter: /node_modules[\\/]yargs[\\/].*[\\/]usage\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace('cachedHelpMessage = this.help();', ''),
    }));
  },
};

/** What a test suite imports. */
const TESTING = {
  testing: 'src/testing/index.ts',
  vitest: 'src/testing/vitest.ts',
  jest: 'src/testing/jest.ts',
  'fast-check': 'src/testing/fast-check.ts',
};

/**
 * What is loaded together, each with all that it imports. esbuild makes one file of the modules that are needed by exactly the same
 * entries and dynamic imports: a body's check would open sixty, most of them tiny, and that takes longer than to read a larger one.
 */
const TOGETHER = [
  ['src/config.ts'],
  ['src/compose-gate.ts'],
  [
    'src/commands/check/run-check.ts',
    'src/commands/check/judging/judging.ts',
    'src/commands/check/report/standard-io.ts',
    'src/reporters/text.ts',
  ],
];

/** Makes whatever imports one module of a group import all of it; but for what the help, a config file or a test suite loads. */
async function loadTogether() {
  const groups = [];
  for (const roots of TOGETHER) {
    const modules = await closureOf(roots);
    for (const earlier of groups) for (const name of earlier.modules) modules.delete(name);
    groups.push({ roots, modules });
  }
  const light = await closureOf(['src/cli.ts', 'src/define-config.ts', ...Object.values(TESTING)]);
  return {
    name: 'load-together',
    setup(builder) {
      builder.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
        const file = nameOf(path);
        if (light.has(file)) return undefined;
        const text = readFileSync(path, 'utf8');
        const imports = [...text.matchAll(/^(?:import|export)\b(?! type\b)[^;]*? from '(\.[^']+)';/gm)];
        const imported = imports.map(([, from]) => nameOf(join(dirname(path), from)));
        const wanted = groups.filter(
          ({ modules }) => !modules.has(file) && imported.some((name) => modules.has(name)),
        );
        const added = wanted
          .flatMap(({ roots }) => roots)
          .map((root) => `import ${JSON.stringify(resolve(root))};`);
        return { contents: added.join('') + text, loader: 'ts' };
      });
    },
  };
}

/** The names of our modules that are loaded with these files. */
async function closureOf(files) {
  const { metafile } = await build({
    entryPoints: files,
    ...{ bundle: true, format: 'esm', outdir: 'nowhere', write: false, metafile: true },
    plugins: [
      {
        name: 'ours-at-once',
        setup(builder) {
          builder.onResolve({ filter: /./ }, ({ kind, path }) =>
            kind === 'dynamic-import' || !/^(?:\.|src)/.test(path) ? { path, external: true } : undefined,
          );
        },
      },
    ],
  });
  return new Set(Object.keys(metafile.inputs));
}

/** Jest loads CommonJS alone, and knows no dynamic import: each is one file with all that it needs. */
async function buildForJest() {
  await build({
    ...COMMON,
    entryPoints: { testing: TESTING.testing, jest: TESTING.jest },
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    define: { 'import.meta.url': '__fileUrl' },
    banner: { js: "const __fileUrl=require('node:url').pathToFileURL(__filename).href;" },
    plugins: [withoutUtilExtend],
  });
}

/** As esbuild names it: `src/config.ts` */
function nameOf(path) {
  return relative(process.cwd(), path).replaceAll('\\', '/');
}

const COMMON = {
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  // They are the test suite's own.
  external: ['vitest', 'fast-check'],
};

rmSync('dist', { recursive: true, force: true });
const { metafile } = await build({
  ...COMMON,
  entryPoints: {
    cli: 'src/cli.ts',
    index: 'src/index.ts',
    'define-config': 'src/define-config.ts',
    ...TESTING,
    // A thread of `patchgate check`.
    'check-worker': 'src/commands/check/threads/check-worker.ts',
  },
  splitting: true,
  format: 'esm',
  metafile: true,
  // Packages in CommonJS call it for Node's own modules.
  banner: {
    js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
  },
  plugins: [withoutUtilExtend, lightYargs, await loadTogether()],
});

await buildForJest();

// What is bundled is passed on under its own licence.
const packages = new Set(
  Object.keys(metafile.inputs)
    .map((input) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1])
    .filter((name) => name !== undefined),
);
const notices = [...packages].sort().map((name) => {
  const folder = join('node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : ''}\n`;
});
writeFileSync('dist/THIRD-PARTY-NOTICES.txt', notices.join(`\n${'-'.repeat(80)}\n\n`));
