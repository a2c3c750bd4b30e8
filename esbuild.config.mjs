// Bundles the product with all that it needs: a start loads a few files instead of hundreds, which is most of its time.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** The help is plain English: a character, a column. The package looks at graphemes, which takes a sixth of a start. */
const plainWidth = {
  name: 'plain-width',
  setup(builder) {
    builder.onLoad({ filter: /node_modules[\\/]string-width[\\/]index\.js$/ }, () => ({
      contents: 'export default (text) => String(text).length;',
    }));
  },
};

rmSync('dist', { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: [
    'src/cli.ts',
    'src/index.ts',
    'src/define-config.ts',
    { in: 'src/testing/index.ts', out: 'testing' },
    // A thread of `patchgate check`.
    { in: 'src/commands/check/threads/check-worker.ts', out: 'check-worker' },
  ],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  // Packages in CommonJS call it for Node's own modules.
  banner: {
    js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
  },
  plugins: [withoutUtilExtend, plainWidth],
});

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
