/** Gates of the built program in front of one service, killed at random moments, while the database comes and goes. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { header } from '../../src/http/http.ts';
import { decodeFrame } from '../../src/recordings/journal.ts';
import { type Running, startBinary } from './binary.ts';
import { ANSWERED, type Door, NUMBER, type Sent, startClients, startFleetService } from './fleet-clients.ts';
import { oneOf, sequence } from './numbers.ts';
import { rowsOf } from './postgres.ts';
import { soon } from './soon.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface FleetOptions {
  gates: number;
  clients: number;
  seconds: number;
  /** Repeats the choices, though not the moments. */
  seed: number;
  /** Kills of a gate, or restarts of the database, one after the other. */
  events: number;
  /** What the gates share; absent: each has files of its own. `directUrl` leads past a pooler. */
  store?: { url: string; directUrl: string; kill(): Promise<void>; start(): Promise<void> };
}

export interface FleetReport {
  /** What happened, to see that there was something to lose. `refused`, `passed`: PATCHes and GETs while the database was away. */
  counts: Record<
    'requests' | 'deletions' | 'tokensUsed' | 'recorded' | 'kills' | 'refused' | 'passed',
    number
  >;
  /** What must not be: sentences. */
  wrong: string[];
}

const PROJECTS = Array.from({ length: 20 }, (_, i) => String(100 + i));
/** Longest silence of the service: what it does not answer is over then. */
const TIMEOUT = '2s';
/** Milliseconds that the last exchanges may take to the database. */
const SHIPPED_WITHIN = 60_000;

/** A gate in a folder of its own, which it is started in again. */
interface Gate extends Door {
  start(): Promise<void>;
  stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<Awaited<Running['ended']> | undefined>;
}

function gateIn(cwd: string, args: readonly string[]): Gate {
  mkdirSync(cwd);
  let running: Running | undefined;
  const gate: Gate = {
    port: 0,
    isOpen: false,
    async start() {
      running = await startBinary(args, { cwd });
      gate.port = running.port;
      gate.isOpen = true;
    },
    async stop(signal) {
      gate.isOpen = false;
      return running?.stop(signal);
    },
  };
  return gate;
}

export async function runFleet(options: FleetOptions): Promise<FleetReport> {
  const { gates: count, clients, seconds, seed, events, store } = options;
  const next = sequence(seed);
  const service = await startFleetService(PROJECTS, sequence(seed + 1));
  // Each request is another one: what is recorded for it takes no place of what others recorded.
  const shared = store ? ['--store', store.url, '--record', 'all', '--match-headers', NUMBER] : [];
  const args = ['proxy', service.target.url, '--read-state', '--timeout', TIMEOUT, '--log', 'off', ...shared];
  const folder = temporaryFolder();
  const gates = Array.from({ length: count }, (_, i) => gateIn(join(folder, `gate-${i}`), args));
  await Promise.all(gates.map((gate) => gate.start()));

  const { log, stop } = startClients(gates, clients, service.projects, sequence(seed + 2));
  const outages: { from: number; to: number }[] = [];
  for (let i = 0; i < events; i++) {
    await sleep((seconds * 1000) / (events + 1));
    if (store && i % 4 === 1) {
      await store.kill();
      const from = performance.now();
      await sleep(500 + next() * 1500);
      outages.push({ from, to: performance.now() });
      await store.start();
      // A pooler refuses the first one that comes, and a gate that starts then ends.
      await soon(() => rowsOf(store.url, 'SELECT 1'));
    } else {
      const gate = oneOf(next, gates);
      await gate.stop('SIGKILL');
      await sleep(next() * 500);
      await gate.start();
    }
  }
  await sleep((seconds * 1000) / (events + 1));
  await stop();

  const answered = log.filter(({ isAnswered }) => isAnswered);
  const recorded = store ? await recordedIn(store.directUrl, answered, gates) : [];
  for (const gate of gates) await gate.stop('SIGKILL');
  const { changes, reached } = service;
  const away = log.filter(({ from, to }) => outages.some((outage) => from >= outage.from && to <= outage.to));
  return {
    counts: {
      requests: log.length,
      deletions: changes.filter(({ lost }) => lost.length > 0).length,
      tokensUsed: answered.filter(({ token }) => token !== undefined).length,
      recorded: recorded.length,
      kills: events - outages.length,
      refused: away.filter(({ status }) => status === 503).length,
      passed: away.filter(({ method, status }) => method === 'GET' && status === 200).length,
    },
    wrong: [
      ...unannounced(changes, log),
      ...usedTwice(reached, log),
      ...(store ? lostOrDouble(answered, recorded) : []),
      ...away.flatMap(wrongWhileAway),
    ],
  };
}

/** An environment is deleted by a PATCH with a token alone, and the 409 of this token has named it. */
function unannounced(
  changes: readonly { n: number; project: string; lost: number[] }[],
  log: readonly Sent[],
) {
  const givenBy = new Map(log.flatMap((sent) => (sent.approve === undefined ? [] : [[sent.approve, sent]])));
  return changes.flatMap(({ n, project, lost }) => {
    const { announced = [] } = givenBy.get(log[n]?.token ?? '') ?? {};
    const silently = lost.filter((id) => !announced.includes(id));
    const what = `unannounced: PATCH ${n} of ${project} deleted ${silently.join(', ')}, told of ${announced.join(', ')}`;
    return silently.length === 0 ? [] : [what];
  });
}

/** A token lets one PATCH reach the service. */
function usedTwice(reached: readonly number[], log: readonly Sent[]): string[] {
  const tokens = reached.flatMap((n) => log[n]?.token ?? []);
  return tokens.filter((token, i) => tokens.indexOf(token) !== i).map((token) => `used twice: ${token}`);
}

/** Numbers of the exchanges in the database, once all that was answered has come there and the gates are stopped. */
async function recordedIn(url: string, answered: readonly Sent[], gates: readonly Gate[]): Promise<number[]> {
  const read = async () => {
    const rows = await rowsOf<{ frame: Buffer }>(url, 'SELECT frame FROM patchgate_exchanges');
    // Of a failure, no answer is recorded.
    return rows
      .flatMap(({ frame }) => header(decodeFrame(frame).response.headers, ANSWERED) ?? [])
      .map(Number);
  };
  const giveUpAt = performance.now() + SHIPPED_WITHIN;
  for (let there = new Set<number>(); performance.now() < giveUpAt; await sleep(200)) {
    there = new Set(await read());
    if (answered.every(({ n }) => there.has(n))) break;
  }
  for (const gate of gates) {
    const ended = await gate.stop('SIGTERM');
    if (ended?.code !== 0) throw new Error(`a gate did not stop well: ${ended?.stderr}`);
  }
  return read();
}

function lostOrDouble(answered: readonly Sent[], recorded: readonly number[]): string[] {
  const known = new Set(recorded);
  return [
    ...answered
      .filter(({ n }) => !known.has(n))
      .map(({ n, method, gate }) => `lost: ${method} ${n} by gate ${gate}`),
    ...recorded.filter((n, i) => recorded.indexOf(n) !== i).map((n) => `double: ${n}`),
  ];
}

/** A PATCH is refused with a time to come back; a GET is answered. Those of a gate that was killed have no answer. */
function wrongWhileAway({ n, method, status, retryAfter }: Sent): string[] {
  if (status === undefined) return [];
  const isRight = method === 'GET' ? status === 200 : status === 503 && retryAfter !== undefined;
  return isRight ? [] : [`while the database was away: ${method} ${n}: ${status}, Retry-After ${retryAfter}`];
}
