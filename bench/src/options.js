import { parseArgs } from 'node:util';
import { scenarios } from './scenarios.js';

export const HELP = `Usage: npm run bench -- [scenario …] [--rounds N] [--seconds S] [--json]

  scenario     only these: ${scenarios.map(({ name }) => name).join(', ')}
  --rounds N   pairs of turns, A B A B; starts take three times as many (default 3)
  --seconds S  length of a turn (default 2)
  --json       print the figures of every pair as JSON instead of the table
`;

/** @throws Error in one sentence for a wrong option or name */
export function readOptions(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '2' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const unknown = positionals.filter((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown.length > 0)
    throw new Error(`unknown scenario ${unknown.join(', ')}; see npm run bench -- --help`);
  return {
    help: values.help,
    json: values.json,
    rounds: amount('rounds', values.rounds, { min: 1, max: 100, whole: true }),
    seconds: amount('seconds', values.seconds, { min: 0.1, max: 60, whole: false }),
    selected: scenarios.filter(({ name }) => positionals.length === 0 || positionals.includes(name)),
  };
}

function amount(name, text, { min, max, whole }) {
  const value = Number(text);
  if (value >= min && value <= max && (!whole || Number.isInteger(value))) return value;
  throw new Error(
    `--${name} takes ${whole ? 'a whole number' : 'a number'} from ${min} to ${max}, not "${text}"`,
  );
}
