/** The packed program as a child process: what a user installs and runs, not what a test imports. */
import { type ExecFileSyncOptionsWithStringEncoding, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanUpLater } from './clean-up.ts';
import { temporaryFolder } from './temporary-folder.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A file of the package as it would be published: `dist/cli.js`. It is packed when a process first asks. */
export function packed(file = ''): string {
  installed ??= installPacked();
  return join(installed, file);
}

let installed: string | undefined;

/** @returns the folder of what would be published, unpacked as it lies where it is installed */
function installPacked(): string {
  if (!existsSync(join(ROOT, 'dist/cli.js'))) throw new Error('dist/cli.js is missing: npm run build');
  const folder = mkdtempSync(join(tmpdir(), 'patchgate-packed-'));
  const into = join(folder, 'node_modules/patchgate');
  mkdirSync(into, { recursive: true });
  // Without scripts: to build is for who starts the tests.
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  // A warning of npm is not the output of what is tested.
  const options: ExecFileSyncOptionsWithStringEncoding = {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  };
  const [{ filename }] = JSON.parse(execFileSync('npm', args, options));
  execFileSync('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', into]);
  // Without a network: the packages that it needs are those of the repository.
  symlinkSync(join(ROOT, 'node_modules'), join(into, 'node_modules'), 'junction');
  return into;
}

export interface Ended {
  /** Null where a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A program that runs. */
export interface Program {
  pid: number;
  /** What it has written so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves once the text stands in standard output (`stdout`) or standard error. */
  said(text: string | RegExp, where?: 'stdout' | 'stderr'): Promise<void>;
  /** Ends it with a signal; resolves when it has ended. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
  ended: Promise<Ended>;
}

export interface Running extends Program {
  /** `http://127.0.0.1:40123` */
  url: string;
  port: number;
}

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string | undefined>;
  stdin?: string;
  /** In a session and a group of its own: no terminal. */
  detached?: boolean;
}

/** For a target that shows its records: most targets of the tests do not. */
export const READS = { PATCHGATE_READ_STATE: 'true' };

const cli = (args: readonly string[]) => [packed('dist/cli.js'), ...args];

/** Starts a command that serves, on a free port, and waits until it listens. Rejects where it ends before. */
export async function startBinary(args: readonly string[], options: RunOptions = {}): Promise<Running> {
  const env = { PATCHGATE_READ_STATE: 'false', ...options.env };
  const program = startProgram(process.execPath, cli([...args, '--port', '0']), { ...options, env });
  cleanUpLater(() => program.stop('SIGKILL'));
  await program.said(/listens on http:\/\/\S+\n/, 'stderr');
  const url = /listens on (http:\/\/\S+)/.exec(program.stderr())?.[1] as string;
  return Object.assign(program, { url, port: Number(new URL(url).port) });
}

/** Runs a command to its end. */
export async function runBinary(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return startProgram(process.execPath, cli(args), options).ended;
}

/** Runs any program to its end. */
export async function runProgram(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Ended> {
  return startProgram(command, args, options).ended;
}

export function startProgram(command: string, args: readonly string[], options: RunOptions = {}): Program {
  // A folder of its own: no config file and no recordings lie there.
  const { cwd = temporaryFolder(), env, stdin = '', detached = false } = options;
  const child = spawn(command, args, { cwd, env: runEnvironment(env), stdio: 'pipe', detached });
  const written = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
      for (const check of waiting) check();
    });
  }
  child.stdin.on('error', () => undefined).end(stdin);
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...written }));
  return {
    pid: child.pid as number,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    ended,
    said: (text, where = 'stdout') =>
      new Promise((resolve, reject) => {
        const check = () => {
          const isThere =
            typeof text === 'string' ? written[where].includes(text) : text.test(written[where]);
          if (isThere && waiting.delete(check)) resolve();
        };
        waiting.add(check);
        check();
        const whatWasSaid = () => `${args.join(' ')} ended without saying ${text}: ${written[where]}`;
        ended.then(() => reject(new Error(whatWasSaid())), reject);
      }),
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}

/** The environment of what is run: it says nothing of vitest, and holds no settings but those given. */
export function runEnvironment(env: RunOptions['env']): NodeJS.ProcessEnv {
  const ours = Object.entries(process.env).filter(([name]) => !/^(?:PATCHGATE|VITEST)/.test(name));
  return { ...Object.fromEntries(ours), ...env };
}
