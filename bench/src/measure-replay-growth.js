import { hold, release, startServer, stop } from './child.js';
import { replay } from './commands.js';
import { grownRecording, passOver } from './grow.js';
import { sizeOver, sizesUpTo } from './growth-rows.js';
import { drive, rates } from './measure.js';

const MEBIBYTE = 1024 * 1024;
/** Requests after which the functions are compiled. Not seconds: on a busy machine these would be fewer requests. */
const WARM_UP = 20_000;
/** MiB that a replay may take, as the project set itself. */
const MEMORY = 150;

/**
 * Replays of recordings of several sizes in turns, A B C D A B C D, each asked at random for all that is in it after one
 * pass over all.
 *
 * @returns rows of pairs as those of a load: the larger sizes over the smaller ones; and one of the peak memory at the
 *   largest over what it may take
 */
export async function measureReplayGrowth(scenario, place, { rounds, seconds, exchanges }) {
  const { name, shape } = scenario;
  const [small, middle, large] = sizesUpTo(exchanges);
  const servers = new Map();
  const load = (size, more) => ({ connections: 16, shape, exchanges: size, ...more });
  try {
    for (const size of [1, small, middle, large]) {
      const recordings = await grownRecording(place, shape, size);
      const command = replay('--log', 'off')({ ...place, recordings });
      const server = await startServer('server', command, place.folder);
      servers.set(size, server);
      await passOver(server, { shape, exchanges: size });
      await drive(server, load(size, { seed: 0, warmUp: 0, seconds: 60, limit: WARM_UP }));
      hold(server);
    }
    const rated = [];
    for (let round = 1; round <= rounds; round++) {
      const of = {};
      for (const [size, server] of servers) {
        release(server);
        of[size] = rates(await drive(server, load(size, { seed: round, warmUp: 0.3, seconds })));
        hold(server);
      }
      rated.push(of);
    }
    const rows = [
      sizeOver(small, middle, scenario, rated),
      sizeOver(small, large, scenario, rated),
      sizeOver(1, large, scenario, rated),
    ];
    const { peakBytes } = rated.at(-1)[large];
    if (peakBytes !== undefined) rows.push(memoryRow(name, peakBytes / MEBIBYTE));
    return rows;
  } finally {
    for (const server of servers.values()) await stop(server);
  }
}

function memoryRow(name, taken) {
  return {
    name: `${name} memory`,
    unit: 'MiB',
    peerName: 'the limit',
    target: { atMost: 1 },
    pairs: [{ ours: { value: taken }, peer: { value: MEMORY } }],
  };
}
