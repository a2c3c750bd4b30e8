import { replay } from './commands.js';
import { grownRecording } from './grow.js';
import { sizeOver, sizesUpTo } from './growth-rows.js';
import { STARTS_PER_ROUND, timeToFirstAnswer } from './measure.js';
import { orderOf } from './order.js';
import { exchangeOf } from './traffic.js';

/**
 * Starts of replays of recordings of several sizes in turns, each to its first answer: to any exchange that is in it.
 *
 * @returns rows of pairs of `{ value }`, in milliseconds: the larger sizes over one exchange
 */
export async function measureStartGrowth(scenario, place, { rounds, exchanges }) {
  const [, middle, large] = sizesUpTo(exchanges);
  const timings = [];
  // The first turn only warms the file cache.
  for (let i = 0; i <= rounds * STARTS_PER_ROUND; i++) {
    const of = {};
    for (const size of [1, middle, large]) of[size] = { value: await timeOf(scenario, place, size, i) };
    if (i > 0) timings.push(of);
  }
  return [sizeOver(1, middle, scenario, timings), sizeOver(1, large, scenario, timings)];
}

async function timeOf({ shape }, place, size, turn) {
  const recordings = await grownRecording(place, shape, size);
  const asked = exchangeOf(shape, orderOf(size, turn)());
  return timeToFirstAnswer(replay('--log', 'off')({ ...place, recordings }), place.folder, asked);
}
