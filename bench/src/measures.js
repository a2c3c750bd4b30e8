import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { drive } from './drive.js';
import { checkAlive, cpuSecondsUntilQuiet, hold, peakMebibytesOf, release, start, stop } from './server.js';

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

function rowsOf({ turns, peak, ...scenario }, bare) {
  const { name, p99AtMost, memoryLimit } = scenario;
  const { peerName } = bare;
  return [
    ...rowsOfTurns(scenario, turns, bare.turns, peerName),
    {
      name: `${name} p99`,
      peerName,
      unit: 'ms',
      pairs: pairsOf('p99', turns, bare.turns),
      atMost: p99AtMost,
    },
    {
      name: `${name} memory`,
      peerName,
      unit: 'MiB',
      pairs: [{ ours: peak, peer: bare.peak }],
      limit: memoryLimit,
    },
  ];
}

function rowsOfTurns({ name, atLeast }, ours, peers, peerName) {
  return [
    { name, peerName, unit: 'requests/s', pairs: pairsOf('perSecond', ours, peers), atLeast },
    {
      name: `${name} CPU`,
      peerName,
      unit: 'µs',
      pairs: pairsOf('cpuMicros', ours, peers),
      isInverse: true,
      atLeast,
    },
  ];
}

const pairsOf = (value, ours, peers) =>
  ours.map((turn, round) => ({ ours: turn[value], peer: peers[round][value] }));

/** Several gates on one database take turns with one; each has its part of the requests. */
export async function measureFleet([scenario], peer, place, { rounds, seconds }) {
  const sides = [scenario, peer].map((side) => ({ ...side, servers: [], turns: [] }));
  const turn = async ({ servers, traffic }, options) => {
    const own = (server, i) => drive(server, (n) => traffic(n * servers.length + i), options(server));
    const parts = await Promise.all(servers.map(own));
    for (const [i, { next }] of parts.entries()) servers[i].next = next;
    const background = await Promise.all(servers.map(cpuSecondsUntilQuiet));
    const sum = (values) => values.reduce((total, value) => total + value);
    const [cpuSeconds, requests, perSecond] = ['cpuSeconds', 'requests', 'perSecond'].map((value) =>
      sum(parts.map((part) => part[value])),
    );
    return { perSecond, cpuMicros: microsEach({ cpuSeconds, requests }, sum(background)) };
  };
  try {
    for (const side of sides) {
      const { command, gates, servers } = side;
      for (let i = 0; i < gates; i++)
        servers.push(await start(command, { ...place, recording: `gates-${gates}` }));
      const connections = Math.ceil(16 / gates);
      await turn(side, () => ({ connections, limit: WARM_UP }));
      for (const server of servers) hold(server);
    }
    for (let round = 0; round < rounds; round++) {
      for (const side of sides) {
        for (const server of side.servers) release(server);
        const connections = Math.ceil(16 / side.gates);
        side.turns.push(await turn(side, ({ next: from }) => ({ connections, from, warmUp: 0.3, seconds })));
        for (const server of side.servers) hold(server);
      }
    }
    const [all, cpu] = rowsOfTurns(scenario, sides[0].turns, sides[1].turns, peer.peerName);
    // They share one core: three cannot do more than one.
    return [{ ...all, atLeast: undefined }, cpu];
  } finally {
    for (const { servers } of sides) for (const server of servers) await stop(server);
  }
}

/** Requests of which the database's transactions are counted. */
const COUNTED = 5000;

/** How often the database is asked for each request. */
export async function measureTransactions([{ name, command, traffic, limit }], _, place, { rounds }) {
  const pairs = [];
  await during(command, place, async (server) => {
    let { next } = await drive(server, traffic, { limit: COUNTED });
    for (let round = 0; round < rounds; round++) {
      await cpuSecondsUntilQuiet(server);
      // The database counts what a connection has done when that has nothing to do for a second.
      await pause(1500);
      const before = place.postgres.transactions();
      ({ next } = await drive(server, traffic, { from: next, limit: COUNTED }));
      await cpuSecondsUntilQuiet(server);
      await pause(1500);
      pairs.push({ ours: (place.postgres.transactions() - before) / COUNTED });
    }
  });
  return [{ name, unit: 'a request', pairs, limit }];
}

/** Exchanges that are asked for at a time. */
const TOUCHED = 200;
const TOUCHED_WARM = 2000;
/** By then a replay should have read its recording. */
const WARM_AFTER_MS = 2000;

/**
 * What it costs to ask for exchanges for the first time: as soon as a replay listens; when the functions are compiled; and
 * when there was time to read the whole recording. What the replay reads in the background meanwhile is charged, too.
 */
export async function measureTouches([scenario], bare, place, { rounds }) {
  const { name, command, traffic, exchanges, limit, warmAtMost } = scenario;
  const cold = [];
  const compiled = [];
  const warm = [];
  for (let round = 0; round < rounds; round++) {
    const peer = await during(bare.command, place, (server) => touch(server, bare.traffic, 0, TOUCHED));
    await during(command, place, async (server) => {
      // Each block is asked for exchanges that no block before it was asked for, but for the one that compiles.
      cold.push({ ours: await touch(server, traffic, 0, TOUCHED), peer });
      const isWarm = pause(WARM_AFTER_MS);
      await drive(server, () => traffic(0), { limit: 3000 });
      compiled.push(await touchTwice(server, traffic, TOUCHED, TOUCHED));
      await isWarm;
      const half = exchanges / 2;
      await drive(server, traffic, { from: 2 * TOUCHED, limit: half - 2 * TOUCHED });
      warm.push(await touchTwice(server, traffic, half, TOUCHED_WARM));
    });
  }
  const unit = 'µs of CPU';
  return [
    { name, peerName: bare.peerName, unit, pairs: cold, limit },
    { name: `${name} compiled`, peerName: 'again', unit, pairs: compiled, limit },
    { name: `${name} warm`, peerName: 'again', unit, pairs: warm, atMost: warmAtMost },
  ];
}

async function touchTwice(server, traffic, from, limit) {
  return { ours: await touch(server, traffic, from, limit), peer: await touch(server, traffic, from, limit) };
}

async function touch(server, traffic, from, limit) {
  return microsEach(await drive(server, traffic, { from, limit }));
}

/** The first requests to a replay, one for each of its exchanges, in turns with as many to a bare answer. Each turn starts its server. */
export async function measureFirst([scenario], bare, place, { rounds }) {
  const firstOf = ({ command, traffic }) =>
    during(command, place, async (server) => {
      const turn = await drive(server, traffic, { limit: scenario.exchanges });
      return { ...turn, cpuMicros: microsEach(turn) };
    });
  const [ours, peers] = [[], []];
  for (let round = 0; round < rounds; round++) {
    ours.push(await firstOf(scenario));
    peers.push(await firstOf(bare));
  }
  return rowsOfTurns(scenario, ours, peers, bare.peerName);
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
  return during(command, place, async (server) => {
    if (traffic) await drive(server, traffic, { connections: 1, from: turn, limit: 1 });
    else await once(server.child, 'exit');
    const time = performance.now() - server.startedAt;
    if (!traffic && server.child.exitCode !== 0) checkAlive(server);
    return time;
  });
}

/** So many misses compile the functions, and as many are then measured each round, or what comes within the time. */
const MISSES = { connections: 1, limit: 100, seconds: 5 };

/** Requests that are not in a recording. */
export async function measureMisses(scenarios, _, place, { rounds }) {
  const rows = [];
  for (const { name, command, traffic, limit } of scenarios) {
    const pairs = [];
    await during(command, place, async (server) => {
      let { next } = await drive(server, traffic, MISSES);
      await cpuSecondsUntilQuiet(server);
      for (let round = 0; round < rounds; round++) {
        const run = await drive(server, traffic, { ...MISSES, from: next });
        next = run.next;
        pairs.push({ ours: microsEach(run) / 1000 });
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
