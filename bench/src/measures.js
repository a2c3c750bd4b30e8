import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { drive } from './drive.js';
import { checkAlive, cpuSecondsUntilQuiet, hold, peakMebibytesOf, release, start, stop } from './server.js';
import { answeredAlike } from './traffic.js';

/*
 * Each measure is given the chosen scenarios of a group, its peer, the place and the options. It gives rows of
 * `{ name, unit, peerName, pairs: [{ ours, peer }], isInverse, atLeast, atMost, limit }`. `atLeast` and `atMost` are targets
 * for the ratio, which is the peer's over ours where it `isInverse`; `limit` is one for our own value.
 */

/** Requests after which the functions are compiled. Not seconds: on a busy machine these would be fewer requests. */
const WARM_UP = 10_000;

/** Servers under load in turns, A B C peer A B C peer; those whose turn it is not are held still. */
export async function measureLoad(scenarios, peer, place, { rounds, seconds }) {
  const sides = [...scenarios, peer].map((scenario) => ({ ...scenario, turns: [] }));
  try {
    for (const side of sides) {
      side.server = await start(side.command, place);
      const limit = Math.max(WARM_UP, side.exchanges ?? 0);
      ({ next: side.next } = await drive(side.server, side.traffic, { limit }));
      await cpuSecondsUntilQuiet(side.server);
      hold(side.server);
    }
    for (let round = 0; round < rounds; round++) {
      for (const side of sides) {
        release(side.server);
        const turn = await drive(side.server, side.traffic, { from: side.next, warmUp: 0.3, seconds });
        const background = await cpuSecondsUntilQuiet(side.server);
        side.next = turn.next;
        side.turns.push({ ...turn, cpuMicros: microsEach(turn, background) });
        hold(side.server);
      }
    }
    for (const side of sides) side.peak = peakMebibytesOf(side.server);
    const bare = sides.at(-1);
    return sides.slice(0, -1).flatMap((side) => rowsOf(side, bare));
  } finally {
    for (const { server } of sides) if (server) await stop(server);
  }
}

/** @param background CPU seconds that the requests left behind */
function microsEach({ cpuSeconds, requests }, background = 0) {
  return ((cpuSeconds + background) * 1e6) / requests;
}

function rowsOf({ name, turns, peak, atLeast, p99AtMost, memoryLimit }, bare) {
  const { peerName } = bare;
  const pairs = (value) =>
    turns.map((turn, round) => ({ ours: turn[value], peer: bare.turns[round][value] }));
  return [
    { name, peerName, unit: 'requests/s', pairs: pairs('perSecond'), atLeast },
    { name: `${name} CPU`, peerName, unit: 'µs', pairs: pairs('cpuMicros'), isInverse: true, atLeast },
    { name: `${name} p99`, peerName, unit: 'ms', pairs: pairs('p99'), atMost: p99AtMost },
    {
      name: `${name} memory`,
      peerName,
      unit: 'MiB',
      pairs: [{ ours: peak, peer: bare.peak }],
      limit: memoryLimit,
    },
  ];
}

/** Exchanges that are asked for as soon as a replay listens. */
const FIRST = 200;
/** By then a replay should have read its recording. */
const WARM_AFTER_MS = 2000;

/** What it costs to ask for an exchange for the first time: at once after the start, and when there was time to load it. */
export async function measureTouches(
  [{ name, command, traffic, exchanges, limit, warmAtMost }],
  bare,
  place,
  { rounds },
) {
  const first = [];
  const warmed = [];
  for (let round = 0; round < rounds; round++) {
    const peer = await during(bare.command, place, (server) =>
      drive(server, answeredAlike(traffic), { limit: FIRST }),
    );
    await during(command, place, async (server) => {
      const listening = drive(server, traffic, { limit: FIRST });
      first.push({ ours: microsEach(await listening), peer: microsEach(peer) });
      await pause(WARM_AFTER_MS);
      // Half of the exchanges compile the functions; the other half are then asked for twice.
      const half = exchanges / 2;
      await drive(server, traffic, { from: FIRST, limit: half - FIRST });
      const touch = await drive(server, traffic, { from: half, limit: half });
      const again = await drive(server, traffic, { from: half, limit: half });
      warmed.push({ ours: microsEach(touch), peer: microsEach(again) });
    });
  }
  return [
    { name, peerName: bare.peerName, unit: 'µs of CPU', pairs: first, limit },
    { name: `${name} warmed`, peerName: 'again', unit: 'µs of CPU', pairs: warmed, atMost: warmAtMost },
  ];
}

/** A start is short: so many pairs for each round. */
const STARTS_PER_ROUND = 3;

/** Starts in turns, each from nothing to the first answer, or to the end of what ends by itself. */
export async function measureStarts(scenarios, bare, place, { rounds }) {
  const times = [...scenarios, bare].map(() => []);
  // The first turn only warms the file cache.
  for (let turn = 0; turn <= rounds * STARTS_PER_ROUND; turn++) {
    for (const [i, side] of [...scenarios, bare].entries()) {
      const time = await startTime(side, place, turn);
      if (turn > 0) times[i].push(time);
    }
  }
  return scenarios.map(({ name, atMost }, i) => ({
    name,
    peerName: bare.peerName,
    unit: 'ms',
    pairs: times[i].map((ours, turn) => ({ ours, peer: times.at(-1)[turn] })),
    atMost,
  }));
}

async function startTime({ command, traffic }, place, turn) {
  const startedAt = performance.now();
  return during(command, place, async (server) => {
    if (traffic) await drive(server, traffic, { connections: 1, from: turn, limit: 1 });
    else await once(server.child, 'exit');
    const time = performance.now() - startedAt;
    if (!traffic && server.child.exitCode !== 0) checkAlive(server);
    return time;
  });
}

/** Misses that compile the functions, and as many that are then measured, as far as they come within the time. */
const MISSES = 100;
const MISSES_WITHIN_S = 5;

/** Requests that are not in a recording. */
export async function measureMisses(scenarios, _, place, { rounds }) {
  const rows = [];
  for (const { name, command, traffic, limit } of scenarios) {
    const pairs = [];
    await during(command, place, async (server) => {
      for (let round = 0; round <= rounds; round++) {
        const misses = { connections: 1, from: round * MISSES, limit: MISSES, seconds: MISSES_WITHIN_S };
        const run = await drive(server, traffic, misses);
        if (round > 0) pairs.push({ ours: microsEach(run) / 1000 });
      }
    });
    rows.push({ name, unit: 'ms of CPU', pairs, limit });
  }
  return rows;
}

async function during(command, place, work) {
  const server = await start(command, place);
  try {
    return await work(server);
  } finally {
    await stop(server);
  }
}
