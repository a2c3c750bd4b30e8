import { parseArgs } from 'node:util';
import { scenarios } from './scenarios.js';

export const HELP = `Usage: npm run bench -- [scenario …] [--growth] [--rounds N] [--seconds S] [--exchanges N] [--json]

  scenario       only these: ${namesWhere(({ isGrowth }) => !isGrowth)};
                 or of growth: ${namesWhere(({ isGrowth }) => isGrowth)}
  --growth       those of growth, which are left out otherwise, instead of the others
  --rounds N     turns of each server, A B A B; starts take three times as many (default 3)
  --seconds S    length of a turn (default 2)
  --exchanges N  the largest size of growth, in hundreds (default 50000)
  --json         print the figures of every pair as JSON instead of the table
`;

/** @throws Error in one sentence for a wrong option or name */
export function readOptions(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '2' },
      exchanges: { type: 'string', default: '50000' },
      growth: { type: 'boolean', default: false },
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
    rounds: amount('rounds', values.rounds, { min: 1, max: 100, step: 1 }),
    seconds: amount('seconds', values.seconds, { min: 0.1, max: 60 }),
    exchanges: amount('exchanges', values.exchanges, { min: 500, max: 100_000, step: 100 }),
    selected: scenarios.filter(({ name, isGrowth }) =>
      positionals.length > 0 ? positionals.includes(name) : isGrowth === values.growth,
    ),
  };
}

function namesWhere(isWanted) {
  return scenarios
    .filter(isWanted)
    .map(({ name }) => name)
    .join(', ');
}

/** @param step what a value must be a multiple of; any number will do without */
function amount(name, text, { min, max, step }) {
  const value = Number(text);
  if (value >= min && value <= max && (step === undefined || value % step === 0)) return value;
  const kind = { undefined: 'a number', 1: 'a whole number' }[step] ?? `a multiple of ${step}`;
  throw new Error(`--${name} takes ${kind} from ${min} to ${max}, not "${text}"`);
}
