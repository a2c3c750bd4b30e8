// @module-tag postgres
import { beforeAll, describe, expect, it } from 'vitest';
import { Approvals } from '../../src/guard/approvals.ts';
import { PgApprovals } from '../../src/postgres/approvals.ts';
import type { Database } from '../../src/postgres/database.ts';
import { ABOUT, ANNA, describeApprovals, type SuiteOptions, subject } from '../support/approvals-suite.ts';
import { laterRefusal } from '../support/errors.ts';
import { openAt, type Postgres, startPostgres } from '../support/postgres.ts';

const SERVICE = 'https://api.example.com';
const APPROVE = { decision: 'approve' } as const;

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);

const approvalsIn = (database: Database, { lifetime = 60_000, approvers }: SuiteOptions = {}) =>
  new Approvals({ book: new PgApprovals(database, SERVICE), lifetime, approvers });

/** Those of several gates, each with a pool of its own. */
async function gates(count: number, options?: SuiteOptions): Promise<Approvals[]> {
  const url = await server.database();
  const databases = await Promise.all(Array.from({ length: count }, () => openAt(url)));
  return databases.map((database) => approvalsIn(database, options));
}

/** @param seconds ago */
const expire = (database: Database, id: string | undefined, seconds: number) =>
  database.query(
    `UPDATE patchgate_approval SET expires_at = now() - $2 * interval '1 second' WHERE id = $1`,
    [id, seconds],
  );

describe('in a database', { tags: 'slow' }, () => {
  describeApprovals('those of all gates', async (options) =>
    approvalsIn(await openAt(await server.database()), options),
  );

  it('a token of one gate is used by another, by one of many and once', async () => {
    const all = await gates(5);
    const [first] = all as [Approvals];
    const { id, token } = await first.issue(subject(), ABOUT);
    const clients = Array.from({ length: 20 }, (_, i) => all[i % all.length] as Approvals);
    const used = await Promise.all(clients.map((gate) => gate.use(token, subject())));
    expect(used.filter((one) => !('refused' in one))).toEqual([{ id }]);
    expect(used.filter((one) => 'refused' in one)).toHaveLength(19);
    expect(await first.get(id)).toMatchObject({ status: 'used' });
  });

  it('of many that decide at many gates at once, one does', async () => {
    const all = await gates(4, { approvers: ANNA });
    const { id } = await (all[0] as Approvals).issue(subject(), ABOUT);
    const decided = all.map((gate, i) =>
      gate.decide(id, { decision: i % 2 ? 'approve' : 'decline' }, i % 2 ? 'anna' : 'ben').then(
        ({ isNew }) => isNew,
        ({ code }) => code,
      ),
    );
    expect((await Promise.all(decided)).filter((one) => one === true)).toHaveLength(1);
  });

  it('a use and a refusal at once leave one of them', async () => {
    const [one, other] = (await gates(2)) as [Approvals, Approvals];
    for (let round = 0; round < 20; round++) {
      const { id, token } = await one.issue(subject(), ABOUT);
      const [used, declined] = await Promise.all([
        one.use(token, subject()),
        other.decide(id, { decision: 'decline' }).catch(() => undefined),
      ]);
      expect((await one.get(id))?.status).toBe(declined ? 'declined' : 'used');
      expect('refused' in used).toBe(declined !== undefined);
    }
  });

  it('other services know nothing of it', async () => {
    const url = await server.database();
    const own = approvalsIn(await openAt(url));
    const { id, token } = await own.issue(subject(), ABOUT);
    const database = await openAt(url);
    const ofOtherService = new Approvals({
      book: new PgApprovals(database, 'https://other.example'),
      lifetime: 60_000,
    });
    for (const other of [ofOtherService]) {
      expect(await other.use(token, subject())).toMatchObject({ isUnknown: true });
      expect(await other.get(id)).toBeUndefined();
      expect(await other.list()).toEqual([]);
      await laterRefusal('not-found', other.decide(id, APPROVE));
    }
  });

  it('the token itself is not in the table', async () => {
    const database = await openAt(await server.database());
    const { token } = await approvalsIn(database).issue(subject(), { ...ABOUT, exchange: 7 });
    const text = JSON.stringify(await database.query('SELECT * FROM patchgate_approval'));
    expect(text).not.toContain(token);
    expect(text).not.toContain('exchange');
  });

  it('whom an approver of another gate let pass waits where that one is none', async () => {
    const database = await openAt(await server.database());
    const [both, one] = [
      approvalsIn(database, { approvers: ANNA }),
      approvalsIn(database, { approvers: new Set(['ben']) }),
    ];
    const { id, token } = await both.issue(subject(), ABOUT);
    await both.decide(id, APPROVE, 'anna');
    expect(await one.use(token, subject())).toMatchObject({ pending: id });
    expect(await one.get(id)).toMatchObject({ status: 'pending', decidedBy: undefined });
    await one.decide(id, APPROVE, 'ben');
    expect(await one.use(token, subject())).toEqual({ id });
  });

  it('those that have expired go when nobody remembers them, and no others', async () => {
    const database = await openAt(await server.database());
    const approvals = approvalsIn(database, { lifetime: 10_000 });
    const [young, old, used] = await Promise.all(
      [1, 2, 3].map((session) => approvals.issue(subject({ session: `${session}` }), ABOUT)),
    );
    await approvals.use(used?.token as string, subject({ session: '3' }));
    await expire(database, young?.id, 49);
    await expire(database, old?.id, 51);
    await expire(database, used?.id, 51);
    const { id } = await approvals.issue(subject(), ABOUT);
    expect((await approvals.list()).map((one) => one.id)).toEqual([id, young?.id]);
  });

  it('without the database nothing is issued, used or decided; one that was used stays so', async () => {
    const own = await startPostgres();
    const approvals = approvalsIn(await openAt(own.url));
    const other = subject({ session: 'two' });
    const [used, open_] = [await approvals.issue(other, ABOUT), await approvals.issue(subject(), ABOUT)];
    await approvals.use(used.token, other);
    await own.kill();
    for (const asked of [
      () => approvals.issue(subject(), ABOUT),
      () => approvals.use(open_.token, subject()),
      () => approvals.whyNot(open_.token, subject()),
      () => approvals.decide(open_.id, APPROVE),
      () => approvals.list(),
    ])
      await laterRefusal('store-unavailable', asked());
    await own.start();
    await expect
      .poll(() => approvals.use(open_.token, subject()).catch(() => undefined))
      .toEqual({ id: open_.id });
    expect(await approvals.use(used.token, other)).toMatchObject({
      refused: 'the approval was used already',
    });
  });
});
