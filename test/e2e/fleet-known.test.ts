// @module-tag postgres
/** Gates on one database: one PATCH of a record at a time, whichever gate it comes through. */
import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, expect, it } from 'vitest';
import { READS, startBinary } from '../support/binary.ts';
import { cleanUpLater } from '../support/clean-up.ts';
import { startGate } from '../support/in-process.ts';
import { startPgbouncer } from '../support/pgbouncer.ts';
import { type Postgres, rowsOf, startPostgres } from '../support/postgres.ts';
import { lossesIn, patch, project, type Service, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TWO = project('1 Production', '2 Staging');
const THREE = project('1 Production', '2 Staging', '5 QA');

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);

/** @param timeout of the second gate */
async function startFleet(store: string, timeout = 30_000) {
  const service = await startService();
  service.projects.set('42', TWO);
  const start = (more = {}) =>
    startGate({ target: service.target.url, readState: true, store, state: stateFile(), ...more });
  return { service, gates: [await start(), await start({ timeout })] as const };
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
  const holder = new pg.Client(store);
  await holder.connect();
  cleanUpLater(() => holder.end());
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
