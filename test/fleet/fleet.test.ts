// @module-tag postgres
// @module-tag pgbouncer
/** What several gates on one database promise, whenever one of them is killed or the database goes. */
import { describe, expect, it } from 'vitest';
import { type FleetOptions, runFleet } from '../support/fleet.ts';
import { startPgbouncer } from '../support/pgbouncer.ts';
import { startPostgres } from '../support/postgres.ts';

const SEED = Number(process.env.FLEET_SEED ?? Math.floor(Math.random() * 2 ** 31));
const SECONDS = Number(process.env.FLEET_SECONDS ?? 20);

/** Three gates, 50 clients. */
async function run(options: Partial<FleetOptions> = {}) {
  process.stdout.write(`${SECONDS} s, FLEET_SEED=${SEED}\n`);
  const events = Math.round(SECONDS / 2.5);
  const report = await runFleet({
    ...{ gates: 3, clients: 50, seconds: SECONDS, seed: SEED, events },
    ...options,
  });
  process.stdout.write(`${JSON.stringify(report)}\n`);
  return report;
}

describe('one gate with files', () => {
  it('announces what it deletes', async () => {
    const { counts, wrong } = await run({ gates: 1 });
    expect(wrong).toEqual([]);
    expect(counts.deletions).toBeGreaterThan(SECONDS / 2);
  });
});

describe('gates with files of their own', () => {
  it('delete what they know nothing of: the test sees it', async () => {
    expect((await run()).wrong.length).toBeGreaterThan(0);
  });
});

describe('gates on one database', () => {
  it.each(['at once', 'through pgbouncer'])('announce, approve once, and record all: %s', async (how) => {
    const postgres = await startPostgres();
    const directUrl = await postgres.database();
    const url = how === 'at once' ? directUrl : await startPgbouncer(directUrl);
    const { counts, wrong } = await run({ store: { ...postgres, url, directUrl } });
    expect(wrong).toEqual([]);
    expect(Math.min(counts.deletions, counts.tokensUsed)).toBeGreaterThan(SECONDS / 2);
    expect(Math.min(counts.refused, counts.passed)).toBeGreaterThan(0);
  });
});
