// @module-tag postgres
/** The short form of `npm run fleet`: two gates on one database, one of them killed, the database restarted. */
import { expect, it } from 'vitest';
import { runFleet } from '../support/fleet.ts';
import { startPostgres } from '../support/postgres.ts';

it('two gates announce, approve once, and record all', { tags: 'slow', timeout: 120_000 }, async () => {
  const postgres = await startPostgres();
  const url = await postgres.database();
  const store = { ...postgres, url, directUrl: url };
  const { counts, wrong } = await runFleet({
    gates: 2,
    clients: 20,
    seconds: 5,
    seed: 4930,
    events: 2,
    store,
  });
  expect(wrong).toEqual([]);
  for (const [name, count] of Object.entries(counts)) expect({ [name]: count }).not.toEqual({ [name]: 0 });
});
