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

/** What is used of packages that bring far more: half of all that a test suite would load. */
const USED = {
  undici: `
    export { default as Client } from 'undici/lib/dispatcher/client.js';
    export { default as Pool } from 'undici/lib/dispatcher/pool.js';
    export { default as buildConnector } from 'undici/lib/core/connect.js';`,
  // Of bodies only the bytes are asked for.
  'iconv-lite': `
    const none = () => { throw new Error('bodies are not decoded'); };
    export const encodingExists = () => false, decode = none, getDecoder = none;`,
};
const usedAlone = {
  name: 'used-alone',
  setup(builder) {
    builder.onResolve({ filter: /^(?:undici|iconv-lite)$/ }, ({ path }) => ({ path, namespace: 'used' }));
    builder.onLoad({ filter: /./, namespace: 'used' }, ({ path }) => ({
      contents: USED[path],
      resolveDir: process.cwd(),
    }));
    // Of ten thousand media types, those that our own answers have.
    builder.onLoad({ filter: /node_modules[\\/]mime-db[\\/]db\.json$/ }, ({ path }) => {
      const types = Object.entries(JSON.parse(readFileSync(path, 'utf8')));
      const ours = types.filter(([type]) =>
        /^(?:application|text)\/(?:.*json|octet-stream|plain|html|event-stream)$/.test(type),
      );
      return { contents: JSON.stringify(Object.fromEntries(ours)), loader: 'json' };
    });
  },
};

/**
 * Node's own globals, as they are when a gate is loaded. A test may put a clock of its own in the place of the timers, and a gate
 * that waited for that one would wait for ever; and Jest gives each test file other globals, in jsdom but those of a browser.
 */
const OWN = {
  'own-globals': `
    import { performance } from 'node:perf_hooks';
    import * as timers from 'node:timers';
    import { runInThisContext } from 'node:vm';
    const own = runInThisContext('globalThis');
    export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } = timers;
    export const { Date, queueMicrotask, structuredClone } = own;
    export const { AbortController, AbortSignal, TextDecoder, TextEncoder, URL, URLSearchParams } = own;
    const nextTick = own.process.nextTick.bind(own.process);
    export { performance, nextTick as 'process.nextTick' };`,
  'timers/promises': `
    import { promisify } from 'node:util';
    import * as timers from 'own-globals';
    export const setTimeout = promisify(timers.setTimeout), setImmediate = promisify(timers.setImmediate);`,
};
const ownGlobals = {
  name: 'own-globals',
  setup(builder) {
    builder.onResolve({ filter: /^(?:own-globals|(?:node:)?timers\/promises)$/ }, ({ path }) => ({
      path: path.replace('node:', ''),
      namespace: 'own',
    }));
    builder.onLoad({ filter: /./, namespace: 'own' }, ({ path }) => ({ contents: OWN[path] }));
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

/** Makes whatever imports one module of a group import all of it; but for what the help or a config file loads. */
async function loadTogether() {
  const groups = [];
  for (const roots of TOGETHER) {
    const modules = await closureOf(roots);
    for (const earlier of groups) for (const name of earlier.modules) modules.delete(name);
    groups.push({ roots, modules });
  }
  const light = await closureOf(['src/cli.ts', 'src/define-config.ts']);
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
    entryPoints: { testing: TESTING.testing, jest: TESTING.jest, 'fast-check': TESTING['fast-check'] },
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    define: { 'import.meta.url': '__fileUrl' },
    banner: { js: "const __fileUrl=require('node:url').pathToFileURL(__filename).href;" },
    inject: ['own-globals'],
    plugins: [withoutUtilExtend, usedAlone, ownGlobals],
  });
}

/** For TypeScript in CommonJS, which does not take a module's types under `node16`, and before its version 5.8, unless told to. */
function writeTypesForCommonJs({ outputs }) {
  for (const entry of ['testing', 'fast-check']) {
    const types = relative('src', TESTING[entry]).replaceAll('\\', '/').replace(/\.ts$/, '.d.ts');
    const from = `'./types/${types}' with { 'resolution-mode': 'import' };\n`;
    const built = Object.values(outputs).find(({ entryPoint }) => entryPoint === TESTING[entry]);
    const values = built.exports.map((name) => {
      const isClass = /^[A-Z]/.test(name);
      return `export declare const ${name}: typeof esm.${name};\n${isClass ? `export type ${name} = esm.${name};\n` : ''}`;
    });
    const text = `import type * as esm from ${from}export type * from ${from}${values.join('')}`;
    writeFileSync(join(COMMON.outdir, `${entry}.d.cts`), text);
  }
}

/** Apart from the commands: what a gate needs is in a few files then, not in the many that the commands share. */
async function buildForTests() {
  const { metafile } = await build({
    ...COMMON,
    entryPoints: TESTING,
    ...SPLIT,
    metafile: true,
    chunkNames: 'testing-[name]-[hash]',
    inject: ['own-globals'],
    plugins: [withoutUtilExtend, usedAlone, ownGlobals],
  });
  writeTypesForCommonJs(metafile);
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

rmSync('dist', { recursive: true, force: true });
const { metafile } = await build({
  ...COMMON,
  entryPoints: {
    cli: 'src/cli.ts',
    index: 'src/index.ts',
    'define-config': 'src/define-config.ts',
    // A thread of `patchgate check`.
    'check-worker': 'src/commands/check/threads/check-worker.ts',
  },
  ...SPLIT,
  metafile: true,
  plugins: [withoutUtilExtend, usedAlone, lightYargs, await loadTogether()],
});

await buildForTests();
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
