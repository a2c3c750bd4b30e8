import { describe, expect, it } from 'vitest';
import { type Called, usageError } from '../../src/commands/usage-error.ts';

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
      '--allow-delet is no option of patchgate check (did you mean --allow-delete?)',
    ],
    [
      'Unknown arguments: allowDelete, allow-delete',
      CHECK,
      'check x --allowDelete=a',
      '--allowDelete is no option of patchgate check (did you mean --allow-delete?)',
    ],
    [
      'Unknown argument: memory',
      CHECK,
      'check x --memory 48MiB',
      '--memory is no option of patchgate check (leave it out: a replay holds its whole recording in memory)',
    ],
    [
      'Unknown argument: operaton',
      CHECK,
      'check x --operaton=y',
      '--operaton is no option of patchgate check (did you mean --operation?)',
    ],
    [
      'Unknown arguments: formt, outputt',
      CHECK,
      'check x --formt json --outputt y',
      '--formt and --outputt are no options of patchgate check (did you mean --format?)',
    ],
    [
      'Unknown arguments: read-state, readState',
      CHECK,
      'check x --no-read-state',
      '--no-read-state is no option of patchgate check (another command takes it: see patchgate <command> --help)',
    ],
    ['Unknown argument: x', CHECK, 'check b.json -x', `-x is no option of patchgate check (${HELP})`],
    [
      'Unknown arguments: q, z',
      CHECK,
      'check x -qz',
      `-q and -z are no options of patchgate check (${HELP})`,
    ],
    ['Unknown argument: b', CHECK, 'check a b', `there is no place for the argument "b" (${HELP})`],
    ['Unknown argument: prox', TOP, 'prox', 'there is no command "prox" (did you mean "patchgate proxy"?)'],
    ['Unknown argument: nope', TOP, 'nope', 'there is no command "nope" (commands: proxy, replay)'],
    [
      'Unknown argument: lits',
      LISTS,
      'recordings lits',
      'there is no command "recordings lits" (did you mean "patchgate recordings list"?)',
    ],
    ['Missing required argument: project', CHECK, 'plan x', `--project is missing (${HELP})`],
    ['Missing required arguments: a, b', CHECK, 'plan x', `--a and --b are missing (${HELP})`],
    [
      'Not enough non-option arguments: got 0, need at least 1',
      CHECK,
      'check',
      `an argument is missing: patchgate check <inputs..> (${HELP})`,
    ],
    ['Not enough arguments following: config', CHECK, 'check --config', `--config needs a value (${HELP})`],
    ['Not enough arguments following: p', CHECK, 'check -p', `-p needs a value (${HELP})`],
    [
      'Invalid values:\n  Argument: format, Given: "jsn", Choices: "text", "json"',
      CHECK,
      'check x --format jsn',
      '--format: "jsn" is not taken (it takes one of: text, json; did you mean "json"?)',
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
