/** The corpus of attempts to get round the gate, over bare sockets: see test/corpus/bypass/README.md. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeGates, type InProcess, startGate } from '../support/in-process.ts';
import { objections } from '../support/oracle/objections.ts';
import { sendRaw } from '../support/raw.ts';
import { closeTargets, startTarget, type Target } from '../support/target.ts';

interface Corpus {
  about: string;
  cases: readonly {
    name: string;
    /** What it hopes for. */
    tries: string;
    /** As it goes over the wire, one character an octet. */
    request: string;
    /** The status that the gate answers with; `passes`: it arrives as it was sent; `any`: it may, if it is harmless. */
    outcome: string;
  }[];
}

const FOLDER = fileURLToPath(new URL('../corpus/bypass/', import.meta.url));
const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));

let target: Target;
let gate: InProcess;
beforeAll(async () => {
  target = await startTarget();
  gate = await startGate({ target: target.url });
});
beforeEach(() => {
  target.received.length = 0;
});
afterAll(async () => {
  await closeGates();
  await closeTargets();
});

describe.each(files)('%s', (file) => {
  const { cases }: Corpus = JSON.parse(readFileSync(FOLDER + file, 'utf8'));

  it.each(cases)('$name: $outcome', async ({ request, outcome }) => {
    const { status } = await sendRaw(gate.port, request);
    expect(target.received.flatMap((received) => objections(received))).toEqual([]);
    if (outcome === 'any') return;
    expect(String(status)).toBe(outcome === 'passes' ? '200' : outcome);
    const body = Buffer.from(request.slice(request.indexOf('\r\n\r\n') + 4), 'latin1');
    expect(target.received.map((received) => received.body)).toEqual(outcome === 'passes' ? [body] : []);
  });
});
