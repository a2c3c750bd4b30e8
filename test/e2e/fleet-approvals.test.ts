// @module-tag postgres
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Approval } from '../../src/model/approval.ts';
import { type Running, startBinary } from '../support/binary.ts';
import { cleanUpLater } from '../support/clean-up.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { runHere } from '../support/run-here.ts';
import { patch, project, type Service, startService } from '../support/service.ts';
import { soon } from '../support/soon.ts';

const BOTH = project('1 Production', '2 Staging');
const ONE = project('1 Production');
const ANNA = 'token-of-anna';
const APPROVERS = { ANNA, PATCHGATE_APPROVERS: 'anna=env:ANNA' };

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
});

interface Fleet {
  service: Service;
  gates: [Running, Running];
  /** URL of the database. */
  store: string;
  /** One more gate. */
  start(args?: readonly string[]): Promise<Running>;
}

/** Both gates know the project. */
async function startFleet(
  args: readonly string[] = [],
  env: Record<string, string> = {},
  postgres = server,
): Promise<Fleet> {
  const service = await startService();
  const store = await postgres.database();
  service.projects.set('42', BOTH);
  const start = async (more: readonly string[] = []) => {
    const gate = await startBinary(['proxy', service.target.url, '--no-state', ...args, ...more], {
      env: { PATCHGATE_STORE: store, ...env },
    });
    expect((await patch(gate.url, BOTH)).status).toBe(200);
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

async function connected(store: string): Promise<pg.Client> {
  const client = new pg.Client(store);
  await client.connect();
  cleanUpLater(() => client.end());
  return client;
}

describe('two gates on one database', { tags: 'slow' }, () => {
  it('a token of one lets the PATCH pass at the other, once', async () => {
    const { service, gates } = await startFleet();
    const [one, other] = gates;
    const { approve } = (await send(one)).json;
    const all = await Promise.all(Array.from({ length: 10 }, (_, i) => send(i % 2 ? one : other, approve)));
    const passed = all.filter(({ status }) => status === 200);
    expect(passed).toHaveLength(1);
    for (const { status, json } of all)
      if (status !== 200) expect(json.detail).toMatch(/was used already|has changed|is not known/);
    expect(service.deleted).toEqual(['42: 2 Staging']);
  });

  it('one asks, the other one shows it and approves, and a third one lets it pass', async () => {
    const { service, gates, start } = await startFleet([], APPROVERS);
    const [one, other] = gates;
    const { approve, approval } = (await send(one)).json;
    expect((await send(other, approve)).json.detail).toContain(`no approver has approved ${approval} yet`);
    expect((await type(other, 'approvals list')).stdout).toContain(approval);
    expect((await type(other, `approvals approve ${approval} --reason agreed`)).code).toBe(0);
    expect(await list(one)).toMatchObject([{ id: approval, status: 'approved', decidedBy: 'anna' }]);
    expect((await type(one, `approvals decline ${approval}`)).stderr).toContain('it was approved by anna');
    const third = await start();
    expect((await send(third, approve)).status).toBe(200);
    expect(service.deleted).toEqual(['42: 2 Staging']);
    expect((await list(one))[0]).toMatchObject({ id: approval, status: 'used', reason: 'agreed' });
  });

  it('what a gate gave out and approved holds when it is killed', async () => {
    const { service, gates, start } = await startFleet([], APPROVERS);
    const [one, other] = gates;
    const first = (await send(one)).json;
    await type(one, `approvals approve ${first.approval}`);
    await one.stop('SIGKILL');
    expect((await send(other, first.approve)).status).toBe(200);
    await other.stop('SIGKILL');
    expect(service.deleted).toEqual(['42: 2 Staging']);
    const third = await start();
    service.deleted.length = 0;
    expect((await send(third, first.approve)).json.detail).toContain('was used already');
    expect(service.deleted).toEqual([]);
  });

  it('without the database nothing is deleted, and a 503 says when to come again', async () => {
    const own = await startPostgres();
    const { service, gates } = await startFleet([], {}, own);
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
    await soon(async () => expect((await send(other, approve)).status).toBe(200));
    expect(service.deleted).toEqual(['42: 2 Staging']);
  });
});

describe('while the database is asked for a token', { tags: 'slow' }, () => {
  /** @param lock what keeps the gate's statements waiting. @returns lets them go on */
  async function hindered(store: string, lock: string) {
    const client = await connected(store);
    await client.query('BEGIN');
    await client.query(lock);
    return {
      gateWaits: () =>
        soon(async () =>
          expect((await client.query('SELECT FROM pg_locks WHERE NOT granted')).rowCount).toBeGreaterThan(0),
        ),
      goOn: () => client.query('ROLLBACK'),
    };
  }

  async function breakOff(gate: Running, gateWaits: () => Promise<void>, headers = {}) {
    const client = new AbortController();
    const answer = fetch(`${gate.url}/api/v2/accounts/current/projects/42`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(ONE),
      signal: client.signal,
    }).catch(() => 'broken off');
    await gateWaits();
    client.abort();
    expect(await answer).toBe('broken off');
    // By then the gate has heard that the client is gone.
    await fetch(`${gate.url}/__patchgate/health`);
  }

  const saidBrokenOff = (gate: Running) =>
    soon(async () => {
      const seen = await fetch(`${gate.url}/__patchgate/exchanges?limit=1`);
      expect(await seen.text()).toContain('broke off its request');
    });

  it('a client that goes uses up no token', async () => {
    const { service, gates, store } = await startFleet();
    const [one] = gates;
    const { approve = '', approval } = (await send(one)).json;
    const { gateWaits, goOn } = await hindered(store, 'LOCK TABLE patchgate_approvals');
    await breakOff(one, gateWaits, { 'Patchgate-Approve': approve });
    await goOn();
    await saidBrokenOff(one);
    expect(await list(one)).toMatchObject([{ id: approval, status: 'pending' }]);
    expect(service.deleted).toEqual([]);
  });

  it('a client that goes while its token is used has nothing deleted', async () => {
    const { service, gates, store } = await startFleet();
    const [one] = gates;
    const { approve = '', approval } = (await send(one)).json;
    const { gateWaits, goOn } = await hindered(store, 'SELECT FROM patchgate_approvals FOR UPDATE');
    await breakOff(one, gateWaits, { 'Patchgate-Approve': approve });
    await goOn();
    await saidBrokenOff(one);
    expect(await list(one)).toMatchObject([{ id: approval, status: 'used' }]);
    expect(service.deleted).toEqual([]);
  });
});
