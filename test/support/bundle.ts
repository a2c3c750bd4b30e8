import { join } from 'node:path';
import { build } from 'esbuild';
import { forBuild } from '../../build/compile-validators.ts';
import { ROOT } from './binary.ts';

/** Bundles a program that may import the sources by their path from the root. @returns its file in the folder */
export async function bundleProgram(source: string, folder: string): Promise<string> {
  const outfile = join(folder, 'program.mjs');
  await build({
    ...{ outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error', plugins: [forBuild] },
    stdin: { contents: source, resolveDir: ROOT, loader: 'ts' },
  });
  return outfile;
}
