// @module-tag postgres
/** Gates on one database: what one knows, asks for and records, the others know. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Approval } from '../../src/model/approval.ts';
import { decodeFrame } from '../../src/recordings/journal.ts';
import { READS, type Running, runBinary, startBinary } from '../support/binary.ts';
import { useBrowser } from '../support/browser.ts';
import { cleanUpLater } from '../support/clean-up.ts';
import { PROJECT_PATH } from '../support/e2e-bodies.ts';
import { startGate } from '../support/in-process.ts';
import { startPgbouncer } from '../support/pgbouncer.ts';
import { type Postgres, rowsOf, startPostgres } from '../support/postgres.ts';
import { runHere } from '../support/run-here.ts';
import { lossesIn, patch, project, type Service, startService } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ONE = project('1 Production');
const TWO = project('1 Production', '2 Staging');
const THREE = project('1 Production', '2 Staging', '5 QA');

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  cleanUpLater(() => client.end());
  return client;
}

/** @param timeout of the second gate */
async function startFleet(store: string, timeout = 30_000) {
  const service = await startService();
  service.projects.set('42', TWO);
  const start = (more = {}) =>
    startGate({ target: service.target.url, readState: true, store, state: stateFile(), ...more });
  return { service, start, gates: [await start(), await start({ timeout })] as const };
}

/** The outbox stands beside it. */
const stateFile = () => join(temporaryFolder(), '.patchgate/state.json');

/** Reads show the project as it was at first. */
const lag = (service: Service) => {
  service.show = (_req, res) => res.writeHead(200).end(JSON.stringify(TWO));
};

/** The next PATCH is applied, and answered only once `answer` is called. */
function holdNext(service: Service) {
  let answer = () => {};
  const came = new Promise<void>((resolve) => {
    service.next.push((_req, res, apply) => {
      apply();
      answer = () => res.writeHead(200).end('{}');
      resolve();
    });
  });
  return { came, answer: () => answer() };
}

it('PATCHes through two gates wait for one another, and none deletes what another has just added', async () => {
  const { service, gates } = await startFleet(await server.database());
  const held = holdNext(service);
  const first = patch(gates[0].url, THREE);
  await held.came;
  const second = patch(gates[1].url, TWO);
  await expect
    .poll(() => rowsOf(server.url, "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"))
    .toHaveLength(1);
  held.answer();
  expect((await first).status).toBe(200);
  expect(lossesIn(await second)).toEqual(['environment-deleted 5']);
  expect(service.deleted).toEqual([]);
});

it('a gate that reads a changed project ends what another one has asked for', async () => {
  const store = await server.database();
  const { service, gates } = await startFleet(store);
  expect((await patch(gates[0].url, ONE)).status).toBe(409);
  service.projects.set('42', THREE);
  expect((await patch(gates[1].url, ONE)).status).toBe(409);
  const statuses = await rowsOf(store, 'SELECT status FROM patchgate_approvals ORDER BY status');
  expect(statuses).toEqual([{ status: 'expired' }, { status: 'pending' }]);
});

it('corrects with the names that the service shows, and with none that was hidden where it was kept', async () => {
  const { service, gates } = await startFleet(await server.database());
  const all = project('1 Production', '2 Staging', '4 QA password=hunter2x');
  expect((await patch(gates[0].url, all)).status).toBe(200);
  expect((await patch(gates[1].url, TWO)).json.corrected?.environments).toEqual(all.environments);
  lag(service);
  const { status, json } = await patch(gates[1].url, project('1 Production'));
  expect([status, json.corrected]).toEqual([409, undefined]);
});

describe('the page of one gate', { tags: 'chromium' }, () => {
  const browser = useBrowser();

  it('shows what another gate asks for', async () => {
    const { start, gates } = await startFleet(await server.database());
    const { notices } = await start({ ui: 0 });
    const page = await browser.open('about:blank');
    await page.clock.install();
    await page.goto(/inspector: (http\S+)/.exec(notices.join('\n'))?.[1] as string);
    await page.getByText('No exchange yet').waitFor();
    expect((await patch(gates[0].url, ONE)).status).toBe(409);
    await page.clock.runFor(16_000);
    await page.getByText('1 PATCH waits for an approval').waitFor();
  });
});

it('judges by what a GET has shown where it reads nothing itself', async () => {
  const { service, start } = await startFleet(await server.database());
  const { url } = await start({ readState: false });
  expect((await patch(url, TWO)).status).toBe(200);
  service.projects.set('42', THREE);
  await (await fetch(`${url}${PROJECT_PATH}`)).text();
  expect(lossesIn(await patch(url, TWO))).toEqual(['environment-deleted 5']);
});

it.each(['directly', 'through pgbouncer'])(
  'what one gate was creating is known to another, %s',
  async (how) => {
    const url = await server.database();
    const { service, gates } = await startFleet(how === 'directly' ? url : await startPgbouncer(url));
    lag(service);
    expect((await patch(gates[0].url, THREE)).status).toBe(200);
    expect(lossesIn(await patch(gates[1].url, TWO))).toEqual(['environment-deleted 5']);
  },
);

it('a gate that is killed with a PATCH on its way has left word of it', { tags: 'slow' }, async () => {
  const store = await server.database();
  const { service, gates } = await startFleet(store);
  lag(service);
  const killed = await startBinary(['proxy', service.target.url], {
    env: { ...READS, PATCHGATE_STORE: store },
  });
  const held = holdNext(service);
  const lost = patch(killed.url, THREE).catch(() => undefined);
  await held.came;
  await killed.stop('SIGKILL');
  await lost;
  expect(lossesIn(await patch(gates[0].url, TWO))).toEqual(['environment-deleted 5']);
});

it('a record that is locked elsewhere is waited for as long as --timeout says', async () => {
  const store = await server.database();
  const { service, gates } = await startFleet(store, 500);
  const held = holdNext(service);
  const first = patch(gates[0].url, THREE).catch(() => undefined);
  await held.came;
  const { status, json } = await patch(gates[1].url, TWO);
  expect([status, json.type]).toEqual([503, 'urn:patchgate:problem:store-unavailable']);
  held.answer();
  await first;
});

it('a database that is slow is waited for as long as --timeout says', async () => {
  const store = await server.database();
  const { service, gates } = await startFleet(store, 500);
  const holder = await connect(store);
  await holder.query('BEGIN; LOCK TABLE patchgate_approvals');
  const began = performance.now();
  expect((await patch(gates[1].url, TWO)).status).toBe(503);
  expect(performance.now() - began).toBeLessThan(8000);
  expect(service.target.received.filter(({ method }) => method === 'PATCH')).toEqual([]);
});

it('a database that goes away while the project is read: nothing is sent', async () => {
  const own = await startPostgres();
  const { service, gates } = await startFleet(own.url);
  service.show = (_req, res) => void own.kill().then(() => res.writeHead(200).end(JSON.stringify(TWO)));
  const { status, json } = await patch(gates[0].url, TWO);
  expect([status, json.type]).toEqual([503, 'urn:patchgate:problem:store-unavailable']);
  expect(service.target.received.filter(({ method }) => method === 'PATCH')).toEqual([]);
});

const ANNA = 'token-of-anna';
const APPROVERS = { ANNA, PATCHGATE_APPROVERS: 'anna=env:ANNA' };

/** Two gates that know the project, and a way to start more. */
async function startProgram(env: Record<string, string> = {}, postgres = server) {
  const service = await startService();
  const store = await postgres.database();
  service.projects.set('42', TWO);
  const start = async () => {
    const gate = await startBinary(['proxy', service.target.url, '--no-state'], {
      env: { PATCHGATE_STORE: store, ...env },
    });
    expect((await patch(gate.url, TWO)).status).toBe(200);
    return gate;
  };
  return { service, store, start, gates: await Promise.all([start(), start()]) };
}

const send = ({ url }: Running, approve?: string) =>
  patch(url, ONE, approve === undefined ? {} : { headers: { 'Patchgate-Approve': approve } });

/** As somebody types it who has anna's token. */
const type = ({ url }: Running, words: string) =>
  runHere([...words.split(' '), '--gate', url], { env: { PATCHGATE_CONTROL_TOKEN: ANNA } });

async function list(gate: Running): Promise<Approval[]> {
  const { code, stdout, stderr } = await type(gate, 'approvals list --format json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout).approvals;
}

describe('approvals', { tags: 'slow' }, () => {
  it('one asks, the other one shows it and approves, and a third one lets it pass, once', async () => {
    const { service, gates, start } = await startProgram(APPROVERS);
    const [one, other] = gates;
    const { approve, approval } = (await send(one)).json;
    expect((await send(other, approve)).json.detail).toContain(`no approver has approved ${approval} yet`);
    expect((await type(other, 'approvals list')).stdout).toContain(approval);
    expect((await type(other, `approvals approve ${approval} --reason agreed`)).code).toBe(0);
    expect(await list(one)).toMatchObject([{ id: approval, status: 'approved', decidedBy: 'anna' }]);
    expect((await type(one, `approvals decline ${approval}`)).stderr).toContain('it was approved by anna');
    await one.stop('SIGKILL');
    const third = await start();
    const all = await Promise.all([third, other, third, other].map((gate) => send(gate, approve)));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(service.deleted).toEqual(['42: 2 Staging']);
    await other.stop('SIGKILL');
    expect((await send(third, approve)).json.detail).toContain('was used already');
    const known = (await list(third)).find(({ id }) => id === approval);
    expect(known).toMatchObject({ status: 'used', reason: 'agreed' });
  });

  it('without the database nothing is deleted, and a 503 says when to come again', async () => {
    const own = await startPostgres();
    const { service, gates } = await startProgram({}, own);
    const [one, other] = gates;
    const { approve } = (await send(one)).json;
    await own.kill();
    for (const answered of [await send(one), await send(one, approve), await send(other, approve)]) {
      expect(answered.status).toBe(503);
      expect(answered.json.type).toBe('urn:patchgate:problem:store-unavailable');
      expect(answered.headers.get('retry-after')).toBe('5');
    }
    const asked = await fetch(`${one.url}/__patchgate/approvals`);
    expect([asked.status, asked.headers.get('retry-after')]).toEqual([503, '5']);
    expect(service.deleted).toEqual([]);
    await own.start();
    await expect.poll(async () => (await send(other, approve)).status).toBe(200);
    expect(service.deleted).toEqual(['42: 2 Staging']);
  });

  it.each([
    ['that goes uses up no token', 'LOCK TABLE patchgate_approvals', 'pending'],
    ['that goes while its token is used', 'SELECT FROM patchgate_approvals FOR UPDATE', 'used'],
  ])('a client %s, and has nothing deleted', async (_, lock, status) => {
    const { service, gates, store } = await startProgram();
    const [one] = gates;
    const { approve = '', approval } = (await send(one)).json;
    const holder = await connect(store);
    await holder.query(`BEGIN; ${lock}`);
    const client = new AbortController();
    const answer = fetch(`${one.url}/api/v2/accounts/current/projects/42`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'Patchgate-Approve': approve },
      body: JSON.stringify(ONE),
      signal: client.signal,
    }).catch(() => 'broken off');
    await expect
      .poll(async () => (await holder.query('SELECT FROM pg_locks WHERE NOT granted')).rowCount)
      .toBeGreaterThan(0);
    client.abort();
    expect(await answer).toBe('broken off');
    // By then the gate has heard that the client is gone.
    await fetch(`${one.url}/__patchgate/health`);
    await holder.query('ROLLBACK');
    const seen = async () => (await fetch(`${one.url}/__patchgate/exchanges?limit=1`)).text();
    await expect.poll(seen).toContain('broke off its request');
    expect(await list(one)).toMatchObject([{ id: approval, status }]);
    expect(service.deleted).toEqual([]);
  });
});

const startOn = (args: readonly string[], store: string, cwd = temporaryFolder()) =>
  startBinary(args, { cwd, env: { PATCHGATE_STORE: store } });

const record = (target: string, store: string, mode: string, cwd?: string) =>
  startOn(['proxy', target, '--record', mode, '--recording', 'r', '--no-guard'], store, cwd);

async function get({ url }: Pick<Running, 'url'>, path: string): Promise<unknown> {
  const answer = await fetch(url + path);
  const text = await answer.text();
  return answer.status === 200 ? (JSON.parse(text) as unknown) : answer.status;
}

async function queriesIn(store: string): Promise<string[]> {
  const rows = await rowsOf<{ frame: Buffer }>(
    store,
    'SELECT frame FROM patchgate_exchanges ORDER BY ordinal',
  );
  return rows.map(({ frame }) => decodeFrame(frame).request.query);
}

describe('recordings', { tags: 'slow' }, () => {
  let target: string;
  const proxy = (store: string, mode: string, cwd?: string) => record(target, store, mode, cwd);
  beforeAll(async () => {
    let count = 0;
    target = (await startTarget((req, res) => res.end(JSON.stringify({ url: req.url, count: ++count })))).url;
  });

  it('replay what others recorded, each path as it was when it was first asked for', async () => {
    const store = await server.database();
    const none = await runBinary(['replay', '--recording', 'r'], { env: { PATCHGATE_STORE: store } });
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('there is no recording "r" in postgres://');
    const recorder = await proxy(store, 'all');
    const first = await get(recorder, '/a');
    const second = await get(recorder, '/a');
    await expect.poll(() => queriesIn(store)).toHaveLength(2);
    const replay = await startOn(['replay', '--recording', 'r'], store);
    expect(await get(replay, '/a')).toEqual(first);
    expect(await get(replay, '/a')).toEqual(second);
    expect(await get(replay, '/a')).toEqual(second);
    expect(await get(replay, '/b')).toBe(501);
    await get(recorder, '/a');
    const other = await get(recorder, '/b');
    await expect.poll(() => get(replay, '/b')).toEqual(other);
    expect(await get(replay, '/a')).toEqual(second);
    await replay.stop();
    await recorder.stop();
  });

  it('new_episodes: what one has recorded it answers itself, in the order of recording', async () => {
    const store = await server.database();
    const gate = await proxy(store, 'new_episodes');
    const answer = await get(gate, '/a');
    for (let i = 0; i < 20; i++) expect(await get(gate, '/a')).toEqual(answer);
    await gate.stop();
    const again = await proxy(store, 'new_episodes');
    expect(await get(again, '/a')).toEqual(answer);
    await get(again, '/b');
    await again.stop();
    expect(await queriesIn(store)).toHaveLength(2);
  });

  it('go on without the database, and keep what it does not have', async () => {
    const own = await startPostgres();
    const store = await own.database();
    const folder = temporaryFolder();
    const gate = await proxy(store, 'all', folder);
    await get(gate, '/a?n=1');
    await expect.poll(() => queriesIn(store)).toEqual(['n=1']);
    await own.kill();
    expect(await get(gate, '/a?n=2')).toMatchObject({ url: '/a?n=2' });
    await gate.said('Nothing is lost', 'stderr');
    const health = await (await fetch(`${gate.url}/__patchgate/health`)).json();
    expect(health).toMatchObject({ trouble: expect.stringContaining('') });
    const metrics = await (await fetch(`${gate.url}/__patchgate/metrics`)).text();
    expect(metrics).toContain('patchgate_exchanges_waiting 1');
    const { code, stderr } = await gate.stop();
    expect(code).toBe(0);
    expect(stderr).toMatch(/waiting for the database in \S+: 1 line of what/);
    expect(stderr).toContain('recorded 2 exchanges in "r" of the database\n');
    await own.start();
    await (await proxy(store, 'all', folder)).stop();
    expect(await queriesIn(store)).toEqual(['n=1', 'n=2']);
  });

  it('audit into it, and into a file where one is named', async () => {
    const store = await server.database();
    const folder = temporaryFolder();
    const gate = await startOn(['proxy', target, '--audit', 'audit.ndjson'], store, folder);
    const answer = await fetch(`${gate.url}/api/v2/accounts/1/projects/42`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: '{"nonsense": 1}',
    });
    expect(answer.status).toBe(422);
    await gate.stop();
    const rows = await rowsOf<{ line: { path: string } }>(store, 'SELECT line FROM patchgate_audit');
    expect(rows).toMatchObject([{ line: { method: 'PATCH', verdict: 'block' } }]);
    expect(existsSync(join(folder, 'audit.ndjson'))).toBe(true);
  });
});
