/** Whatever reaches the target is, to every reader of bodies and paths, a PATCH that is valid, or none of a record. */
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { announce, runs } from '../support/fuzz.ts';
import { hostileRequest } from '../support/hostile/requests.ts';
import { type InProcess, startGate } from '../support/in-process.ts';
import { objections } from '../support/oracle/objections.ts';
import { sendRaw } from '../support/raw.ts';
import { startTarget, type Target } from '../support/target.ts';

const COUNT = runs(500, 50_000);
const BASE = '/api/v2';

let target: Target;
/** Set up in the ways in which paths are matched and built differently. */
const gates: { setUp: string; gate: InProcess }[] = [];
beforeAll(async () => {
  target = await startTarget();
  gates.push(
    { setUp: 'no more than a target', gate: await startGate({ target: target.url }) },
    { setUp: 'a path in the target', gate: await startGate({ target: target.url + BASE }) },
  );
});

it(`lets none of ${COUNT} hostile requests round it`, async () => {
  announce('hostile requests', COUNT);
  let blocked = 0;
  let arrived = 0;
  await fc.assert(
    fc.asyncProperty(hostileRequest, fc.nat(1), async ({ bytes }, which) => {
      target.received.length = 0;
      await send(gates[which]?.gate.port ?? 0, bytes);
      const found = target.received.flatMap((received) => objections(received));
      expect(found, `set up with ${gates[which]?.setUp}`).toEqual([]);
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
