import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { Exchange } from '../../../src/model/exchange.ts';
import { requestKey } from '../../../src/recordings/matching/request-key.ts';
import { openStore } from '../../../src/recordings/open-store.ts';
import type { RecordingStore } from '../../../src/recordings/store.ts';
import { exchange, plainOf, stringifyRecording, whole } from '../../support/exchanges.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const COUNT = 50;
const ALL = Array.from({ length: COUNT }, (_, i) =>
  exchange({ path: '/x', query: `i=${i}`, answer: { text: `answer ${i}` } }),
);

const LONG_AGO = new Date('2026-01-01T00:00:00Z');

let folder: string;
let file: string;

beforeEach(async () => {
  folder = temporaryFolder();
  file = join(folder, 'r', 'x', 'PATCH.json');
  await record(ALL);
  utimesSync(file, LONG_AGO, LONG_AGO);
});

async function record(exchanges: readonly Exchange[]): Promise<void> {
  const store = await open({ writable: true });
  for (const one of exchanges) store.append(plainOf(one));
  await store.close();
}

function open(options: { writable?: boolean } = {}): Promise<RecordingStore> {
  return openStore(folder, 'r', { ...options, largeBytes: 0 });
}

async function reader(): Promise<RecordingStore> {
  const store = await open();
  onTestFinished(() => store.close());
  return store;
}

async function answers(store: RecordingStore): Promise<unknown[]> {
  const found = await store.find('PATCH', '/x');
  return found.map((one) => (whole(one).response.body as { text: string }).text);
}

/** Into the very file, as some editors do, and so that its size and time tell nothing. */
function edit(before: string, after: string): void {
  const changed = () => statSync(file, { bigint: true }).ctimeNs;
  const lastChanged = changed();
  const text = readFileSync(file, 'utf8').replace(before, after);
  // The clock of a file system may stand still for some milliseconds.
  do {
    writeFileSync(file, text);
    utimesSync(file, LONG_AGO, LONG_AGO);
  } while (changed() === lastChanged);
}

const EXPECTED = ALL.map((_, i) => `answer ${i}`);

it.each([
  ['of the same size', 'edited 7'],
  ['of another size', 'an answer that is much longer than it was'],
])('what was edited while it is in use is read again: a text %s', async (_, text) => {
  const store = await reader();
  expect(await answers(store)).toEqual(EXPECTED);
  edit('answer 7', text);
  expect(await answers(store)).toEqual(EXPECTED.with(7, text));
});

it('what was edited into something broken is refused by its line, until it is corrected', async () => {
  const store = await reader();
  expect(await answers(store)).toEqual(EXPECTED);
  edit('"answer 7"', 'answer__7_');
  await expect(answers(store)).rejects.toMatchObject({ code: 'bad-recording' });
  edit('answer__7_', '"answer 7"');
  expect(await answers(store)).toEqual(EXPECTED);
});

/** Where exchanges of a query are found. */
async function found(store: RecordingStore, query: string): Promise<readonly number[]> {
  const exchanges = await store.look('PATCH', '/x');
  return exchanges.withKey(requestKey(exchange({ path: '/x', query }).request));
}

it('what was edited between two runs is not found by the index of the first', async () => {
  const first = await open();
  expect(await found(first, 'i=7')).toEqual([7]);
  await first.close();
  edit('"i=7"', '"i=q"');
  const store = await reader();
  expect(await found(store, 'i=7')).toEqual([]);
  expect(await found(store, 'i=q')).toEqual([7]);
});

it.each(['i=q', 'i=a-longer-one'])('what was edited while it is recorded into stays: %s', async (query) => {
  const store = await open({ writable: true });
  expect(await found(store, 'i=7')).toEqual([7]);
  edit('"i=7"', `"${query}"`);
  store.append(plainOf(exchange({ path: '/x', query: 'new' })));
  await store.flush();
  const expectAll = async (one: RecordingStore) => {
    expect(await found(one, 'i=7')).toEqual([]);
    expect(await found(one, query)).toEqual([7]);
    expect(await found(one, 'new')).toEqual([COUNT]);
  };
  await expectAll(store);
  await store.close();
  await expectAll(await reader());
});

it('the session of each is known without reading it, by the index and behind it', async () => {
  const sessions = ['one', undefined, 'two "x"', 'one'];
  const named = sessions.map((session) =>
    exchange({ path: '/y', ...(session !== undefined && { session }) }),
  );
  const store = await open({ writable: true });
  for (const one of named) store.append(plainOf(one));
  await store.flush();
  const expectAll = async (one: RecordingStore, all: readonly (string | undefined)[]) => {
    const kept = await one.look('PATCH', '/y');
    expect(Array.from({ length: kept.length }, (_, i) => kept.sessionOf(i) || undefined)).toEqual(all);
  };
  await expectAll(store, sessions);
  store.append(plainOf(exchange({ path: '/y', session: 'three' })));
  await expectAll(store, [...sessions, 'three']);
  await store.flush();
  await expectAll(store, [...sessions, 'three']);
  await store.close();
  // By the index that was kept.
  await expectAll(await reader(), [...sessions, 'three']);
});

it('an index that a reader makes is hidden from git, and one file does so', async () => {
  const hidden = join(folder, 'r', '.patchgate');
  await rm(hidden, { recursive: true, force: true });
  expect(await answers(await reader())).toEqual(EXPECTED);
  expect(readFileSync(join(hidden, '.gitignore'), 'utf8')).toBe('*\n');
  expect(await readdir(join(hidden, 'index'))).toEqual(['x']);
  expect(existsSync(join(hidden, 'index', '.gitignore'))).toBe(false);
});

it('exchanges that are longer than what is read at once are found, among short ones', async () => {
  const long = [1, 2, 3].map((i) =>
    exchange({ path: '/x', query: `long=${i}`, answer: { text: `${i}`.repeat(300_000 * i) } }),
  );
  writeFileSync(file, stringifyRecording([...ALL, ...long, ...ALL]));
  expect((await answers(await reader())).map((text) => (text as string).length)).toEqual(
    [...EXPECTED, 'x'.repeat(300_000), 'x'.repeat(600_000), 'x'.repeat(900_000), ...EXPECTED].map(
      ({ length }) => length,
    ),
  );
});
