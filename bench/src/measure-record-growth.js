import { rm } from 'node:fs/promises';
import { grow } from './grow.js';
import { sizeOver, sizesUpTo } from './growth-rows.js';

/**
 * One run of a recorder a round. What an exchange costs at a size is what it cost in the second half of the way there: what
 * is only done now and then, but with all that is there, falls into each of them.
 *
 * @returns rows of pairs of `{ value, cpuMicros, busy, peakBytes }`, in µs for one exchange: each size over the one before,
 *   and the last tenth; and one in milliseconds: the stop, which writes what is left, over the run
 */
export async function measureRecordGrowth(scenario, place, { rounds, exchanges }) {
  const { name, shape } = scenario;
  const [small, middle, large] = sizesUpTo(exchanges);
  const marks = [small / 2, small, middle / 2, middle, large / 2, large * 0.9, large];
  const costs = [];
  const stops = [];
  for (let round = 0; round < rounds; round++) {
    const { recordings, run, stopMs } = await grow(place, name, { shape, exchanges, marks });
    await rm(recordings, { recursive: true });
    const used = (mark) => ({ exchanges: mark, ...run.marks[marks.indexOf(mark)] });
    const costAt = (size) => costBetween(used(size / 2), used(size));
    costs.push({
      [small]: costAt(small),
      [middle]: costAt(middle),
      [large]: costAt(large),
      end: costBetween(used(large * 0.9), used(large)),
    });
    stops.push({ ours: { value: stopMs }, peer: { value: run.seconds * 1000 } });
  }
  return [
    // The first exchanges also pay for functions that are not compiled yet: nothing to aim at.
    { ...sizeOver(small, middle, scenario, costs), target: {} },
    sizeOver(middle, large, scenario, costs),
    sizeOver(middle, 'end', scenario, costs),
    { name: `${name} stop`, unit: 'ms', peerName: 'the run', target: {}, pairs: stops },
  ];
}

/** @param before,after `{ exchanges, seconds, cpuSeconds, peakBytes }`: what had been used after so many */
function costBetween(before, after) {
  const per = (used) => (used * 1e6) / (after.exchanges - before.exchanges);
  const seconds = after.seconds - before.seconds;
  if (after.cpuSeconds === undefined) return { value: per(seconds) };
  const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
  return {
    value: per(seconds),
    cpuMicros: per(cpuSeconds),
    busy: cpuSeconds / seconds,
    peakBytes: after.peakBytes,
  };
}
