import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));
const TEST = fileURLToPath(new URL('.', import.meta.url));

/**
 * The layers, from the lowest up. A layer is a list of modules, a module a list of files and folders of src/.
 * A file imports from its own module and from the layers below; modules of one layer know nothing of one another.
 */
const LAYERS: readonly (readonly string[])[][] = [
  [['errors.ts'], ['iso-time.ts'], ['body-hash.ts'], ['version.ts'], ['json']],
  [['http']],
  [['model']],
  [['schemas']],
  [['contract'], ['rules'], ['state'], ['recordings'], ['reporters'], ['settings']],
  [['gate'], ['upstreams']],
  [['guard']],
  [['postgres']],
  [['server']],
  [['app']],
  [['commands']],
  [['testing']],
  // The page runs in a browser: nothing imports it.
  [['cli.ts'], ['ui']],
  [['bin.ts']],
];

interface Source {
  /** `contract/read-body.ts` */
  file: string;
  text: string;
  /** What it imports, types too: files of src/ as above, packages by name. */
  imports: string[];
}

/** Paths of the files below a folder that end in `.ts` or `.tsx`. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .sort();
}

/** The formatter leaves one way to write an import. */
const IMPORT = /(?:^|\n)(?:import|export) (type )?(?:[\w$*{},\s]*\bfrom )?'([^']+)'|\bimport\('([^']+)'\)/g;

function importsOf(file: string, text: string, kind: 'all' | 'code' = 'all'): string[] {
  return [...text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '').matchAll(IMPORT)]
    .filter(([, type]) => kind === 'all' || type === undefined)
    .map(([, , from, late]) => from ?? (late as string))
    .map((name) => (name.startsWith('.') ? join(dirname(file), name) : name));
}

const sources: Source[] = filesBelow(SRC).map((file) => {
  const text = readFileSync(join(SRC, file), 'utf8');
  return { file, text, imports: importsOf(file, text) };
});
const known = new Set(sources.map(({ file }) => file));

/** Where a file of src/ is in the layers. */
function placeOf(file: string): { layer: number; module: readonly string[] } | undefined {
  const [part = ''] = file.split('/');
  for (const [layer, modules] of LAYERS.entries()) {
    const module = modules.find((parts) => parts.includes(part));
    if (module) return { layer, module };
  }
  return undefined;
}

describe('the test itself', () => {
  it('sees imports of types and those of code that runs later', () => {
    const text =
      "export type * from './a.ts';\nlet b: import('../b.ts').B;\nawait import('express');\n// import './no.ts'";
    expect(importsOf('x/y.ts', text)).toEqual(['x/a.ts', 'b.ts', 'express']);
  });

  it('tells code from types', () => {
    const text = "import type { A } from './a.ts';\nimport { type B, b } from './b.ts';\nimport 'c';";
    expect(importsOf('x/y.ts', text, 'code')).toEqual(['x/b.ts', 'c']);
  });

  it('finds the sources and what they import', () => {
    expect(sources.length).toBeGreaterThan(80);
    expect(sources.find(({ file }) => file === 'gate/gate.ts')?.imports).toContain('contract/read-body.ts');
    for (const { file, imports } of sources)
      for (const name of imports)
        if (/\.tsx?$/.test(name)) expect(known.has(name) ? name : `${file} imports ${name}`).toBe(name);
  });
});

describe('the architecture', () => {
  it('has a place for every file', () => {
    expect(sources.filter(({ file }) => !placeOf(file)).map(({ file }) => file)).toEqual([]);
  });

  it('is imported from the top down only, and not across a layer', () => {
    const wrong = sources.flatMap(({ file, imports }) => {
      const from = placeOf(file);
      return imports
        .filter((name) => known.has(name))
        .filter((name) => {
          const to = placeOf(name);
          return !from || !to || !(to.module === from.module || to.layer < from.layer);
        })
        .map((name) => `${file} imports ${name}`);
    });
    expect(wrong).toEqual([]);
  });

  it('has no circles, of types either', () => {
    const graph = new Map(
      sources.map(({ file, imports }) => [file, imports.filter((name) => known.has(name))]),
    );
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: readonly string[]) => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      else if (!done.has(file)) {
        for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
        done.add(file);
      }
    };
    for (const file of graph.keys()) visit(file, []);
    expect(circles).toEqual([]);
  });

  it('stands on a model that needs no package', () => {
    const outside = sources
      .filter(({ file }) => /^(?:errors\.ts|model\/|json\/)/.test(file))
      .flatMap(({ file, imports }) => imports.map((name) => `${file} imports ${name}`))
      .filter((text) => !/ imports (?:model|json|http)\//.test(text));
    expect(outside).toEqual([]);
  });

  it('keeps Express to the control API, the page and the fake', () => {
    const users = sources
      .filter(({ imports }) => imports.some((name) => /^express(\/|$)/.test(name)))
      .map(({ file }) => file)
      .filter((file) => !/^server\/(?:control|ui-port)|^upstreams\/fake\//.test(file));
    expect(users).toEqual([]);
  });

  it('keeps Node, and packages other than Preact, out of the page', () => {
    const texts = new Map(sources.map(({ file, text }) => [file, text]));
    const page = new Set(sources.map(({ file }) => file).filter((file) => file.startsWith('ui/')));
    const wrong: string[] = [];
    // What is added on the way is looked at, too.
    for (const file of page) {
      const text = texts.get(file) ?? '';
      if (/\b(?:Buffer\.|process\.)/.test(text)) wrong.push(`${file} uses what Node alone has`);
      for (const name of importsOf(file, text, 'code')) {
        if (known.has(name)) page.add(name);
        else if (!/^preact(?:\/hooks)?$/.test(name)) wrong.push(`${file} imports ${name}`);
      }
    }
    expect(page).toContain('reporters/effect-text.ts');
    expect(wrong).toEqual([]);
  });

  // V8 allocates such a function in its old space, and all that it sees survives with it: a third more time for each request.
  it('assigns no function literal to a property on the way of a request', () => {
    const isOnTheWay = /^(?:http|json|contract|rules|gate|guard|recordings|upstreams|server)\//;
    const assigned =
      /[\w\])]\.#?\w+ (?:\?\?)?= (?:async )?(?:function\b|(?:\([^()]*\)|\w+)(?:: [^=\n]+)? =>)/;
    expect(assigned.test('x.onGone = () => gone(x);')).toBe(true);
    const found = sources.filter(({ file, text }) => isOnTheWay.test(file) && assigned.test(text));
    // Once for each start.
    expect(found.map(({ file }) => file)).toEqual(['upstreams/upgrade.ts']);
  });

  it('judges without input, output or a clock', () => {
    const pure = /^(contract\/(?!load-contract|contract-files)|rules\/|gate\/|json\/|model\/)/;
    const impure = sources
      .filter(({ file }) => pure.test(file))
      .filter(
        ({ text, imports }) =>
          imports.some(
            (name) => name.startsWith('node:') && !['node:buffer', 'node:path', 'node:zlib'].includes(name),
          ) || /\b(Date\.|performance\.|process\.|setTimeout|fetch\()/.test(text),
      );
    expect(impure.map(({ file }) => file)).toEqual([]);
  });
});

describe('the tests', () => {
  const tests = filesBelow(TEST).filter((file) => file.endsWith('.test.ts') && file.includes('/'));

  it('are in no other folder than those of the modules', () => {
    const folders = new Set(tests.map((file) => file.split('/')[0] as string));
    const modules = new Set(LAYERS.flat(2));
    expect(
      [...folders].filter(
        (folder) => !modules.has(folder) && !['e2e', 'fuzz', 'crash', 'fleet', 'plugins'].includes(folder),
      ),
    ).toEqual([]);
  });
});
