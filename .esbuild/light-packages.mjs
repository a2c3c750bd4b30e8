// Packages without the parts that are never used here and are felt at each start.
import { readFileSync } from 'node:fs';

/** Prints a deprecation warning on newer versions of Node; Object.assign does the same. */
export const withoutUtilExtend = {
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
export const lightYargs = {
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
export const usedAlone = {
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
