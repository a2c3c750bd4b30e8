/** The JSONTestSuite's parse files as bodies: what is no JSON never passes, what passes arrives byte for byte. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FEATURE_URL, PROJECT_URL } from '../support/gate.ts';
import { type InProcess, startGate } from '../support/in-process.ts';
import { sendRaw } from '../support/raw.ts';
import { startTarget, type Target } from '../support/target.ts';

const FOLDER = fileURLToPath(new URL('../corpus/json-test-suite/test_parsing/', import.meta.url));
const names = readdirSync(FOLDER);
const starting = (letter: string) => names.filter((name) => name.startsWith(`${letter}_`));
const bytesOf = (name: string) => readFileSync(FOLDER + name);

/** Valid, but readers take different members from it. */
const DUPLICATES = /^y_object_duplicated_key/;

let target: Target;
let gate: InProcess;
beforeAll(async () => {
  target = await startTarget();
  gate = await startGate({ target: target.url });
});
beforeEach(() => {
  target.received.length = 0;
});

async function send(path: string, body: Buffer): Promise<number> {
  const headers = [['Content-Type', 'application/json']] as const;
  return (await sendRaw(gate.port, { method: 'PATCH', path, headers, body })).status;
}

/** Puts a document where the contract leaves open what stands there. */
function within(document: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from('{"variables":[{"defaultValue":'),
    document,
    Buffer.from(' , "dataType":"other"}]}'),
  ]);
}

const arrived = () => target.received.map(({ body }) => body);

it('is there whole', () => {
  expect(['y', 'n', 'i'].map((letter) => starting(letter).length)).toEqual([95, 188, 35]);
});

describe('what is no JSON', () => {
  it.each(starting('n'))('%s is blocked', async (name) => {
    const status = await send(PROJECT_URL, bytesOf(name));
    expect(status).toBe(/^n_structure_(100000_opening_arrays|open_array_object)\./.test(name) ? 413 : 400);
    expect(arrived()).toEqual([]);
  });

  it.each(starting('n'))('%s is blocked as a value within a body', async (name) => {
    expect([400, 413]).toContain(await send(FEATURE_URL, within(bytesOf(name))));
    expect(arrived()).toEqual([]);
  });
});

describe('JSON', () => {
  it.each(starting('y'))('%s is judged as a project', async (name) => {
    expect(await send(PROJECT_URL, bytesOf(name))).toBe(422);
    expect(arrived()).toEqual([]);
  });

  it.each(starting('y'))('%s arrives byte for byte as a value within a body', async (name) => {
    const body = within(bytesOf(name));
    expect(await send(FEATURE_URL, body)).toBe(DUPLICATES.test(name) ? 422 : 200);
    expect(arrived()).toEqual(DUPLICATES.test(name) ? [] : [body]);
  });
});

describe('what parsers disagree on', () => {
  it.each(starting('i'))('%s is blocked as a project', async (name) => {
    expect([400, 413, 422]).toContain(await send(PROJECT_URL, bytesOf(name)));
    expect(arrived()).toEqual([]);
  });

  it.each(starting('i'))('%s is blocked or arrives byte for byte within a body', async (name) => {
    const body = within(bytesOf(name));
    const status = await send(FEATURE_URL, body);
    expect([200, 400, 413, 422]).toContain(status);
    expect(arrived()).toEqual(status === 200 ? [body] : []);
  });
});
