// @module-tag postgres
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Lease } from '../../src/guard/known-store.ts';
import type { JsonObject } from '../../src/json/json.ts';
import type { RecordName } from '../../src/model/record.ts';
import { type Database, openDatabase } from '../../src/postgres/database.ts';
import { PgKnownStore } from '../../src/postgres/known.ts';
import { environmentsOf } from '../../src/state/project.ts';
import { cleanUpLater } from '../support/clean-up.ts';
import { describeKnownStore, holding, learn, project } from '../support/known-store-suite.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { shown } from '../support/shown.ts';
import { soon } from '../support/soon.ts';

const SERVICE = 'https://staging.example.com';
const NAME = project(42);

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);

interface Gate extends PgKnownStore {
  database: Database;
  notices: string[];
}

async function open(url: string, more: { service?: string } = {}): Promise<Gate> {
  const notices: string[] = [];
  const notice = (text: string) => notices.push(text);
  const database = await openDatabase({ url, notice });
  const options = { database, service: SERVICE, lag: 60_000, notice, ...more };
  const store = await PgKnownStore.open(options).catch((error) =>
    database.close().then(() => Promise.reject(error)),
  );
  cleanUpLater(async () => {
    await store.close();
    await database.close();
  });
  return Object.assign(store, { database, notices });
}

async function openTwo(): Promise<[Gate, Gate]> {
  const url = await server.database();
  return [await open(url), await open(url)];
}

const lease = async (store: PgKnownStore, isShared = false, body: JsonObject = holding(1)): Promise<Lease> =>
  (await store.lease(NAME, { isShared, body, isGone: () => false })) as Lease;

/** Whether it can be had at once. */
async function mayLease(store: PgKnownStore, isShared: boolean): Promise<boolean> {
  let looks = 0;
  // It is looked at before each attempt, and after the one that succeeds.
  const isGone = () => ++looks > 3;
  const one = await store.lease(NAME, { isShared, body: holding(1), isGone });
  await one?.release();
  return one !== undefined;
}

/** Sent by a gate that is alone, and taken by the service. */
async function patch(store: PgKnownStore, ...ids: number[]): Promise<void> {
  const own = await lease(store, false, holding(...ids));
  learn(store, NAME, holding(...ids));
  await own.release();
}

/** What an answer shows. */
const see = ({ state }: PgKnownStore, name: RecordName, ...ids: number[]) =>
  state.read(name, false)(shown(holding(...ids)), 'somebody');

/** In short: `[1, "2?"]`, where 2 is only possible. */
const brief = ({ state }: PgKnownStore, name = NAME) =>
  environmentsOf(state.of(name)?.record)
    .map(({ id, possibleSince }) => (possibleSince ? `${id}?` : id))
    .sort();

/** As a gate knows it that starts now. */
const known = async (url: string, name = NAME) => brief(await open(url), name);

/** The gates with leases are dead for so long that these are over. */
const age = ({ database }: Gate) =>
  database.query(`UPDATE patchgate_record SET leases =
    (SELECT coalesce(jsonb_agg(lease || '{"until": 1}'), '[]') FROM jsonb_array_elements(leases) AS lease)`);

describeKnownStore('PostgreSQL', async () => {
  const url = await server.database();
  return {
    async open(options = {}) {
      const database = await openDatabase({ url, notice: () => undefined });
      cleanUpLater(() => database.close());
      return PgKnownStore.open({
        database,
        service: SERVICE,
        lag: 60_000,
        notice: () => undefined,
        ...options,
      });
    },
  };
});

describe('a lease', { tags: 'slow' }, () => {
  it('is for one that is alone, or for those that share', async () => {
    const [one, other] = await openTwo();
    const alone = await lease(one);
    expect(await mayLease(other, false)).toBe(false);
    expect(await mayLease(other, true)).toBe(false);
    await alone.release();
    const shared = await lease(one, true);
    expect(await mayLease(other, true)).toBe(true);
    expect(await mayLease(other, false)).toBe(false);
    await shared.release();
    await shared.release();
    expect(await mayLease(other, false)).toBe(true);
  });

  it('is of one record of one service', async () => {
    const url = await server.database();
    const one = await open(url);
    await lease(one);
    expect(await mayLease(await open(url, { service: 'https://other.example.com' }), false)).toBe(true);
    expect(await one.lease(project(43), { isShared: false, body: {}, isGone: () => false })).toBeDefined();
  });

  it('brings what others have learnt', async () => {
    const [one, other] = await openTwo();
    await patch(one, 1, 2);
    expect(brief(other)).toEqual([]);
    await (await lease(other, true)).release();
    expect(brief(other)).toEqual([1, 2]);
    await patch(other, 1);
    await (await lease(one, true)).release();
    expect(brief(one)).toEqual([1]);
  });

  it('takes two statements, unless others have one', async () => {
    const url = await server.database();
    const one = await open(url);
    await patch(one, 1, 2);
    const told = vi.spyOn(one.database, 'query');
    const own = await lease(one, true, holding(1, 2));
    learn(one, NAME, holding(1, 2));
    await own.release();
    expect(told).toHaveBeenCalledTimes(2);
    await patch(one, 1, 3);
    expect(told).toHaveBeenCalledTimes(4);
    await one.close();
    expect(told).toHaveBeenCalledTimes(4);
  });

  it('loses no change of many gates at once', async () => {
    const url = await server.database();
    const gates = await Promise.all([open(url), open(url), open(url)]);
    const clients = Array.from({ length: 50 }, (_, index) => index);
    await Promise.all(
      clients.map(async (client) => {
        for (const round of [1, 2]) {
          const store = gates[(client + round) % 3] as Gate;
          const own = await lease(store);
          const ids = environmentsOf(store.state.of(NAME)?.record).map(({ id }) => id);
          learn(store, NAME, holding(...ids, 100 * round + client));
          await own.release();
        }
      }),
    );
    const all = [1, 2].flatMap((round) => clients.map((client) => 100 * round + client));
    expect(await known(url)).toEqual(all);
    const [row] = await gates[0].database.query(
      'SELECT fence::float8, version::float8, leases FROM patchgate_record',
    );
    expect(row).toEqual({ fence: 100, version: 100, leases: [] });
  });

  it('to be alone comes though others share it all the time', async () => {
    const [one, other] = await openTwo();
    let isOver = false;
    const sharing = Array.from({ length: 20 }, async () => {
      while (!isOver) {
        const own = await lease(one, true);
        await new Promise((resolve) => setTimeout(resolve, 20));
        await own.release();
      }
    });
    await (await lease(other)).release();
    isOver = true;
    await Promise.all(sharing);
  });

  it('is not waited for by a client that is gone', async () => {
    const [one, other] = await openTwo();
    await lease(one);
    expect(await other.lease(NAME, { isShared: true, body: {}, isGone: () => true })).toBeUndefined();
  });

  it('is not had where the database is read-only or lacks the tables, until that is over', async () => {
    const gate = await open(await server.database());
    const name = new URL(gate.database.name).pathname.slice(1);
    const setReadOnly = (value: string) =>
      gate.database.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
    await setReadOnly('on');
    await gate.database
      .query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name])
      .catch(() => undefined);
    const refused = { code: 'store-unavailable', message: expect.stringContaining('read-only') };
    await soon(() => expect(lease(gate)).rejects.toMatchObject(refused));
    await expect(gate.database.query('SELECT 1')).rejects.toMatchObject({ code: 'store-unavailable' });
    const other = await openDatabase({ url: server.url, notice: () => undefined });
    await other.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await other.close();
    await soon(async () => (await lease(gate)).release());
    await gate.database.query('ALTER TABLE patchgate_record RENAME TO other');
    await expect(lease(gate)).rejects.toMatchObject({ code: 'store-unavailable' });
    await gate.database.query('ALTER TABLE other RENAME TO patchgate_record');
    await (await lease(gate)).release();
  });

  it('of a gate that is dead is taken over: what that has sent is possible, and so is what was', async () => {
    const url = await server.database();
    const [dead, next] = [await open(url), await open(url)];
    await patch(dead, 1, 2);
    const old = await lease(dead, false, holding(1, 3));
    const sent = dead.state.send(NAME, holding(1, 3));
    await age(next);
    const own = await lease(next, true);
    expect(brief(next)).toEqual([1, '2?', '3?']);
    expect(await known(url)).toEqual([1, '2?', '3?']);
    // It was not dead after all, and its PATCH came through.
    sent.accepted();
    await old.release();
    await expect.poll(() => known(url)).toEqual([1, '2?', 3]);
    await own.release();
    await patch(next, 1, 3);
    expect(await known(url)).toEqual([1, 3]);
    expect(await mayLease(next, false)).toBe(true);
  });

  it('of a dead gate whose body was not read leaves open what the record holds', async () => {
    const url = await server.database();
    const [dead, next] = [await open(url), await open(url)];
    await patch(dead, 1, 2);
    await dead.lease(NAME, { isShared: true, body: undefined, isGone: () => false });
    await age(next);
    await lease(next);
    expect(next.state.of(NAME)).toEqual({ record: holding(1, 2), isWhole: false });
  });

  it('that is over without a new one is still that of its gate', async () => {
    const [one, other] = await openTwo();
    const own = await lease(one);
    await age(other);
    learn(one, NAME, holding(5));
    await own.release();
    await (await lease(other)).release();
    expect(brief(other)).toEqual([5]);
  });
});

describe('what two gates learn at once', { tags: 'slow' }, () => {
  it('an answer that one has seen stays where the other has the lease', async () => {
    const url = await server.database();
    const [one, other] = [await open(url), await open(url)];
    await patch(one, 1, 2);
    await (await lease(other, true)).release();
    const own = await lease(one, false, holding(1, 3));
    see(other, NAME, 1, 2, 9);
    await expect.poll(() => known(url)).toEqual([1, 2, 9]);
    learn(one, NAME, holding(1, 3));
    await own.release();
    expect(await known(url)).toEqual([1, 3, 9]);
  });

  it('an answer that comes late makes nothing sure', async () => {
    const url = await server.database();
    const [one, other] = [await open(url), await open(url)];
    await patch(one, 1, 2);
    await (await lease(other, true)).release();
    await patch(one, 1, 3);
    see(other, NAME, 1, 2, 4);
    await expect.poll(() => known(url)).toEqual([1, 3, '4?']);
    await expect.poll(() => brief(other)).toEqual([1, 3, '4?']);
  });

  it('who knew nothing of it learns beside the others', async () => {
    const url = await server.database();
    const [one, other] = [await open(url), await open(url)];
    await patch(one, 1, 2);
    see(other, NAME, 2, 3);
    await expect.poll(() => known(url)).toEqual([1, 2, '3?']);
  });
});

describe('the database', { tags: 'slow' }, () => {
  it('that is away lets nothing pass, and gets all when it is back', async () => {
    const own = await startPostgres();
    const [one, other] = [await open(own.url), await open(own.url)];
    await patch(one, 1, 2);
    const held = await lease(one, false, holding(1, 3));
    learn(one, NAME, holding(1, 3));
    await own.kill();
    await held.release();
    see(one, project(43), 7);
    await expect(lease(one)).rejects.toMatchObject({ code: 'store-unavailable', status: 503 });
    expect(one.trouble).toBeUndefined();
    await own.start();
    const isBack = () => lease(other).then((again) => again.release());
    await expect.poll(() => isBack().catch(() => 'away')).toBeUndefined();
    expect(brief(other)).toEqual([1, 3]);
    await expect.poll(() => known(own.url, project(43))).toEqual([7]);
  }, 90_000);

  it('keeps what a gate has no room for', async () => {
    const url = await server.database();
    const one = await open(url);
    const large = { ...holding(1), name: 'x'.repeat(20_000_000) };
    const leaseOf = (id: number) => one.lease(project(id), { isShared: true, body: {}, isGone: () => false });
    learn(one, project(1), large);
    await expect.poll(() => known(url, project(1))).toEqual([1]);
    const held = await leaseOf(1);
    learn(one, project(2), large);
    expect(brief(one, project(1))).toEqual([]);
    await held?.release();
    await expect.poll(() => known(url, project(2))).toEqual([1]);
    await (await leaseOf(1))?.release();
    expect(brief(one, project(1))).toEqual([1]);
    await one.close();
    const rows = await one.database.query(
      'SELECT id, json_array_length(states) AS count FROM patchgate_record ORDER BY id',
    );
    expect(rows).toEqual([
      { id: '1', count: 1 },
      { id: '2', count: 1 },
    ]);
  });

  it('that was put back to an older state is written on', async () => {
    const url = await server.database();
    const one = await open(url);
    await patch(one, 1, 2);
    await patch(one, 1, 3);
    const own = await lease(one);
    const older = JSON.stringify([{ base: '/api/v2', account: 'current', record: holding(1, 2) }]);
    await one.database.query('UPDATE patchgate_record SET version = 1, states = $1', [older]);
    learn(one, NAME, holding(1, 4));
    await own.release();
    expect(await known(url)).toEqual([1, 2, 4]);
  });

  it('shows a gate that starts what is known, whatever PATCHes of other ids have left', async () => {
    const url = await server.database();
    const one = await open(url);
    await one.database.query(
      "INSERT INTO patchgate_record (namespace, service, kind, id) SELECT 'default', $1, 'project', '0' || generate_series(1, 20000)",
      [SERVICE],
    );
    see(one, NAME, 1);
    await expect.poll(() => known(url)).toEqual([1]);
  });

  it('gets the rest where it does not take one of them', async () => {
    const url = await server.database();
    const one = await open(url);
    see(one, project('a\0b'), 1);
    see(one, NAME, 1, 2);
    await expect.poll(() => known(url)).toEqual([1, 2]);
    await expect.poll(() => one.trouble?.message).toMatch(/invalid byte sequence/);
  });

  it('that takes too long for what is written is told as well', async () => {
    const one = await open(await server.database());
    const { query } = one.database;
    await query(
      "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'time-out' USING ERRCODE = '57014'; END $$",
    );
    await query('CREATE TRIGGER slow BEFORE INSERT ON patchgate_record EXECUTE FUNCTION slow()');
    see(one, NAME, 1);
    await expect.poll(() => one.notices).toEqual([expect.stringMatching(/^WHAT IS KNOWN .*: time-out$/)]);
    await expect(lease(one)).rejects.toMatchObject({ code: 'store-unavailable' });
  });

  it('that refuses what is written is told once', async () => {
    const url = await server.database();
    const one = await open(url);
    await one.database.query('ALTER TABLE patchgate_record RENAME TO other');
    see(one, NAME, 1);
    await expect.poll(() => one.trouble?.message).toMatch(/patchgate_record.* does not exist/);
    await expect(lease(one)).rejects.toThrow(/does not exist/);
    await one.database.query('ALTER TABLE other RENAME TO patchgate_record');
    await expect.poll(() => one.trouble).toBeUndefined();
    expect(await known(url)).toEqual([1]);
    expect(one.notices).toEqual([expect.stringMatching(/^WHAT IS KNOWN CANNOT BE WRITTEN to postgres:/)]);
  });
});
