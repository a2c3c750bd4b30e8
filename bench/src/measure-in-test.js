import { fileURLToPath } from 'node:url';
import { run } from './child.js';
import { library } from './commands.js';
import { grownRecording } from './grow.js';
import { sizeOver, sizesUpTo } from './growth-rows.js';
import { STARTS_PER_ROUND } from './measure.js';

const IN_TEST = fileURLToPath(new URL('in-test.js', import.meta.url));
/** Of one process: the first of which is told apart, since it comes with functions that nobody has run yet. */
const STARTS = 20;

/** Starts of a replay within a process over bare listens there. @returns rows of pairs of `{ value }`, in microseconds */
export async function measureInTest({ name }, place, { rounds }) {
  const runs = [];
  for (let i = 0; i < rounds; i++) runs.push(await startsIn(place, place.recordings));
  const row = (which, pairs) => ({
    name: `${name} ${which}`,
    pairs: pairs.map(({ ours, peer }) => ({ ours: { value: ours }, peer: { value: peer } })),
  });
  return [
    row(
      'first',
      runs.map(([first]) => first),
    ),
    row(
      'later',
      runs.map(([, ...later]) => middleOf(later)),
    ),
  ];
}

/** The same from recordings of several sizes in turns. @returns rows: the larger sizes over one exchange */
export async function measureInTestGrowth(scenario, place, { rounds, exchanges }) {
  const [, middle, large] = sizesUpTo(exchanges);
  const timings = [];
  // The first turn only warms the file cache.
  for (let i = 0; i <= rounds * STARTS_PER_ROUND; i++) {
    const of = {};
    for (const size of [1, middle, large]) {
      const [, ...later] = await startsIn(place, await grownRecording(place, scenario.shape, size));
      of[size] = { value: middleOf(later).ours };
    }
    if (i > 0) timings.push(of);
  }
  return [sizeOver(1, middle, scenario, timings), sizeOver(1, large, scenario, timings)];
}

async function startsIn({ folder }, recordings) {
  const order = { library, recordings, starts: STARTS };
  return JSON.parse(await run('server', [IN_TEST, JSON.stringify(order)], folder));
}

/** The pair of medians. */
function middleOf(pairs) {
  const median = (pick) => pairs.map(pick).sort((a, b) => a - b)[Math.floor(pairs.length / 2)];
  return { ours: median(({ ours }) => ours), peer: median(({ peer }) => peer) };
}
