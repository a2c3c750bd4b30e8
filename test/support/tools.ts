/**
 * Programs that some tests need and npm does not install. Each has a tag: a test that needs one says so (`// @module-tag curl`, or
 * `tags: ['curl']`), and is skipped without it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestTagDefinition } from 'vitest/config';

/** Debian keeps each version's programs in a folder of their own. */
export function postgresProgram(name: string): string {
  const root = '/usr/lib/postgresql';
  const [newest] = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  return newest === undefined ? name : join(root, newest, 'bin', name);
}

/** Debian's headless shell, which takes half the CPU time; its whole browser; what GitHub's machines have. */
const BROWSERS = ['chromium-headless-shell', 'chromium', 'google-chrome'].map((name) => `/usr/bin/${name}`);
export const CHROMIUM = BROWSERS.find((file) => existsSync(file)) ?? '/usr/bin/chromium';

/** Debian's package, and how to see that it works: some machines have placeholders that only fail. */
const TOOLS = {
  curl: ['curl', 'curl', '--version'],
  python: ['python3', 'python3', '--version'],
  chromium: ['chromium-headless-shell', CHROMIUM, '--version'],
  postgres: ['postgresql', postgresProgram('initdb'), '--version'],
  pgbouncer: ['pgbouncer', 'pgbouncer', '--version'],
  nginx: ['nginx', 'nginx', '-v'],
  git: ['git', 'git', '--version'],
  'pre-commit': ['pre-commit', 'pre-commit', '--version'],
} as const satisfies Record<string, readonly [aptPackage: string, command: string, argument: string]>;
type Tool = keyof typeof TOOLS;

/**
 * The tags of some tools. Says in one line what is missing.
 *
 * @throws Error where one is missing in CI on Linux, whose machines have apt-get
 */
export function tagsOf(...names: Tool[]): TestTagDefinition[] {
  const missing = names.filter((name) => !works(name));
  const packages = missing.map((name) => TOOLS[name][0]).join(' ');
  if (missing.length > 0 && process.env.CI && process.platform === 'linux')
    throw new Error(`the tests need what is missing: apt-get install ${packages}`);
  if (missing.length > 0)
    process.stderr.write(
      `Tests that need ${missing.join(', ')} are skipped (Debian: apt-get install ${packages})\n`,
    );
  return names.map((name) => ({
    name,
    description: `Needs ${name}, which npm does not install.`,
    ...(missing.includes(name) && { skip: true }),
  }));
}

function works(name: Tool): boolean {
  if (process.platform === 'win32') return false;
  const [, command, argument] = TOOLS[name];
  // Only root looks there by default.
  const PATH = [process.env.PATH, '/usr/sbin'].join(delimiter);
  return spawnSync(command, [argument], { stdio: 'ignore', env: { ...process.env, PATH } }).status === 0;
}
