import { existsSync } from 'node:fs';
import spawn from 'cross-spawn';
import { messageOf, systemCode } from '../../errors.ts';
import type { Command } from './command-of.ts';
import { exitCodeOf, isShared, type Signals } from './signals.ts';

/** How a command ended. */
export interface Ended {
  /** As a shell would have it: 128 and the signal's number where one ended it. */
  code: number;
  /** By a signal; many take one for themselves, and end with a code of their own. */
  isKilled: boolean;
  /** Why it could not be run at all; what to do may stand in a second line. */
  failure?: string;
}

/** As shells have it: it is not there, or cannot be run. */
const NOT_FOUND = 127;
const NOT_RUN = 126;

/** Runs a command that has our input and outputs for its own. What it leaves running is not waited for. */
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
      signals.tell((signal) => {
        if (!isShared(signal)) child.kill(signal);
      });
      child.once('exit', (code, signal) =>
        resolve({
          code: signal ? exitCodeOf(signal) : (code as number),
          isKilled: signal !== null || (code !== 0 && signals.first !== undefined),
        }),
      );
      // One that runs as somebody else does not take our signals, and runs on.
      child.on('error', (error) => child.pid === undefined && fail(error));
    } catch (error) {
      fail(error);
    }
  }).finally(() => signals.tell(undefined));
}

function notRun(name: string, error: unknown): Ended {
  const code = systemCode(error);
  // The same is said of a script that is there, but not what is to run it.
  const isThere = code === 'ENOENT' && name.includes('/') && existsSync(name);
  const isMissing = code === 'ENOENT' && !isThere;
  const why = isThere ? NO_INTERPRETER : code === undefined ? messageOf(error) : (WHY[code] ?? code);
  return {
    code: isMissing ? NOT_FOUND : NOT_RUN,
    isKilled: false,
    failure: `the command ${JSON.stringify(name)} cannot be run: ${why}${isMissing ? hintFor(name) : ''}`,
  };
}

/** A line of its own where a shell would have taken the name for more than that. */
function hintFor(name: string): string {
  if (/^\w+=/.test(name)) return '\n  variables are set by env: -- env NAME=VALUE COMMAND';
  return /\s/.test(name) ? '\n  no shell takes it apart: leave out the quotes, or -- sh -c COMMAND' : '';
}

const NO_INTERPRETER =
  'the program that its first line names is not found (does that line end with a carriage return?)';

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'it is not found',
  EACCES: 'permission denied',
  E2BIG: 'its arguments and the environment are too long',
  ENOEXEC: 'it is no program, and its first line names none (#!/bin/sh)',
};
