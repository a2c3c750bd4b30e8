/** The corpus of attempts to get round the gate, over bare sockets: see test/corpus/bypass/README.md. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { objections } from '../fuzz/oracle/objections.ts';
import { type InProcess, startGate } from '../support/in-process.ts';
import { sendRaw } from '../support/raw.ts';
import { startTarget, type Target } from '../support/target.ts';

interface Corpus {
  about: string;
  /** What the target's URL has behind its host. */
  targetPath?: string;
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
beforeAll(async () => {
  target = await startTarget();
});
beforeEach(() => {
  target.received.length = 0;
});

describe.each(files)('%s', (file) => {
  const { cases, targetPath = '' }: Corpus = JSON.parse(readFileSync(FOLDER + file, 'utf8'));
  let gate: InProcess;
  beforeAll(async () => {
    gate = await startGate({ target: target.url + targetPath, host: '0.0.0.0' });
  });

  it.each(cases)('$name: $outcome', async ({ request, outcome }) => {
    // Nothing is known of what the case before it has changed.
    for (const base of ['', '/api/v2'])
      await fetch(`${gate.url}${base}/accounts/current/projects/42`, { method: 'DELETE' });
    target.received.length = 0;
    const { status } = await sendRaw(gate.port, request);
    expect(target.received.flatMap((received) => objections(received))).toEqual([]);
    if (outcome === 'any') return;
    expect(String(status)).toBe(outcome === 'passes' ? '200' : outcome);
    const body = Buffer.from(request.slice(request.indexOf('\r\n\r\n') + 4), 'latin1');
    expect(target.received.map((received) => received.body)).toEqual(outcome === 'passes' ? [body] : []);
  });
});
