import { describe, expect, it } from 'vitest';
import { type Called, usageError } from '../../src/commands/command-line.ts';

const CHECK: Called = {
  commands: ['check'],
  usage: 'patchgate check <inputs..>',
  further: [],
  options: ['config', 'allow-delete', 'operation', 'format', 'f', 'help'],
  args: [],
};
const TOP: Called = { ...CHECK, commands: [], usage: 'patchgate <command>', further: ['proxy', 'replay'] };
const LISTS: Called = { ...CHECK, commands: ['recordings'], further: ['list', 'show'] };

/** What is said where yargs says that of such a command line. */
function said(message: string, called: Called, line: string): string {
  const { message: text, hint, code } = usageError(message, { ...called, args: line.split(' ') });
  expect(code).toBe('bad-usage');
  return `${text} (${hint})`;
}

const HELP = 'see patchgate check --help';

describe('a wrong command line', () => {
  it.each<[yargs: string, called: Called, line: string, says: string]>([
    [
      'Unknown arguments: allow-delet, allowDelet',
      CHECK,
      'check x --allow-delet a',
      'unknown option --allow-delet (did you mean --allow-delete?)',
    ],
    [
      'Unknown arguments: allowDelete, allow-delete',
      CHECK,
      'check x --allowDelete=a',
      'unknown option --allowDelete (did you mean --allow-delete?)',
    ],
    [
      'Unknown argument: operaton',
      CHECK,
      'check x --operaton=y',
      'unknown option --operaton (did you mean --operation?)',
    ],
    [
      'Unknown arguments: formt, outputt',
      CHECK,
      'check x --formt json --outputt y',
      'unknown options --formt and --outputt (did you mean --format?)',
    ],
    [
      'Unknown arguments: read-state, readState',
      CHECK,
      'check x --no-read-state',
      'unknown option --no-read-state (another command takes it: see patchgate <command> --help)',
    ],
    ['Unknown argument: x', CHECK, 'check b.json -x', `unknown option -x (${HELP})`],
    ['Unknown arguments: q, z', CHECK, 'check x -qz', `unknown options -q and -z (${HELP})`],
    ['Unknown argument: b', CHECK, 'check a b', `unexpected argument "b" (${HELP})`],
    ['Unknown argument: prox', TOP, 'prox', 'unknown command "prox" (did you mean "patchgate proxy"?)'],
    ['Unknown argument: nope', TOP, 'nope', 'unknown command "nope" (commands: proxy, replay)'],
    [
      'Unknown argument: lits',
      LISTS,
      'recordings lits',
      'unknown command "recordings lits" (did you mean "patchgate recordings list"?)',
    ],
    ['Missing required argument: project', CHECK, 'plan x', `missing --project (${HELP})`],
    ['Missing required arguments: project, to', CHECK, 'plan x', `missing --project and --to (${HELP})`],
    [
      'Not enough non-option arguments: got 0, need at least 1',
      CHECK,
      'check',
      `missing argument: patchgate check <inputs..> (${HELP})`,
    ],
    ['Not enough arguments following: config', CHECK, 'check --config', `--config needs a value (${HELP})`],
    ['Not enough arguments following: p', CHECK, 'check -p', `-p needs a value (${HELP})`],
    [
      'Invalid values:\n  Argument: format, Given: "jsn", Choices: "text", "json"',
      CHECK,
      'check x --format jsn',
      'invalid value "jsn" for --format (it takes one of: text, json; did you mean "json"?)',
    ],
    [
      'no command is given',
      TOP,
      '',
      'no command is given (see patchgate --help, or patchgate <command> --help)',
    ],
  ])('%j', (yargs, called, line, says) => {
    expect(said(yargs, called, line)).toBe(says);
  });
});
