/** Whatever reaches the target is, to every reader of bodies and paths, a PATCH that is valid, or none of a record. */
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { type InProcess, startGate } from '../support/in-process.ts';
import { sendRaw } from '../support/raw.ts';
import { runs } from '../support/rounds.ts';
import { startTarget, type Target } from '../support/target.ts';
import { hostileRequest } from './hostile.ts';
import { objections } from './oracle/objections.ts';

const COUNT = runs('hostile requests', 500, 50_000);

let target: Target;
/** Paths are matched and built differently, if the target has one of its own. */
const gates: InProcess[] = [];
beforeAll(async () => {
  target = await startTarget();
  for (const path of ['', '/api/v2']) gates.push(await startGate({ target: target.url + path }));
});

it(`lets none of ${COUNT} hostile requests round it`, async () => {
  let blocked = 0;
  let arrived = 0;
  await fc.assert(
    fc.asyncProperty(hostileRequest, fc.nat(1), async (bytes, which) => {
      target.received.length = 0;
      await send(gates[which]?.port ?? 0, bytes);
      const found = target.received.flatMap((received) => objections(received));
      expect(found, bytes.toString('latin1')).toEqual([]);
      if (target.received.length > 0) arrived++;
      else blocked++;
    }),
    { numRuns: COUNT, timeout: 10_000 },
  );
  // Were they all refused, it would show nothing.
  expect(arrived).toBeGreaterThan(COUNT / 20);
  expect(blocked).toBeGreaterThan(COUNT / 20);
});

/** A connection that is closed without an answer is one that led nowhere. */
async function send(port: number, bytes: Buffer): Promise<void> {
  try {
    await sendRaw(port, bytes);
  } catch (error) {
    if (!/closed (?:without|after)|ECONNRESET|EPIPE/.test(String(error))) throw error;
  }
}
