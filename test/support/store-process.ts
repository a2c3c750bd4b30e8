/** A process of its own that records: what is killed, or held to little memory. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { forBuild } from '../../build/compile-validators.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Bundles a program that may import the sources by their path from the root.
 *
 * @param folder where it is put
 * @returns its file
 */
export async function bundleProgram(source: string, folder: string): Promise<string> {
  const outfile = join(folder, 'program.mjs');
  await build({
    stdin: { contents: source, resolveDir: ROOT, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    plugins: [forBuild],
    logLevel: 'error',
  });
  return outfile;
}

export interface StoreProcess {
  child: ChildProcess;
  /** Whole lines that it has written so far. */
  lines: string[];
  /** Resolves with its exit code, null where it was killed. */
  ended: Promise<number | null>;
}

/** @param onLine called for each line that it writes */
export function startProgram(
  file: string,
  args: readonly string[],
  onLine?: (line: string) => void,
  nodeOptions: readonly string[] = [],
): StoreProcess {
  const child = spawn(process.execPath, [...nodeOptions, file, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() as string;
    for (const line of parts) {
      lines.push(line);
      onLine?.(line);
    }
  });
  return { child, lines, ended: once(child, 'close').then(([code]) => code as number | null) };
}
