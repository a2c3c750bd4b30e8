// @module-tag postgres
/** Gates in front of one service, killed at random moments, while the database that they share comes and goes. */
import { mkdirSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { header } from '../../src/http/http.ts';
import { decodeFrame } from '../../src/recordings/journal.ts';
import { ask } from '../support/ask.ts';
import { type Running, startBinary } from '../support/binary.ts';
import { oneOf, sequence } from '../support/numbers.ts';
import { startPgbouncer } from '../support/pgbouncer.ts';
import { rowsOf, startPostgres } from '../support/postgres.ts';
import { isLong, runs, SEED } from '../support/rounds.ts';
import { type Blocked, type Project, project } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SECONDS = runs('seconds', 5, 20);
const CLIENTS = isLong ? 50 : 20;
const GATES = isLong ? 3 : 2;
/** Kills of a gate, or restarts of the database, one after the other. */
const EVENTS = Math.round(SECONDS / 2.5);

/** Number of a request, which its client gave it; and of an answer that is the service's own. */
const NUMBER = 'x-request-id';
const ANSWERED = 'x-answered';
/** Milliseconds until a PATCH is applied, and until it is answered then. */
const LONGEST_WORK = 60;
/** Milliseconds that the last exchanges may take to the database. */
const SHIPPED_WITHIN = 60_000;

/** What gates share. `directUrl` leads past a pooler. */
interface Store {
  url: string;
  directUrl: string;
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** One request, and what came of it. */
interface Sent {
  n: number;
  method: string;
  /** An approval that it was sent with. */
  token: string | undefined;
  from: number;
  to: number;
  /** Undefined: no whole answer came. */
  status: number | undefined;
  isAnsweredByService: boolean;
  retryAfter: string | undefined;
  /** Of a 409: which environments the PATCH would delete, and the token that lets it. */
  announced: number[];
  approve: string | undefined;
}

/** A service whose PATCHes take their time, are refused, or are never answered. It writes down what they deleted. */
async function startService(next: () => number) {
  const projects = new Map<string, Project>();
  // Environments of all projects have ids of their own, so that none is taken for another.
  for (let id = 0; id < 60; id += 3)
    projects.set(
      `${100 + id}`,
      project(`${id + 1} Production`, `${id + 2} Staging`, `${id + 3} Development`),
    );
  const reached: number[] = [];
  const changes: { n: number; lost: number[] }[] = [];
  const target = await startTarget(async (req, res, body) => {
    target.received.length = 0;
    const name = /\/projects\/(\d+)$/.exec(req.url ?? '')?.[1] ?? '';
    const n = Number(req.headers[NUMBER]);
    const answer = (status: number, json: unknown) => {
      res.writeHead(status, { 'content-type': 'application/json', [ANSWERED]: String(n) });
      res.end(JSON.stringify(json));
    };
    if (req.method !== 'PATCH') return answer(200, projects.get(name));
    reached.push(n);
    await sleep(next() * LONGEST_WORK);
    const sent = JSON.parse(body.toString()) as Project;
    const kept = new Set(sent.environments.map(({ id }) => id));
    const before = projects.get(name)?.environments ?? [];
    const lost = before.map(({ id }) => id).filter((id) => !kept.has(id));
    // Its token is used up all the same.
    if (lost.length > 0 && next() < 1 / 3) return answer(400, { error: 'not now' });
    const hangs = next() < 1 / 150;
    if (!hangs || next() < 0.5) {
      changes.push({ n, lost });
      projects.set(name, sent);
    }
    if (hangs) return;
    await sleep(next() * LONGEST_WORK);
    answer(200, sent);
  });
  return { target, projects, reached, changes };
}

/** A gate in a folder of its own, which it is started in again. */
class Gate {
  readonly #cwd: string;
  readonly #args: readonly string[];
  running: Running | undefined;

  constructor(cwd: string, args: readonly string[]) {
    mkdirSync(cwd);
    this.#cwd = cwd;
    this.#args = args;
  }

  async start() {
    this.running = await startBinary(this.#args, { cwd: this.#cwd });
  }

  stop(signal: NodeJS.Signals) {
    const { running } = this;
    this.running = undefined;
    return running?.stop(signal);
  }
}

/** Clients that keep, make and delete environments. @returns what they sent; `stop` resolves once each has its last answer */
function startClients(
  gates: readonly Gate[],
  projects: ReadonlyMap<string, Project>,
  next: () => number,
): { log: Sent[]; stop(): Promise<unknown> } {
  const log: Sent[] = [];
  const names = [...projects.keys()];
  /** What clients have seen last of each project: they all rest on it, so many of their PATCHes are late. */
  const seen = new Map(projects);
  const agent = new Agent({ keepAlive: true });
  let lastId = 1000;
  let isStopped = false;

  const send = async (method: string, name: string, body?: Project, token?: string) => {
    const open = gates.flatMap(({ running }) => running ?? []);
    // All are down: they are started anew.
    if (open.length === 0) return sleep(20);
    const sent: Sent = {
      ...{ n: log.length, method, token, from: performance.now(), to: Number.POSITIVE_INFINITY },
      ...{ status: undefined, isAnsweredByService: false, retryAfter: undefined },
      ...{ announced: [], approve: undefined },
    };
    log.push(sent);
    const headers = {
      [NUMBER]: String(sent.n),
      'content-type': 'application/json',
      ...(token !== undefined && { 'patchgate-approve': token }),
    };
    const path = `/api/v2/accounts/current/projects/${name}`;
    const asked = { method, path, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await ask(oneOf(next, open).port, agent, asked);
    sent.to = performance.now();
    if (!answer) return sent;
    sent.status = answer.status;
    sent.isAnsweredByService = answer.headers[ANSWERED] === String(sent.n);
    sent.retryAfter = answer.headers['retry-after'];
    const json: unknown = JSON.parse(answer.body.toString());
    if (sent.isAnsweredByService && answer.status === 200) seen.set(name, json as Project);
    if (answer.status === 409) {
      const { effects = [], approve, corrected } = json as Blocked;
      const losses = effects.filter(({ kind }) => /^environment-(?:deleted|replaced)$/.test(kind));
      sent.announced = losses.map(({ id }) => id as number);
      sent.approve = approve;
      if (corrected) seen.set(name, corrected);
    }
    return sent;
  };

  const visit = async (name: string) => {
    if (next() < 0.2) return send('GET', name);
    const body = changed(seen.get(name) as Project, next, () => ++lastId);
    const sent = await send('PATCH', name, body);
    if (sent?.status === 503) await sleep(100);
    const { approve } = sent ?? {};
    if (approve === undefined || next() < 0.5) return;
    // The same token: once, twice at once, and at times once more when it is used up.
    const use = () => send('PATCH', name, body, approve);
    await Promise.all(next() < 0.3 ? [use(), use()] : [use()]);
    if (next() < 0.1) await use();
  };
  const work = async () => {
    while (!isStopped) await visit(oneOf(next, names));
  };
  const working = Promise.all(Array.from({ length: CLIENTS }, work));
  const stop = () => {
    isStopped = true;
    return working.then(() => agent.destroy());
  };
  return { log, stop };
}

/** What a client wants of a project. @param newId of an environment that the project has never had */
function changed(
  { name, languages, environments }: Project,
  next: () => number,
  newId: () => number,
): Project {
  const wish = oneOf(next, ['keep', 'keep', 'rename', 'create', 'delete']);
  const own = environments.map((one) => ({ ...one }));
  if (own.length <= 2 || (wish === 'create' && own.length < 8)) {
    const id = newId();
    own.push({ id, name: `Made ${id}`, isEnabled: false });
  } else if (wish === 'delete' || wish === 'create') own.splice(1 + Math.floor(next() * (own.length - 1)), 1);
  else if (wish === 'rename') oneOf(next, own).name = `Called ${newId()}`;
  return { name, languages, environments: own };
}

/** @returns what happened, to see that there was something to lose; and what must not be, in sentences */
async function runFleet(count: number, store?: Store) {
  const next = sequence(SEED);
  const service = await startService(sequence(SEED + 1));
  // Each request is another one: what is recorded for it takes no place of what others recorded.
  const shared = store ? ['--store', store.url, '--record', 'all', '--match-headers', NUMBER] : [];
  const args = ['proxy', service.target.url, '--read-state', '--timeout', '2s', '--log', 'off', ...shared];
  const folder = temporaryFolder();
  const gates = Array.from({ length: count }, (_, i) => new Gate(join(folder, `gate-${i}`), args));
  await Promise.all(gates.map((gate) => gate.start()));

  const { log, stop } = startClients(gates, service.projects, sequence(SEED + 2));
  const outages: { from: number; to: number }[] = [];
  for (let i = 0; i < EVENTS; i++) {
    await sleep((SECONDS * 1000) / (EVENTS + 1));
    if (store && i % 4 === 1) {
      await store.kill();
      const from = performance.now();
      await sleep(500 + next() * 1500);
      outages.push({ from, to: performance.now() });
      await store.start();
      // A pooler refuses the first one that comes, and a gate that starts then ends.
      await expect.poll(() => rowsOf(store.url, 'SELECT 1').catch(() => [])).toHaveLength(1);
    } else {
      const gate = oneOf(next, gates);
      await gate.stop('SIGKILL');
      await sleep(next() * 500);
      await gate.start();
    }
  }
  await sleep((SECONDS * 1000) / (EVENTS + 1));
  await stop();

  const answered = log.filter((sent) => sent.isAnsweredByService);
  const recorded = store ? await recordedIn(store.directUrl, answered, gates) : [];
  for (const gate of gates) await gate.stop('SIGKILL');
  const away = log.filter(({ from, to }) => outages.some((outage) => from >= outage.from && to <= outage.to));
  return {
    deletions: service.changes.filter(({ lost }) => lost.length > 0).length,
    tokensUsed: answered.filter(({ token }) => token !== undefined).length,
    /** PATCHes and GETs while the database was away. */
    refused: away.filter(({ status }) => status === 503).length,
    passed: away.filter(({ method, status }) => method === 'GET' && status === 200).length,
    wrong: [
      ...unannounced(service.changes, log),
      ...twice(service.reached.flatMap((n) => log[n]?.token ?? [])).map((token) => `used twice: ${token}`),
      ...(store ? lostOrDouble(answered, recorded) : []),
      ...away.filter(isWrongWhileAway).map((sent) => `while the database was away: ${JSON.stringify(sent)}`),
    ],
  };
}

/** An environment is deleted by a PATCH with a token alone, and the 409 of this token has named it. */
function unannounced(changes: readonly { n: number; lost: number[] }[], log: readonly Sent[]): string[] {
  const announcedBy = new Map(log.map(({ approve, announced }) => [approve, announced]));
  return changes.flatMap(({ n, lost }) => {
    const token = log[n]?.token;
    const announced = token === undefined ? [] : (announcedBy.get(token) ?? []);
    return lost.filter((id) => !announced.includes(id)).map((id) => `unannounced: PATCH ${n} deleted ${id}`);
  });
}

function lostOrDouble(answered: readonly Sent[], recorded: readonly number[]): string[] {
  const lost = answered.filter(({ n }) => !recorded.includes(n));
  return [...lost.map(({ n }) => `lost: ${n}`), ...twice(recorded).map((n) => `double: ${n}`)];
}

const twice = <T>(all: readonly T[]) => all.filter((one, i) => all.indexOf(one) !== i);

/** A PATCH is refused with a time to come back; a GET is answered. Those of a gate that was killed have no answer. */
function isWrongWhileAway({ method, status, retryAfter }: Sent): boolean {
  if (status === undefined) return false;
  return method === 'GET' ? status !== 200 : status !== 503 || retryAfter === undefined;
}

/** Numbers of the exchanges in the database, once all that was answered has come there and the gates are stopped. */
async function recordedIn(url: string, answered: readonly Sent[], gates: readonly Gate[]): Promise<number[]> {
  const read = async () => {
    const rows = await rowsOf<{ frame: Buffer }>(url, 'SELECT frame FROM patchgate_exchanges');
    // Of a failure, no answer is recorded.
    const numbers = rows.flatMap(({ frame }) => header(decodeFrame(frame).response.headers, ANSWERED) ?? []);
    return numbers.map(Number);
  };
  const missing = async () => {
    const there = new Set(await read());
    return answered.filter(({ n }) => !there.has(n)).length;
  };
  const giveUpAt = performance.now() + SHIPPED_WITHIN;
  while ((await missing()) > 0 && performance.now() < giveUpAt) await sleep(200);
  for (const gate of gates) expect(await gate.stop('SIGTERM')).toMatchObject({ code: 0 });
  return read();
}

describe('gates on one database', () => {
  it.each(isLong ? ['at once', 'through pgbouncer'] : ['at once'])(
    'announce, approve once, and record all: %s',
    async (how) => {
      const postgres = await startPostgres();
      const directUrl = await postgres.database();
      const url = how === 'at once' ? directUrl : await startPgbouncer(directUrl);
      const { wrong, ...counts } = await runFleet(GATES, { ...postgres, url, directUrl });
      expect(wrong).toEqual([]);
      expect(Math.min(...Object.values(counts)), JSON.stringify(counts)).toBeGreaterThan(0);
    },
  );
});

describe.runIf(isLong)('without a database', () => {
  it('one gate announces what it deletes', async () => {
    const { wrong, deletions } = await runFleet(1);
    expect(wrong).toEqual([]);
    expect(deletions).toBeGreaterThan(SECONDS / 2);
  });

  it('several delete what they know nothing of: the test sees it', async () => {
    expect((await runFleet(GATES)).wrong.length).toBeGreaterThan(0);
  });
});
