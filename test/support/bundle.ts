import { join } from 'node:path';
import { build } from 'rolldown';
import { compiledValidators } from '../../build/compile-validators.ts';
import { ROOT } from './binary.ts';

/** Bundles a program that may import the sources by their path from the root. @returns its file in the folder */
export async function bundleProgram(
  source: string,
  folder: string,
  format: 'esm' | 'cjs' = 'esm',
): Promise<string> {
  const input = join(ROOT, 'program.ts');
  const file = join(folder, format === 'esm' ? 'program.mjs' : 'program.cjs');
  const given = {
    name: 'given',
    resolveId: (id: string) => (id === input ? id : undefined),
    load: (id: string) => (id === input ? source : undefined),
  };
  const output = { file, format, codeSplitting: false };
  await build({ input, output, platform: 'node', logLevel: 'silent', plugins: [given, compiledValidators] });
  return file;
}
