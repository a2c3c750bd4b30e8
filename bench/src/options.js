import { parseArgs } from 'node:util';
import { groups } from './scenarios.js';

const names = groups.flatMap(({ scenarios }) => scenarios.map(({ name }) => name));

export const HELP = `Usage: npm run bench -- [scenario …] [--rounds N] [--seconds S] [--dist DIR] [--json]

  scenario     only these: ${names.join(', ')}
  --rounds N   turns of each server, A B C A B C; starts take three times as many (default 8)
  --seconds S  length of a turn (default 1)
  --dist DIR   measure the build in this folder, not the one beside the bench
  --json       print the figures of every pair as JSON instead of the table
`;

/** @throws Error in one sentence for a wrong option or name */
export function readOptions(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '8' },
      seconds: { type: 'string', default: '1' },
      dist: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const unknown = positionals.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new Error(`unknown scenario ${unknown.join(', ')}; see npm run bench -- --help`);
  const chosen = ({ name }) => positionals.length === 0 || positionals.includes(name);
  return {
    ...values,
    rounds: amount('rounds', values.rounds, 1, 100),
    seconds: amount('seconds', values.seconds, 0.1, 60),
    groups: groups
      .map((group) => ({ ...group, scenarios: group.scenarios.filter(chosen) }))
      .filter(({ scenarios }) => scenarios.length > 0),
  };
}

/** A number of at least `min`; a whole one where that is. */
function amount(name, text, min, max) {
  const value = Number(text);
  if (value >= min && value <= max && (min < 1 || Number.isInteger(value))) return value;
  throw new Error(
    `--${name} takes ${min < 1 ? 'a number' : 'a whole number'} from ${min} to ${max}, not "${text}"`,
  );
}
