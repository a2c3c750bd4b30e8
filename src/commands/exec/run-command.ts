import type { ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { constants } from 'node:os';
import spawn from 'cross-spawn';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';

/** A command as it is to be run: never without a name. */
export type Command = readonly [name: string, ...args: string[]];

/** How a command ended. */
export interface Ended {
  /** As a shell would have it: 128 and the signal's number where one ended it. */
  code: number;
  /** By a signal; many take one for themselves, and end with a code of their own. */
  isKilled: boolean;
  /** Why it could not be run at all; what to do may stand in a second line. */
  failure?: string;
}

/** A terminal sends these to every process in it. */
const OF_TERMINALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
/** Watchers restart by the last two. */
const SIGNALS: readonly NodeJS.Signals[] = [...OF_TERMINALS, 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'];

/** Passes our signals on to the command while it runs. Where it does not run, a second signal ends us at once. */
export class Signals {
  /** The first that came. */
  first: NodeJS.Signals | undefined;
  child: ChildProcess | undefined;

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
    if (!OF_TERMINALS.includes(signal) || !hasTerminal()) this.child?.kill(signal);
    this.first ??= signal;
  };
}

/** As shells give it. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** Runs a command with our input and outputs. What it leaves running is not waited for. */
export function runCommand(
  [name, ...args]: Command,
  env: NodeJS.ProcessEnv,
  signals: Signals,
): Promise<Ended> {
  return new Promise<Ended>((resolve) => {
    const fail = (error: unknown) => resolve(notRun(name, error));
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

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'it is not found',
  EACCES: 'permission denied',
  E2BIG: 'its arguments and the environment are too long',
  ENOEXEC: 'it is no program, and its first line names none (#!/bin/sh)',
};

/** With the exit code of shells: 127 where it is not found, 126 where it cannot be run. */
function notRun(name: string, error: unknown): Ended {
  const code = systemCode(error);
  const says = (why: string) => `the command ${JSON.stringify(name)} cannot be run: ${why}`;
  if (code !== 'ENOENT')
    return { code: 126, isKilled: false, failure: says(WHY[code ?? ''] ?? code ?? messageOf(error)) };
  // The same code is given for a script that is there, but not its interpreter.
  if (name.includes('/') && existsSync(name)) {
    const why =
      'the program that its first line names is not found (does that line end with a carriage return?)';
    return { code: 126, isKilled: false, failure: says(why) };
  }
  const hint = /^\w+=/.test(name)
    ? '\n  variables are set by env: -- env NAME=VALUE COMMAND'
    : /\s/.test(name)
      ? '\n  no shell takes it apart: leave out the quotes, or -- sh -c COMMAND'
      : '';
  return { code: 127, isKilled: false, failure: says(`it is not found${hint}`) };
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
  const variables: Record<string, string> = {};
  for (const text of given) {
    const [, name = '', suffix = ''] = /^([^=]*)=?(.*)$/s.exec(text) as RegExpExecArray;
    if (!/^\w[\w.()-]*$/.test(name)) throw wrong(`${JSON.stringify(name)} is no name of a variable`);
    if (suffix !== '' && !suffix.startsWith('/'))
      throw wrong(`what ${name} gets behind the URL begins with /, not with ${JSON.stringify(suffix)}`);
    if (variables[name] !== undefined) throw wrong(`${name} is given more than once`);
    variables[name] = `${origin}${suffix}`;
  }
  return { [URL_VARIABLE]: origin, ...variables };
}

/**
 * The variables by which a command asks the gate itself where all else goes out through a proxy; none where nothing does.
 *
 * @param env as we have it
 * @param origin of the gate
 */
export function pastProxies(env: NodeJS.ProcessEnv, origin: string): Record<string, string> {
  const goesOut = Object.entries(env).some(([name, value]) => /^(?:https?|all)_proxy$/i.test(name) && value);
  if (!goesOut) return {};
  const host = new URL(origin).hostname.replace(/^\[|\]$/g, '');
  // Alone, it is all hosts; in a list, it is none.
  const beside = (before: string | undefined) =>
    before?.trim() === '*' ? '*' : before ? `${before},${host}` : host;
  return {
    no_proxy: beside(env.no_proxy ?? env.NO_PROXY),
    NO_PROXY: beside(env.NO_PROXY ?? env.no_proxy),
  };
}

function wrong(what: string): PatchgateError {
  return new PatchgateError('bad-usage', `--env: ${what}`, { hint: 'like this: --env BASE_URL=/api/v2' });
}

/** Whether a terminal sends the process its signals: SIGINT on Ctrl-C, SIGHUP when it is closed. */
function hasTerminal(): boolean {
  if (process.platform === 'win32') return true;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
