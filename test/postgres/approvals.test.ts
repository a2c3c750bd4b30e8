// @module-tag postgres
import { beforeAll, describe, expect, it } from 'vitest';
import { Approvals } from '../../src/guard/approvals.ts';
import { PgApprovals } from '../../src/postgres/approvals.ts';
import type { Database } from '../../src/postgres/database.ts';
import { ABOUT, ANNA, describeApprovals, type SuiteOptions, subject } from '../guard/approvals-suite.ts';
import { openAt, type Postgres, startPostgres } from '../support/postgres.ts';

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);

const approvalsIn = (
  database: Database,
  { lifetime = 60_000, approvers }: SuiteOptions = {},
  service = 'https://api.example.com',
) => new Approvals({ book: new PgApprovals(database, service), lifetime, approvers });

/** Those of several gates, each with a pool of its own. */
async function gates(count: number, options?: SuiteOptions): Promise<Approvals[]> {
  const url = await server.database();
  const databases = await Promise.all(Array.from({ length: count }, () => openAt(url)));
  return databases.map((database) => approvalsIn(database, options));
}

describe('in a database', { tags: 'slow' }, () => {
  describeApprovals('those of all gates', async (options) =>
    approvalsIn(await openAt(await server.database()), options),
  );

  it('a token of one gate is used by another, by one of many and once', async () => {
    const all = await gates(5);
    const { id, token } = await (all[0] as Approvals).issue(subject(), ABOUT);
    const clients = Array.from({ length: 20 }, (_, i) => all[i % all.length] as Approvals);
    const used = await Promise.all(clients.map((gate) => gate.use(token, subject())));
    expect(used.filter((one) => !('refused' in one))).toEqual([{ id }]);
  });

  it('of many that decide at many gates at once, one does', async () => {
    const all = await gates(4, { approvers: ANNA });
    const { id } = await (all[0] as Approvals).issue(subject(), ABOUT);
    const decided = all.map((gate, i) =>
      gate.decide(id, { decision: i % 2 ? 'approve' : 'decline' }, i % 2 ? 'anna' : 'ben').then(
        ({ decidedBy }) => decidedBy,
        ({ code }) => code,
      ),
    );
    expect(new Set((await Promise.all(decided)).filter((one) => one !== 'not-pending')).size).toBe(1);
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

  it('other services know nothing of it, and the token itself is not in the table', async () => {
    const database = await openAt(await server.database());
    const { id, token } = await approvalsIn(database).issue(subject(), { ...ABOUT, exchange: 7 });
    const other = approvalsIn(database, {}, 'https://other.example');
    expect(await other.use(token, subject())).toMatchObject({ isUnknown: true });
    expect([await other.get(id), await other.list()]).toEqual([undefined, []]);
    const text = JSON.stringify(await database.query('SELECT * FROM patchgate_approvals'));
    expect(text).not.toContain(token);
    expect(text).not.toContain('exchange');
  });

  it('those that have expired go when nobody remembers them, and no others', async () => {
    const database = await openAt(await server.database());
    const approvals = approvalsIn(database, { lifetime: 10_000 });
    const expired = async (session: string, seconds: number) => {
      const { id } = await approvals.issue(subject({ session }), ABOUT);
      await database.query(
        `UPDATE patchgate_approvals SET expires_at = now() - $2 * interval '1 second' WHERE id = $1`,
        [id, seconds],
      );
      return id;
    };
    const young = await expired('1', 49);
    await expired('2', 51);
    const { id } = await approvals.issue(subject(), ABOUT);
    expect((await approvals.list()).map((one) => one.id)).toEqual([id, young]);
  });
});
