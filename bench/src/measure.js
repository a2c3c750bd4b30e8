import { request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { checkAlive, freePort, hold, release, run, start, startServer, stop } from './child.js';
import { exchangeOf } from './traffic.js';

const LOAD = fileURLToPath(new URL('load.js', import.meta.url));
/** Answers counted at most in one turn. */
const LIMIT = 1_000_000;
/** A start is short: so many pairs for each round. */
export const STARTS_PER_ROUND = 3;
const FIRST = exchangeOf('constant', 0);

/** Sends load to a server from a process of its own. @throws Error on the first wrong answer */
export async function drive(server, load) {
  const order = { port: server.port, pid: server.child.pid, limit: LIMIT, marks: [], ...load };
  try {
    return JSON.parse(await run('load', [LOAD, JSON.stringify(order)], server.folder));
  } catch (error) {
    checkAlive(server);
    throw error;
  }
}

/**
 * Two servers under the same load in turns, A B A B; the one whose turn it is not is held still.
 *
 * @returns one row, whose pairs are of `{ value, cpuMicros, busy, peakBytes }`: requests a second, CPU µs per request,
 *   share of the time that the server was on the CPU, bytes
 */
export async function measureLoad(scenario, place, { rounds, seconds }) {
  const load = { connections: 16, shape: 'constant', exchanges: scenario.paths };
  const servers = [];
  try {
    for (const side of [scenario.ours, scenario.peer]) {
      const server = await startServer('server', side(place), place.folder);
      servers.push(server);
      await drive(server, { ...load, warmUp: 0, seconds: 1 });
      hold(server);
    }
    const pairs = [];
    for (let round = 0; round < rounds; round++) {
      const pair = [];
      for (const server of servers) {
        release(server);
        pair.push(rates(await drive(server, { ...load, warmUp: 0.3, seconds })));
        hold(server);
      }
      pairs.push({ ours: pair[0], peer: pair[1] });
    }
    return [{ pairs }];
  } finally {
    for (const server of servers) await stop(server);
  }
}

/** Of what the load generator printed. */
export function rates({ requests, seconds, cpuSeconds, peakBytes }) {
  const value = requests / seconds;
  if (cpuSeconds === undefined) return { value };
  return { value, cpuMicros: (cpuSeconds * 1e6) / requests, busy: cpuSeconds / seconds, peakBytes };
}

/** Starts of the two in turns. @returns one row, whose pairs are of `{ value }`, in milliseconds */
export async function measureStart(scenario, place, { rounds }) {
  const timeOurs = scenario.kind === 'first-answer' ? timeToFirstAnswer : timeToEnd;
  const pairs = [];
  // The first pair only warms the file cache.
  for (let i = 0; i <= rounds * STARTS_PER_ROUND; i++) {
    const pair = {
      ours: { value: await timeOurs(scenario.ours(place), place.folder, FIRST) },
      peer: { value: await timeToEnd(scenario.peer(place), place.folder) },
    };
    if (i > 0) pairs.push(pair);
  }
  return [{ pairs }];
}

async function timeToEnd(args, folder) {
  const startedAt = performance.now();
  await run('server', args, folder);
  return performance.now() - startedAt;
}

/** Milliseconds from the start of a server to its answer to this exchange. @throws Error for a wrong answer */
export async function timeToFirstAnswer(argsOf, folder, exchange) {
  const port = await freePort();
  const startedAt = performance.now();
  const server = start('server', argsOf(port), folder);
  try {
    while (performance.now() - startedAt < 20_000) {
      checkAlive(server);
      const answered = await ask(port, exchange);
      const elapsed = performance.now() - startedAt;
      if (answered?.status === 200 && exchange.answer.equals(answered.body)) return elapsed;
      if (answered) throw new Error(`${server.name} answered ${answered.status} ${answered.body}`);
      await pause(1);
    }
    throw new Error(`${server.name} did not answer within 20 s`);
  } finally {
    await stop(server);
  }
}

/** `{ status, body }` of the answer to one PATCH, or undefined while nobody listens. */
function ask(port, { path, body }) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const asking = request({ host: '127.0.0.1', port, path, method: 'PATCH', headers, agent: false });
    asking.on('response', async (response) => {
      resolve({ status: response.statusCode, body: Buffer.concat(await response.toArray()) });
    });
    asking.on('error', (error) => (error.code === 'ECONNREFUSED' ? resolve(undefined) : reject(error)));
    asking.end(body);
  });
}
