import { once } from 'node:events';
import { request } from 'node:http';
import { hostile, largest } from './bodies.js';
import { checkAlive, startServer, stop } from './child.js';
import { usageOf } from './usage.js';

/** The kernel counts in hundredths of a second: so many of a body make its share of one small. */
const REPEATS = 4;
const PATHS = { updateProject: 'projects/42', updateFeature: 'features/7', updateDraft: 'drafts/1001' };

/**
 * What each hostile body costs the server, in turns with the largest valid one.
 *
 * @returns one pair of `{ value, peakBytes }` a round, in milliseconds of CPU for one request: the costliest hostile
 *   body, which `note` names, and the valid one
 */
export async function measureBodies(scenario, place, { rounds }) {
  const server = await startServer('server', scenario.ours(place), place.folder);
  try {
    if (usageOf(server.child.pid) === undefined) throw new Error('it takes /proc to measure CPU time');
    // Functions that are not compiled yet would be charged to whoever comes first.
    for (const body of [largest, ...Object.values(hostile)]) await cost(server, body);
    const pairs = [];
    for (let round = 0; round < rounds; round++) {
      let worst;
      for (const [name, body] of Object.entries(hostile)) {
        const pair = { peer: await cost(server, largest), ours: await cost(server, body), note: name };
        if (!worst || ratio(pair) > ratio(worst)) worst = pair;
      }
      pairs.push(worst);
    }
    return pairs;
  } finally {
    await stop(server);
  }
}

const ratio = ({ ours, peer }) => ours.value / peer.value;

async function cost(server, body) {
  const before = usageOf(server.child.pid);
  for (let i = 0; i < REPEATS; i++) await send(server, body);
  const { cpuSeconds, peakBytes } = usageOf(server.child.pid);
  return { value: ((cpuSeconds - before.cpuSeconds) * 1000) / REPEATS, peakBytes };
}

/** Whatever the verdict: some hostile bodies only draw warnings. */
async function send(server, { operation, bytes }) {
  const headers = { 'content-type': 'application/json', 'content-length': bytes.length };
  const path = `/api/v2/accounts/current/${PATHS[operation]}`;
  const asking = request({
    host: '127.0.0.1',
    port: server.port,
    path,
    method: 'PATCH',
    headers,
    agent: false,
  });
  asking.end(bytes);
  try {
    const [response] = await once(asking, 'response');
    await once(response.resume(), 'end');
  } catch (error) {
    checkAlive(server);
    throw error;
  }
}
