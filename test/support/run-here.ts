/** The packed command line in this process: for what ends by itself and needs no process of its own to be seen. */
import { pathToFileURL } from 'node:url';
import { type Ended, packed, type RunOptions, runEnvironment } from './binary.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The module of the command line, as it was built. */
const program = (): Promise<typeof import('../../src/cli.ts')> =>
  import(/* @vite-ignore */ pathToFileURL(packed('dist/main.js')).href);

/**
 * Runs a command to its end, as `runBinary` does; not two at once, none that serves, none that reads standard input.
 *
 * @returns what it wrote, and the exit code that the process would have had
 */
export async function runHere(
  args: readonly string[],
  { cwd = temporaryFolder(), env = {} }: Omit<RunOptions, 'stdin'> = {},
  load = program,
): Promise<Ended> {
  const { argv, env: environment } = process;
  const { log } = console;
  const folder = process.cwd();
  const writes = (['stdout', 'stderr'] as const).map((name) => captured(name));
  const listeners = [process, process.stdout, process.stderr].map(newListeners);
  // Of the tests' own console; yargs writes help with it.
  console.log = (text: string) => process.stdout.write(`${text}\n`);
  process.argv = [...argv.slice(0, 1), 'patchgate', ...args];
  process.env = runEnvironment(env);
  process.chdir(cwd);
  try {
    const { main } = await load();
    await main(args);
    const [stdout, stderr] = writes.map(({ text }) => text());
    return { code: Number(process.exitCode ?? 0), stdout: stdout as string, stderr: stderr as string };
  } finally {
    console.log = log;
    for (const { restore } of writes) restore();
    for (const removeNew of listeners) removeNew();
    process.exitCode = undefined;
    process.chdir(folder);
    Object.assign(process, { argv, env: environment });
  }
}

/** The same from the sources, without a build. */
export function runSource(args: readonly string[], options?: Omit<RunOptions, 'stdin'>): Promise<Ended> {
  return runHere(args, options, () => import('../../src/cli.ts'));
}

function captured(name: 'stdout' | 'stderr') {
  const { write } = process[name];
  let written = '';
  process[name].write = (text: string | Uint8Array, ...rest: unknown[]) => {
    written += typeof text === 'string' ? text : Buffer.from(text).toString();
    const done = rest.at(-1);
    if (typeof done === 'function') done();
    return true;
  };
  return {
    text: () => written,
    restore: () => {
      process[name].write = write;
    },
  };
}

/** @returns takes away those that came since */
function newListeners(emitter: NodeJS.EventEmitter): () => void {
  const all = () =>
    emitter
      .eventNames()
      .flatMap((event) => emitter.rawListeners(event).map((listener) => ({ event, listener })));
  const before = new Set(all().map(({ listener }) => listener));
  return () => {
    for (const { event, listener } of all()) {
      if (!before.has(listener)) emitter.off(event, listener as () => void);
    }
  };
}
