// @module-tag postgres
/** Gates on one database: they know the same records, and only one at a time changes which environments there are. */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Running, startBinary } from '../support/binary.ts';
import { type InProcess, type Settings, startGate } from '../support/in-process.ts';
import { type Postgres, rowsOf, startPostgres } from '../support/postgres.ts';
import { lossesIn, patch, project, type Service, startService } from '../support/service.ts';
import { soon } from '../support/soon.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const BOTH = project('1 Production', '2 Staging');
const ONE = project('1 Production');
const THREE = project('1 Production', '2 Staging', '3 QA');

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);

interface Fleet {
  service: Service;
  store: string;
  gates: [InProcess, InProcess];
}

async function startFleet(settings: Settings = {}, postgres = server): Promise<Fleet> {
  const service = await startService();
  const store = await postgres.database();
  // Its outbox stands beside it.
  const state = join(temporaryFolder(), '.patchgate/state.json');
  const start = () => startGate({ target: service.target.url, store, state, ...settings });
  return { service, store, gates: [await start(), await start()] };
}

/** A gate waits for another one's lease, to be alone. */
const isWanted = (store: string) =>
  soon(async () =>
    expect(await rowsOf(store, 'SELECT wanted_until > now() AS wanted FROM patchgate_record')).toEqual([
      { wanted: true },
    ]),
  );

const health = async (url: string) =>
  (await (await fetch(`${url}/__patchgate/health`)).json()) as { known: object; trouble?: string };

describe('two gates of the packed program', { tags: 'slow' }, () => {
  const start = (service: Service, store: string) =>
    startBinary(['proxy', service.target.url], { env: { PATCHGATE_STORE: store } });

  it('know what either of them was told', async () => {
    const service = await startService();
    const store = await server.database();
    const [first, second] = await Promise.all([start(service, store), start(service, store)]);
    expect((await patch(first.url, BOTH)).status).toBe(200);
    const blocked = await patch(second.url, ONE);
    expect(blocked.status).toBe(409);
    expect(lossesIn(blocked)).toEqual(['environment-deleted 2']);
    expect((await patch(second.url, THREE)).status).toBe(200);
    expect(lossesIn(await patch(first.url, BOTH))).toEqual(['environment-deleted 3']);
    expect(service.deleted).toEqual([]);
    await Promise.all([first.stop(), second.stop()]);
    const third = await start(service, store);
    await third.said(/knows 1 of its records \(postgres:\/\/127\.0\.0\.1:\d+\/\w+\)/, 'stderr');
    expect(lossesIn(await patch(third.url, BOTH))).toEqual(['environment-deleted 3']);
  });

  it('know what the client of another one was shown, before that has all of the answer', async () => {
    const service = await startService();
    const store = await server.database();
    const [first, second] = await Promise.all([start(service, store), start(service, store)]);
    await patch(first.url, BOTH);
    for (let id = 3; id < 20; id++) {
      // Somebody else has made it.
      service.projects.set('42', project('1 Production', '2 Staging', `${id} New`));
      await (await fetch(`${first.url}/api/v2/accounts/current/projects/42`)).text();
      expect(lossesIn(await patch(second.url, BOTH))).toContain(`environment-deleted ${id}`);
    }
    expect(service.deleted).toEqual([]);
  });

  it('both outcomes count of a PATCH whose gate was killed', async () => {
    const service = await startService();
    const store = await server.database();
    const [first, second] = await Promise.all([start(service, store), start(service, store)]);
    await patch(first.url, BOTH);
    const isKilled = kill(first, service);
    await expect(patch(first.url, project('1 Production', '2 Staging', '3 QA'))).rejects.toThrow();
    await isKilled;
    // Else it takes the ten seconds of the lease.
    await rowsOf(
      store,
      `UPDATE patchgate_record SET leases = jsonb_set(leases, '{0,until}', '1') WHERE leases <> '[]'`,
    );
    expect(lossesIn(await patch(second.url, BOTH))).toEqual(['environment-deleted 3']);
    expect(lossesIn(await patch(second.url, ONE))).toEqual([
      'environment-deleted 2',
      'environment-deleted 3',
    ]);
    expect((await patch(second.url, THREE)).status).toBe(200);
    expect(service.deleted).toEqual([]);
  });

  /** While the service works at its PATCH. */
  const kill = (gate: Running, service: Service) =>
    new Promise<void>((resolve) => {
      service.next.push((_req, _res, apply) => {
        apply();
        void gate.stop('SIGKILL').then(() => resolve());
      });
    });
});

describe('a PATCH', { tags: 'slow' }, () => {
  it('that changes which environments there are waits for that of another gate', async () => {
    const { service, gates, store } = await startFleet();
    const [first, second] = gates;
    await patch(first.url, BOTH);
    let answer: (() => void) | undefined;
    service.next.push((_req, res, apply) => {
      answer = () => {
        apply();
        res.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
      };
    });
    const creating = patch(first.url, THREE);
    await soon(() => expect(answer).toBeDefined());
    // By what this gate knows, it deletes nothing.
    const other = patch(second.url, project('1 Production', '2 Staging', '4 Demo'));
    await isWanted(store);
    expect(service.target.received).toHaveLength(2);
    answer?.();
    expect((await creating).status).toBe(200);
    expect(lossesIn(await other)).toEqual(['environment-deleted 3']);
    expect(service.deleted).toEqual([]);
  });

  it('that keeps all environments passes beside those of other gates', async () => {
    const { service, gates } = await startFleet();
    const [first, second] = gates;
    await patch(first.url, BOTH);
    await patch(second.url, BOTH);
    const waiting: (() => void)[] = [];
    for (let i = 0; i < 4; i++)
      service.next.push((_req, res, apply) => {
        waiting.push(() => {
          apply();
          res.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
        });
      });
    const all = [first, first, second, second].map(({ url }) => patch(url, BOTH));
    await soon(() => expect(waiting).toHaveLength(4));
    for (const answer of waiting) answer();
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('of a gate that thinks that it keeps all is judged by what others know', async () => {
    const { service, gates, store } = await startFleet();
    const [first, second] = gates;
    await patch(first.url, BOTH);
    await patch(second.url, BOTH);
    await patch(first.url, THREE);
    expect(lossesIn(await patch(second.url, BOTH))).toEqual(['environment-deleted 3']);
    const { approve } = (await patch(first.url, BOTH)).json;
    const headers = { 'Patchgate-Approve': approve as string };
    expect((await patch(first.url, BOTH, { headers })).status).toBe(200);
    expect(service.deleted).toEqual(['42: 3 QA']);
    // What the second one knows of it is out of date.
    expect((await patch(second.url, BOTH)).status).toBe(200);
    await soon(async () =>
      expect(await rowsOf(store, 'SELECT leases FROM patchgate_record')).toEqual([{ leases: [] }]),
    );
  });

  it('that turns out to change which environments there are waits until it is alone', async () => {
    const { service, gates, store } = await startFleet();
    const [first, second] = gates;
    await patch(first.url, THREE);
    await patch(second.url, THREE);
    const { approve } = (await patch(first.url, BOTH)).json;
    await patch(first.url, BOTH, { headers: { 'Patchgate-Approve': approve as string } });
    expect(service.deleted).toEqual(['42: 3 QA']);
    let answer: (() => void) | undefined;
    service.next.push((_req, res) => {
      answer = () => res.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
    });
    const sharing = patch(first.url, BOTH);
    await soon(() => expect(answer).toBeDefined());
    const count = service.target.received.length;
    // It does not know that the third one is gone.
    const creating = patch(second.url, THREE);
    await isWanted(store);
    expect(service.target.received).toHaveLength(count);
    answer?.();
    expect([(await sharing).status, (await creating).status]).toEqual([200, 200]);
  });

  it('that is only tried is judged by what others know, too', async () => {
    const { gates } = await startFleet();
    const [first, second] = gates;
    await patch(first.url, BOTH);
    const body = JSON.stringify({
      method: 'PATCH',
      url: '/api/v2/accounts/current/projects/42',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ONE),
    });
    const tried = async () =>
      (await fetch(`${second.url}/__patchgate/validate`, { method: 'POST', body })).json();
    // It takes no lease: the one of the PATCH is given back behind its answer.
    await expect.poll(tried).toMatchObject({
      outcome: 'block',
      effects: [{ kind: 'environment-deleted', id: 2 }],
    });
  });

  it('whose client is gone takes no lease along', async () => {
    const { service, gates, store } = await startFleet();
    const [first, second] = gates;
    await patch(first.url, BOTH);
    let answer: (() => void) | undefined;
    service.next.push((_req, res, apply) => {
      apply();
      answer = () => res.writeHead(200).end('{"ok":true}');
    });
    const creating = patch(first.url, THREE);
    await soon(() => expect(answer).toBeDefined());
    const gone = new AbortController();
    const waiting = fetch(`${second.url}/api/v2/accounts/current/projects/42`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(THREE),
      signal: gone.signal,
    });
    await isWanted(store);
    gone.abort();
    await expect(waiting).rejects.toThrow();
    answer?.();
    await creating;
    await soon(async () =>
      expect(await rowsOf(store, 'SELECT leases FROM patchgate_record')).toEqual([{ leases: [] }]),
    );
    expect(service.target.received).toHaveLength(2);
  });

  it('is blocked before the target has it while the database is away, and all else passes', async () => {
    const own = await startPostgres();
    const { service, gates } = await startFleet({ log: 'json' }, own);
    const [first] = gates;
    await patch(first.url, BOTH);
    await own.kill();
    const refused = await patch(first.url, BOTH);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(refused.json).toMatchObject({
      type: 'urn:patchgate:problem:store-unavailable',
      hint: expect.any(String),
    });
    expect(service.target.received).toHaveLength(1);
    expect((await fetch(`${first.url}/api/v2/accounts/current/projects/42`)).status).toBe(200);
    expect((await health(first.url)).trouble).toMatch(/./);
    expect((await fetch(`${first.url}/__patchgate/health/ready`)).status).toBe(200);
    expect(first.log.join('')).toMatch(/"status":503/);
    expect(first.notices.join('\n')).toMatch(/THE DATABASE IS AWAY: postgres:/);
    await own.start();
    await soon(async () => expect((await patch(first.url, BOTH)).status).toBe(200));
    expect((await health(first.url)).trouble).toBeUndefined();
  }, 90_000);
});

it('says that a state file is not used', { tags: 'slow' }, async () => {
  const { gates, store } = await startFleet({ state: join(temporaryFolder(), 'other.json') });
  expect(gates[0].notices.join()).toMatch(/--state .*other\.json is not used/);
  expect((await health(gates[0].url)).known).toEqual({ records: 0, file: store.replace('postgres@', '') });
});
