import { once } from 'node:events';
import { request } from 'node:http';
import { hostile, valid } from './bodies.js';
import { checkAlive, startServer, stop } from './child.js';
import { usageOf } from './usage.js';

/** The kernel counts in hundredths of a second: so many of a body make its share of one small. */
const REPEATS = 4;
const PATHS = { updateProject: 'projects/42', updateFeature: 'features/7', updateDraft: 'drafts/1001' };

/**
 * What each hostile body costs the server, in turns with the costliest valid one.
 *
 * @returns one row with a pair of `{ value, peakBytes }` a round, in milliseconds of CPU for one request: the costliest
 *   hostile body and the valid one; `note` names both
 */
export async function measureBodies(scenario, place, { rounds }) {
  const server = await startServer('server', scenario.ours(place), place.folder);
  try {
    if (usageOf(server.child.pid) === undefined) throw new Error('it takes /proc to measure CPU time');
    // Functions that are not compiled yet would be charged to whoever comes first.
    for (const body of [...Object.values(valid), ...Object.values(hostile)]) await cost(server, body);
    const pairs = [];
    for (let round = 0; round < rounds; round++) {
      const costliest = await costliestValid(server);
      let worst;
      for (const [name, body] of Object.entries(hostile)) {
        const pair = {
          peer: await cost(server, valid[costliest]),
          ours: await cost(server, body),
          note: `the costliest was "${name}" over a valid ${costliest}`,
        };
        if (!worst || ratio(pair) > ratio(worst)) worst = pair;
      }
      pairs.push(worst);
    }
    return [{ pairs }];
  } finally {
    await stop(server);
  }
}

async function costliestValid(server) {
  const costs = {};
  for (const [name, body] of Object.entries(valid)) costs[name] = (await cost(server, body)).value;
  return Object.keys(costs).reduce((most, name) => (costs[name] > costs[most] ? name : most));
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
