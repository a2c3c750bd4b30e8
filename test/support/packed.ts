/** Once a test run: what would be published, unpacked as it lies where it is installed. Tests of the program run that. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export default function setup(project: TestProject): (() => void) | undefined {
  // Many tests need the sources alone. The others say what is missing.
  if (!existsSync(join(ROOT, 'dist/cli.js'))) return undefined;
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'patchgate-packed-'));
  const packed = join(folder, 'node_modules/patchgate');
  mkdirSync(packed, { recursive: true });
  // Without scripts: to build is for who starts the tests.
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const options = { cwd: ROOT, encoding: 'utf8', shell: process.platform === 'win32' } as const;
  const [{ filename }] = JSON.parse(execFileSync('npm', args, options));
  execFileSync('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', packed]);
  // Without a network: the packages that it needs are those of the repository.
  symlinkSync(join(ROOT, 'node_modules'), join(packed, 'node_modules'), 'junction');
  project.provide('packed', packed);
  return () => rmSync(folder, { recursive: true, force: true });
}

declare module 'vitest' {
  interface ProvidedContext {
    packed: string;
  }
}
