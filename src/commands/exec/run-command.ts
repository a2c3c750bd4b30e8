import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import spawn from 'cross-spawn';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';

/** How a command ended. */
export interface Ended {
  /** As a shell would have it: 128 and the signal's number if one ended it. */
  code: number;
  isKilled: boolean;
  /** Why it could not be run at all. */
  failure?: string;
}

/** A terminal sends these to every process in it. */
const OF_TERMINALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
const SIGNALS: readonly NodeJS.Signals[] = [...OF_TERMINALS, 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'];

/** Passes our signals on to the command while it runs. Where it does not run, a second signal ends us at once. */
export class Signals {
  /** The first that came. */
  first: NodeJS.Signals | undefined;
  child: ChildProcess | undefined;
  readonly #hasTerminal = process.stdin.isTTY || process.stderr.isTTY;

  constructor() {
    for (const signal of SIGNALS) process.on(signal, this.#take);
  }

  /** From now on they do what they do by themselves. */
  release(): void {
    for (const signal of SIGNALS) process.off(signal, this.#take);
  }

  readonly #take = (signal: NodeJS.Signals): void => {
    if (!this.child && this.first) process.exit(exitCodeOf(signal));
    // Ctrl-C goes to both, and twice means something else to many.
    if (!OF_TERMINALS.includes(signal) || !this.#hasTerminal) this.child?.kill(signal);
    this.first ??= signal;
  };
}

/** As shells give it. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** Runs a command with our input and outputs. What it leaves running is not waited for. */
export function runCommand(
  [name = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  signals: Signals,
): Promise<Ended> {
  return new Promise<Ended>((resolve) => {
    const fail = (error: unknown) => {
      // As shells have it.
      const isMissing = systemCode(error) === 'ENOENT';
      const hint = /[\s=]/.test(name) ? '\n  no shell takes it apart: -- sh -c COMMAND' : '';
      const failure = isMissing
        ? `command not found: ${name} (or the interpreter in its #! line)`
        : `the command ${JSON.stringify(name)} cannot be run: ${messageOf(error)}`;
      resolve({ code: isMissing ? 127 : 126, isKilled: false, failure: failure + hint });
    };
    try {
      // On Windows, npm and the like are scripts, which Node's own spawn does not find.
      const child = spawn(name, args, { stdio: 'inherit', env });
      signals.child = child;
      child.once('exit', (code, signal) =>
        resolve({
          code: signal ? exitCodeOf(signal) : (code as number),
          isKilled: signal !== null || (code !== 0 && signals.first !== undefined),
        }),
      );
      // One that runs as another user does not take our signals, and runs on.
      child.on('error', (error) => child.pid === undefined && fail(error));
    } catch (error) {
      fail(error);
    }
  }).finally(() => {
    signals.child = undefined;
  });
}

/** What a command finds the gate by. */
export const URL_VARIABLE = 'PATCHGATE_URL';

/**
 * The variables that a command gets beside those that are there.
 *
 * @param given of `--env`: `BASE_URL=/api/v2` is the origin with that suffix, `BASE_URL` the origin
 * @param origin `http://127.0.0.1:40123`
 * @throws PatchgateError `bad-usage`
 */
export function variablesOf(given: readonly string[], origin: string): Record<string, string> {
  const variables = given.map((text) => {
    const [, name = '', suffix = ''] = /^(\w[\w.()-]*)(?:=(\/.*)?)?$/s.exec(text) ?? [];
    if (name !== '') return [name, `${origin}${suffix}`];
    throw new PatchgateError('bad-usage', `--env: ${JSON.stringify(text)} is no name with a path`, {
      hint: 'like this: --env BASE_URL=/api/v2',
    });
  });
  return { [URL_VARIABLE]: origin, ...Object.fromEntries(variables) };
}

/** The variables by which a command asks the gate itself if all else goes out through a proxy; none if nothing does. */
export function pastProxies(env: NodeJS.ProcessEnv, origin: string): Record<string, string> {
  const goesOut = Object.entries(env).some(([name, value]) => /^(?:https?|all)_proxy$/i.test(name) && value);
  if (!goesOut) return {};
  const host = new URL(origin).hostname.replace(/^\[|\]$/g, '');
  const before = env.no_proxy ?? env.NO_PROXY;
  // Alone, a star is all hosts; in a list, it is none.
  const beside = before?.trim() === '*' ? '*' : before ? `${before},${host}` : host;
  return { no_proxy: beside, NO_PROXY: beside };
}
