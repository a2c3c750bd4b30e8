// @module-tag postgres
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Approval } from '../../src/model/approval.ts';
import { type Running, startBinary } from '../support/binary.ts';
import { cleanUpLater } from '../support/clean-up.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { runHere } from '../support/run-here.ts';
import { patch, project, startService } from '../support/service.ts';
import { soon } from '../support/soon.ts';

const BOTH = project('1 Production', '2 Staging');
const ONE = project('1 Production');
const ANNA = 'token-of-anna';
const APPROVERS = { ANNA, PATCHGATE_APPROVERS: 'anna=env:ANNA' };

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
});

/** Two gates that know the project, and a way to start more. */
async function startFleet(env: Record<string, string> = {}, postgres = server) {
  const service = await startService();
  const store = await postgres.database();
  service.projects.set('42', BOTH);
  const start = async () => {
    const gate = await startBinary(['proxy', service.target.url, '--no-state'], {
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

describe('two gates on one database', { tags: 'slow' }, () => {
  it('one asks, the other one shows it and approves, and a third one lets it pass, once', async () => {
    const { service, gates, start } = await startFleet(APPROVERS);
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
    const { service, gates } = await startFleet({}, own);
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

  it.each([
    ['that goes uses up no token', 'LOCK TABLE patchgate_approvals', 'pending'],
    ['that goes while its token is used', 'SELECT FROM patchgate_approvals FOR UPDATE', 'used'],
  ])('a client %s, and has nothing deleted', async (_, lock, status) => {
    const { service, gates, store } = await startFleet();
    const [one] = gates;
    const { approve = '', approval } = (await send(one)).json;
    const holder = new pg.Client(store);
    await holder.connect();
    cleanUpLater(() => holder.end());
    await holder.query(`BEGIN; ${lock}`);
    const client = new AbortController();
    const answer = fetch(`${one.url}/api/v2/accounts/current/projects/42`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'Patchgate-Approve': approve },
      body: JSON.stringify(ONE),
      signal: client.signal,
    }).catch(() => 'broken off');
    await soon(async () =>
      expect((await holder.query('SELECT FROM pg_locks WHERE NOT granted')).rowCount).toBeGreaterThan(0),
    );
    client.abort();
    expect(await answer).toBe('broken off');
    // By then the gate has heard that the client is gone.
    await fetch(`${one.url}/__patchgate/health`);
    await holder.query('ROLLBACK');
    await soon(async () => {
      const seen = await fetch(`${one.url}/__patchgate/exchanges?limit=1`);
      expect(await seen.text()).toContain('broke off its request');
    });
    expect(await list(one)).toMatchObject([{ id: approval, status }]);
    expect(service.deleted).toEqual([]);
  });
});
