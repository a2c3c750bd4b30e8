import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { shippedValidators } from './shipped-validators.mjs';

/** What a command loads at once, beside what reads the command line. */
const JUDGING = ['src/settings/config.ts', 'src/app/compose-gate.ts'];
const SERVING = [
  'src/commands/serve.ts',
  'src/app/patchgate.ts',
  'src/recordings/store/open-store.ts',
  'src/upstreams/replay.ts',
  'src/guard/replayed-knowledge.ts',
];
const CHECKING = [
  'src/commands/check/run-check.ts',
  'src/commands/check/judging/judging.ts',
  'src/commands/check/report/standard-io.ts',
  'src/commands/check/report/hide-secrets.ts',
  'src/reporters/text.ts',
];

/**
 * Makes esbuild put what is loaded together into one file. By itself it makes one of the modules that are needed by exactly the same
 * entries and dynamic imports: a start would open seventy, most of them tiny, and that takes longer than to read a few large ones.
 * Here, whatever imports one module of a group imports all of it.
 */
export async function loadTogether() {
  const ofConfigFile = await closureOf(['src/settings/define-config.ts']);
  const plainCommand = await closureOf(['src/cli.ts']);
  const commandLine = await closureOf(['src/commands/command-line.ts']);
  const serving = await closureOf(SERVING);
  const checking = await closureOf(CHECKING);
  const both = [...serving].filter((name) => checking.has(name));
  // To read the command line, or a config file, nothing more is loaded than it needs.
  const light = new Set([...ofConfigFile, ...plainCommand, ...commandLine]);
  const grouped = new Set([...ofConfigFile, 'src/cli.ts', 'src/commands/command-line.ts']);
  const groups = [plainCommand, commandLine, await closureOf(JUDGING), both, serving, checking].map((all) => {
    const modules = [...all].filter((name) => !grouped.has(name));
    for (const name of modules) grouped.add(name);
    return modules;
  });
  const loadedApart = [...JUDGING, ...SERVING, ...CHECKING];
  return {
    name: 'load-together',
    setup(builder) {
      builder.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
        const file = nameOf(path);
        if (light.has(file)) return undefined;
        const text = readFileSync(path, 'utf8');
        const imports = [...text.matchAll(/^(?:import|export)\b(?! type\b)[^;]*? from '(\.[^']+)';/gm)];
        const imported = imports.map(([, from]) => nameOf(join(dirname(path), from)));
        const wanted = groups.flatMap((modules) => {
          if (modules.includes(file))
            return loadedApart.includes(file) ? modules.filter((name) => loadedApart.includes(name)) : [];
          return imported.some((name) => modules.includes(name)) ? modules : [];
        });
        const added = wanted
          .filter((name) => name !== file)
          .map((name) => `import ${JSON.stringify(resolve(name))};`);
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
  return new Set(Object.keys(metafile.inputs).filter((name) => name.startsWith('src/')));
}

/** As esbuild names it: `src/settings/config.ts` */
function nameOf(path) {
  return relative(process.cwd(), path).replaceAll('\\', '/');
}
