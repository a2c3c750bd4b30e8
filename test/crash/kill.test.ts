/** What a client received whole is kept, whenever the recorder is killed. */
import { expect, it } from 'vitest';
import { crashRounds } from '../support/crash-rounds.ts';

/** CRASH_SEED repeats the choices of a run, though not the moments to the microsecond. */
const SEED = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 60);

it(`loses nothing in ${ROUNDS} rounds`, async () => {
  process.stdout.write(`${ROUNDS} rounds, CRASH_SEED=${SEED}\n`);
  const tally = await crashRounds(ROUNDS, SEED);
  process.stdout.write(`${JSON.stringify(tally)}\n`);
  expect(tally).toMatchObject({ rounds: ROUNDS });
  // Were there no requests, it would show nothing.
  expect(tally.received).toBeGreaterThan(ROUNDS * 20);
});
