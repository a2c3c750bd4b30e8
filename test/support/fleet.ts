/** Gates of the built program in front of one service, killed at random moments, while the database comes and goes. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { header } from '../../src/http/http.ts';
import { decodeFrame } from '../../src/recordings/journal.ts';
import { type Running, startBinary } from './binary.ts';
import { type Door, FleetClients, type Sent } from './fleet-clients.ts';
import { ANSWERED, type FleetService, NUMBER, startFleetService } from './fleet-service.ts';
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
  /** What the gates share; absent: each has files of its own. */
  store?: {
    /** For the gates. */
    url: string;
    /** Past a pooler. */
    directUrl: string;
    kill(): Promise<void>;
    start(): Promise<void>;
  };
  /** Further settings of the gates. */
  settings?: readonly string[];
}

export interface FleetReport {
  /** What happened, to see that there was something to lose. */
  requests: number;
  changes: number;
  deletions: number;
  tokensUsed: number;
  answered: number;
  recorded: number;
  kills: number;
  outages: number;
  /** PATCHes while the database was away. */
  refused: number;
  /** GETs meanwhile. */
  passed: number;
  /** Milliseconds of the slowest PATCH that the service answered. */
  slowest: number;
  /** What must not be. Each is a list of sentences. */
  unannounced: string[];
  usedTwice: string[];
  lost: string[];
  double: string[];
  wrongWhileAway: string[];
}

const PROJECTS = Array.from({ length: 20 }, (_, i) => String(100 + i));
/** Longest silence of the service: what it does not answer is over then. */
const TIMEOUT = '2s';
/** Milliseconds that the last exchanges may take to the database. */
const SHIPPED_WITHIN = 60_000;

export async function runFleet(options: FleetOptions): Promise<FleetReport> {
  const { gates: count, clients: clientCount, seconds, seed, events, store, settings = [] } = options;
  const next = sequence(seed);
  const service = await startFleetService(PROJECTS, sequence(seed + 1));
  // Each request is another one: what is recorded for it takes no place of what others recorded.
  const shared = store ? ['--store', store.url, '--record', 'all', '--match-headers', NUMBER] : [];
  const folder = temporaryFolder();
  const gates = Array.from({ length: count }, (_, i) => {
    const cwd = join(folder, `gate-${i}`);
    mkdirSync(cwd);
    const fixed = ['--read-state', '--timeout', TIMEOUT, '--log', 'off'];
    return new FleetGate(['proxy', service.target.url, ...fixed, ...shared, ...settings], cwd);
  });
  await Promise.all(gates.map((gate) => gate.start()));

  const clients = new FleetClients(gates, service.projects, sequence(seed + 2));
  const working = clients.run(clientCount);
  const outages: Outage[] = [];
  let kills = 0;
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
      await gate.kill();
      kills++;
      await sleep(next() * 500);
      await gate.start();
    }
  }
  await sleep((seconds * 1000) / (events + 1));
  clients.stop();
  await working;
  const { log } = clients;
  const answered = log.filter(({ isAnswered }) => isAnswered);
  const recorded = store ? await recordedIn(store.directUrl, answered, gates) : [];
  for (const gate of gates) await gate.kill();
  const { changes } = service;
  const whileAway = outages.flatMap((outage) => log.filter((sent) => isWithin(sent, outage)));
  return {
    requests: log.length,
    changes: changes.length,
    deletions: changes.filter(({ lost }) => lost.length > 0).length,
    tokensUsed: log.filter(({ token, isAnswered }) => token !== undefined && isAnswered).length,
    answered: answered.length,
    recorded: recorded.length,
    kills,
    outages: outages.length,
    refused: whileAway.filter(({ status }) => status === 503).length,
    passed: whileAway.filter(({ method, status }) => method === 'GET' && status === 200).length,
    slowest: Math.round(Math.max(0, ...answered.map(({ from, to }) => to - from))),
    unannounced: unannounced(service, log),
    usedTwice: usedTwice(service, log),
    ...(store ? compare(answered, recorded) : { lost: [], double: [] }),
    wrongWhileAway: whileAway.flatMap(wrongWhileAway),
  };
}

/** A gate in a folder of its own, which it is started in again. */
class FleetGate implements Door {
  port = 0;
  isOpen = false;
  readonly #args: readonly string[];
  readonly #cwd: string;
  #running: Running | undefined;

  constructor(args: readonly string[], cwd: string) {
    this.#args = args;
    this.#cwd = cwd;
  }

  async start(): Promise<void> {
    this.#running = await startBinary(this.#args, { cwd: this.#cwd });
    this.port = this.#running.port;
    this.isOpen = true;
  }

  async kill(): Promise<void> {
    this.isOpen = false;
    await this.#running?.stop('SIGKILL');
  }

  /** @returns what it wrote to standard error, where it ended with an error */
  async stop(): Promise<string | undefined> {
    this.isOpen = false;
    const ended = await this.#running?.stop('SIGTERM');
    return ended?.code === 0 ? undefined : ended?.stderr;
  }
}

interface Outage {
  from: number;
  to: number;
}

const isWithin = ({ from, to }: Sent, outage: Outage) => from >= outage.from && to <= outage.to;

/** An environment is deleted by a PATCH with a token alone, and the 409 of this token has named it. */
function unannounced({ changes }: FleetService, log: readonly Sent[]): string[] {
  const givenBy = new Map(log.flatMap((sent) => (sent.approve === undefined ? [] : [[sent.approve, sent]])));
  return changes.flatMap(({ n, project, lost }) => {
    const { token } = log[n] as Sent;
    const announced = token === undefined ? [] : (givenBy.get(token)?.announced ?? []);
    const silently = lost.filter((id) => !announced.includes(id));
    if (silently.length === 0) return [];
    const how = token === undefined ? 'without a token' : `with a token for ${announced.join(', ')}`;
    return [`PATCH ${n} of ${project} deleted ${silently.join(', ')} ${how}`];
  });
}

/** A token lets one PATCH reach the service. */
function usedTwice({ reached }: FleetService, log: readonly Sent[]): string[] {
  const uses = new Map<string, number[]>();
  for (const n of reached) {
    const { token } = log[n] as Sent;
    if (token !== undefined) uses.set(token, [...(uses.get(token) ?? []), n]);
  }
  return [...uses].filter(([, by]) => by.length > 1).map(([token, by]) => `${token} by ${by.join(', ')}`);
}

/** Numbers of the exchanges in the database, once all that was answered has come there and the gates are stopped. */
async function recordedIn(
  url: string,
  answered: readonly Sent[],
  gates: readonly FleetGate[],
): Promise<number[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const read = async () => {
    const { rows } = await client.query<{ frame: Buffer }>('SELECT frame FROM patchgate_exchanges');
    return rows.flatMap(({ frame }) => {
      const n = header(decodeFrame(frame).response.headers, ANSWERED);
      // Of a failure, no answer is recorded.
      return n === undefined ? [] : [Number(n)];
    });
  };
  const giveUpAt = performance.now() + SHIPPED_WITHIN;
  for (let there = new Set<number>(); performance.now() < giveUpAt; await sleep(200)) {
    there = new Set(await read());
    if (answered.every(({ n }) => there.has(n))) break;
  }
  for (const gate of gates) {
    const trouble = await gate.stop();
    if (trouble !== undefined) throw new Error(`a gate did not stop well: ${trouble}`);
  }
  const all = await read();
  await client.end();
  return all;
}

function compare(answered: readonly Sent[], recorded: readonly number[]) {
  const known = new Set(recorded);
  return {
    lost: answered
      .filter(({ n }) => !known.has(n))
      .map(({ n, method, gate }) => `${method} ${n} by gate ${gate}`),
    double: recorded.filter((n, i) => recorded.indexOf(n) !== i).map((n) => `${n}`),
  };
}

/** A PATCH is refused with a time to come back; a GET is answered. Those of a gate that was killed have no answer. */
function wrongWhileAway({ n, method, status, retryAfter }: Sent): string[] {
  if (status === undefined) return [];
  const isRight = method === 'GET' ? status === 200 : status === 503 && retryAfter !== undefined;
  return isRight ? [] : [`${method} ${n}: ${status}, Retry-After ${retryAfter}`];
}
