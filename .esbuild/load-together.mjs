import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { shippedValidators } from './shipped-validators.mjs';

/**
 * What is loaded together, each with all that it imports but for what an earlier one has. esbuild makes one file of the modules that
 * are needed by exactly the same entries and dynamic imports: a start would open seventy, most of them tiny, and that takes longer
 * than to read a few large ones.
 */
const TOGETHER = [
  ['src/config.ts', 'src/compose-gate.ts'],
  [
    'src/commands/serve.ts',
    'src/patchgate.ts',
    'src/recordings/store/open-store.ts',
    'src/upstreams/replay.ts',
    'src/guard/replayed-knowledge.ts',
  ],
  [
    'src/commands/check/run-check.ts',
    'src/commands/check/judging/judging.ts',
    'src/commands/check/report/standard-io.ts',
    'src/reporters/text.ts',
  ],
];

/** Makes whatever imports one module of a group import all of it; but for what a config file loads. */
export async function loadTogether() {
  const ofConfigFile = await closureOf(['src/define-config.ts']);
  // Every command has read the command line.
  const light = await closureOf(['src/cli.ts']);
  const atHand = new Set([...light].filter((name) => name !== 'src/cli.ts' && !ofConfigFile.has(name)));
  const groups = [{ roots: [...atHand], modules: atHand }];
  for (const roots of TOGETHER) {
    const modules = await closureOf(roots);
    for (const earlier of groups) for (const name of earlier.modules) modules.delete(name);
    for (const name of ofConfigFile) modules.delete(name);
    groups.push({ roots, modules });
  }
  return {
    name: 'load-together',
    setup(builder) {
      builder.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
        const file = nameOf(path);
        if (light.has(file) || ofConfigFile.has(file)) return undefined;
        const text = readFileSync(path, 'utf8');
        const imports = [...text.matchAll(/^(?:import|export)\b(?! type\b)[^;]*? from '(\.[^']+)';/gm)];
        const imported = imports.map(([, from]) => nameOf(join(dirname(path), from)));
        const wanted = groups.filter(
          ({ roots, modules }) =>
            roots.includes(file) || (!modules.has(file) && imported.some((name) => modules.has(name))),
        );
        const added = wanted
          .flatMap(({ roots }) => roots)
          .map((root) => `import ${JSON.stringify(resolve(root))};`);
        // Behind its own: nothing is to be evaluated before what it needs.
        return { contents: `${text}\n${added.join('\n')}`, loader: 'ts' };
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
      shippedValidators,
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

/** As esbuild names it: `src/config.ts` */
function nameOf(path) {
  return relative(process.cwd(), path).replaceAll('\\', '/');
}
