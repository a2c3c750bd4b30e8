import type { Argv } from 'yargs';
import type { Selection } from './selection.ts';

/** Gives a command the options that say which exchanges are meant. */
export function withSelection<T>(yargs: Argv<T>): Argv<T> {
  return yargs.options({
    path: { type: 'string', requiresArg: true, describe: 'Only of this path; * is any characters: /api/*' },
    method: { type: 'string', requiresArg: true, describe: 'Only of this method' },
    grep: {
      type: 'string',
      requiresArg: true,
      describe: 'Only those in which this regular expression matches',
    },
    session: {
      type: 'string',
      requiresArg: true,
      describe: 'Only those recorded in the session of this name; "" is the default one',
    },
  }) as unknown as Argv<T>;
}

/** What they say. */
export function selectionOf(argv: Readonly<Record<string, unknown>>): Selection {
  const { path, method, grep, session } = argv as Selection;
  return { path, method, grep, session };
}
