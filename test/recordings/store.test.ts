import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import { openStore, type RecordingStore, type StoreOptions } from '../../src/recordings/store.ts';
import { exchange, PROJECT_PATH, plainOf, stringifyRecording } from '../support/exchanges.ts';
import { leaveAsKilled } from '../support/killed.ts';
import { filesBelow, find, turn } from '../support/recordings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { describeStore } from './store-suite.ts';

let folder: string;
let root: string;
let file: string;
beforeEach(() => {
  use(temporaryFolder());
});

function use(other: string): void {
  folder = other;
  root = join(folder, 'r');
  file = join(root, PROJECT_PATH, 'PATCH.json');
}

const hidden = (name = '') => join(root, '.patchgate', name);
const write = (options: StoreOptions = {}) => openStore(folder, 'r', { mode: 'append', ...options });
const kept = async (...place: [method?: string, path?: string]) =>
  find(await openStore(folder, 'r'), ...place);

function append(store: RecordingStore, ...exchanges: Exchange[]): RecordingStore {
  for (const one of exchanges) store.append(plainOf(one));
  return store;
}

/** Goes on with the folder as a process leaves it that is killed now. */
function killed(): void {
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true });
  leaveAsKilled(copy);
  use(copy);
}

/** A folder in which a process was killed after these were appended. */
async function leave(...exchanges: Exchange[]): Promise<void> {
  const store = append(await write(), ...exchanges);
  await turn();
  killed();
  await store.close();
}

function writeBelow(name: string, text: string | Buffer): void {
  mkdirSync(dirname(name), { recursive: true });
  writeFileSync(name, text);
}

const ONE = exchange({ answer: { text: 'one' } });
const TWO = exchange({ answer: { text: 'two' }, recordedAt: '2026-11-20T12:00:01.000Z' });

describeStore('the store of files', async () => {
  const place = temporaryFolder();
  return { open: (replaces = false) => openStore(place, 'r', { mode: replaces ? 'all' : 'append' }) };
});

describe('the files', () => {
  it('are a tree that mirrors the API, and nothing else is left', async () => {
    await append(await write(), ONE, exchange({ method: 'GET', path: '/' })).close();
    expect(Object.keys(filesBelow(root)).sort()).toEqual([
      `${PROJECT_PATH.slice(1)}/PATCH.json`,
      '~/GET.json',
    ]);
    expect(readFileSync(file, 'utf8')).toBe(stringifyRecording([ONE]));
  });

  it('are written without anybody asking for it, and again for what comes meanwhile', {
    tags: 'slow',
  }, async () => {
    const store = await write();
    for (let i = 0; i < 1000; i++) append(store, exchange({ query: `n=${i}` }));
    await expect.poll(() => filesBelow(root)).toHaveProperty([`${PROJECT_PATH.slice(1)}/PATCH.json`]);
    append(store, exchange({ status: 201 }));
    await expect.poll(() => readFileSync(file, 'utf8').includes('"status": 201')).toBe(true);
    await store.close();
  });

  it('stay byte for byte if the same traffic is recorded again, with pauses or without', async () => {
    // The same request several times, others between them, sessions, and a file that people have laid out anew.
    const traffic = [
      ...['answer 1', 'answer 2'].map((text) => exchange({ query: 'a', answer: { text } })),
      exchange({ query: 'b', answer: { text: 'answer 3' }, session: 'a "test"' }),
      exchange({ query: 'a', answer: { text: 'answer 4' } }),
      exchange({ path: '/other', answer: { text: 'answer 5' } }),
    ];
    const run = async (year: number, pauses: boolean, changed = traffic[3] as Exchange) => {
      const store = await write({ mode: 'all' });
      for (const one of traffic) {
        const again = one === traffic[3] ? changed : one;
        const meta = { ...again.meta, recordedAt: new Date(Date.UTC(year, 0, 1)).toISOString() };
        store.append(plainOf({ ...again, meta }));
        if (pauses) await store.flush();
      }
      await store.close();
      return filesBelow(root);
    };
    const first = await run(2026, false);
    expect(await run(2027, true)).toEqual(first);
    const changed = exchange({ query: 'a', answer: { text: 'answer 4 changed' } });
    await run(2028, true, changed);
    const text = readFileSync(file, 'utf8');
    expect(text.replace('4 changed', '4').replace('2028', '2026')).toBe(
      first[`${PROJECT_PATH.slice(1)}/PATCH.json`],
    );
    writeFileSync(file, JSON.stringify(JSON.parse(text)));
    const laidOut = filesBelow(root);
    expect(await run(2029, true, changed)).toEqual(laidOut);
  });

  it.each([
    ['in one line', (text: string) => JSON.stringify(JSON.parse(text))],
    ['with carriage returns', (text: string) => text.replaceAll('\n', '\r\n')],
    [
      'with a member of their own',
      (text: string) => text.replace('"exchanges"', '"note": "ours",\n  "exchanges"'),
    ],
    ['without exchanges', () => '{"formatVersion":1,"exchanges":[]}'],
  ])('are added to as people have laid them out: %s', async (_, change) => {
    const store = append(await write(), ONE);
    await store.flush();
    const changed = change(readFileSync(file, 'utf8'));
    writeFileSync(file, changed);
    await append(store, TWO).close();
    expect(await kept()).toEqual(changed.includes('[]') ? [TWO] : [ONE, TWO]);
    expect(readFileSync(file, 'utf8').includes('"note": "ours"')).toBe(changed.includes('ours'));
  });

  it('are needed no more once all is loaded', async () => {
    const paths = ['/a', '/a/b', '/a/b/c', '/', '/e/f/g'];
    await append(
      await write(),
      ...paths.map((path) => exchange({ path, answer: { json: { path } } })),
    ).close();
    const reader = await openStore(folder, 'r');
    await reader.load();
    rmSync(folder, { recursive: true });
    expect(Array.from(reader.places(), ({ path }) => path).sort()).toEqual(paths.sort());
    for (const path of [...paths, '/none'])
      expect(reader.exchanges('PATCH', path).all.length).toBe(paths.includes(path) ? 1 : 0);
    expect(reader.exchanges('PATCH', '/a').all[0]?.answer()).toMatchObject({
      body: Buffer.from('{"path":"/a"}'),
    });
  });
});

describe('a broken file', () => {
  it.each(['', '{"formatVersion":1,"exch', '{"formatVersion":2,"exchanges":[]}', Buffer.from([0x7b, 0xff])])(
    'is named and never written over; repaired, it takes what waited: %j',
    async (text) => {
      writeBelow(file, text);
      const store = await write();
      const message = expect.stringContaining(`${file}:1:`);
      const broken = expect.objectContaining({ code: 'bad-recording', message });
      expect(() => find(store)).toThrow(broken);
      append(store, ONE);
      for (let i = 0; i < 2; i++) await expect(store.flush()).rejects.toEqual(broken);
      expect(store.status()?.trouble).toEqual(broken);
      expect(readFileSync(file)).toEqual(Buffer.from(text));
      writeFileSync(file, stringifyRecording([TWO]));
      await store.close();
      expect(store.status()?.trouble).toBeUndefined();
      expect(await kept()).toEqual([TWO, ONE]);
    },
  );
});

describe('a disk that cannot be written', () => {
  it('is told of, loses nothing, and leaves the file as it was', async () => {
    const notices: string[] = [];
    const store = append(await write({ onNotice: (text) => notices.push(text) }), ONE);
    await store.flush();
    const before = readFileSync(file, 'utf8');
    // A file stands where the folders of the path should be: refused to every user, root too.
    const folders = join(root, 'api');
    renameSync(folders, `${folders}.aside`);
    writeFileSync(folders, '');
    append(store, TWO);
    await expect(store.flush()).rejects.toMatchObject({ code: 'cannot-write', hint: expect.any(String) });
    expect(store.status()?.trouble?.message).toContain(file);
    expect(notices).toEqual([expect.stringMatching(/^RECORDING FAILS: .* Nothing is lost/)]);
    rmSync(folders);
    renameSync(`${folders}.aside`, folders);
    expect(readFileSync(file, 'utf8')).toBe(before);
    await store.close();
    expect(notices.at(-1)).toBe(`recording into ${root} works again: nothing is missing`);
    expect(await kept()).toEqual([ONE, TWO]);
  });

  it('keeps frames in memory, is tried again after a while, and has them at the end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const store = await write();
    mkdirSync(hidden('journal.1'));
    append(store, ONE);
    await turn();
    expect(store.status()?.trouble).toMatchObject({
      code: 'cannot-write',
      message: expect.stringContaining(hidden('journal.1')),
    });
    expect(store.status()?.takes).toBe(false);
    rmdirSync(hidden('journal.1'));
    append(store, TWO);
    await turn();
    expect(find(store)).toEqual([ONE, TWO]);
    expect(store.status()?.waiting).toBe(2);
    vi.advanceTimersByTime(1000);
    await expect.poll(() => [store.status()?.waiting, store.status()?.trouble]).toEqual([0, undefined]);
    await store.close();
    expect(await kept()).toEqual([ONE, TWO]);
  });

  it('does not fill the memory: past a bound, exchanges are no longer kept, and that is said', async () => {
    const notices: string[] = [];
    const store = await write({ mostBytes: 10_000, onNotice: (text) => notices.push(text) });
    const big = (letter: string) => exchange({ answer: { text: letter.repeat(6000) } });
    mkdirSync(hidden('journal.1'));
    append(store, big('a'), big('b'), big('c'));
    expect(find(store)).toEqual([big('a'), big('b')]);
    expect(store.status()).toMatchObject({ waiting: 2, lost: 1 });
    expect(notices.at(-1)).toContain('exchanges are lost from now on');
    await expect(store.flush()).rejects.toMatchObject({ code: 'cannot-write' });
    rmdirSync(hidden('journal.1'));
    append(store, big('d'));
    await turn();
    expect(store.status()).toMatchObject({ waiting: 0, lost: 1 });
    await expect(store.close()).rejects.toThrow('1 exchange was not kept');
    expect(await kept()).toEqual([big('a'), big('b'), big('d')]);
  });

  it('may be without the folder, which somebody has removed with what it held', async () => {
    const store = append(await write(), ONE);
    await turn();
    rmSync(root, { recursive: true });
    await append(store, TWO).close();
    expect(await kept()).toEqual([ONE, TWO]);
  });
});

it('a recording that is no folder, or cannot be, stops the start; reading makes none', async () => {
  await expect(openStore(folder, '../x')).rejects.toMatchObject({ code: 'bad-usage' });
  const none = await openStore(join(folder, 'none'), 'r');
  expect([none.isEmpty(), none.status(), readdirSync(folder)]).toEqual([true, undefined, []]);
  writeFileSync(root, '');
  await expect(openStore(folder, 'r')).rejects.toMatchObject({ code: 'cannot-read' });
  await expect(write()).rejects.toMatchObject({ code: 'cannot-write' });
});

it('cuts its journal into segments while one of them is merged', async () => {
  const store = await write({ mostBytes: 10_000 });
  const frames = Array.from({ length: 20 }, (_, i) =>
    exchange({ query: `n=${i}`, answer: { text: 'x'.repeat(6000) } }),
  );
  for (const frame of frames) {
    append(store, frame);
    await turn();
    const segments = readdirSync(hidden()).filter((name) => name.startsWith('journal.'));
    for (const name of segments) expect(statSync(hidden(name)).size).toBeLessThan(20_000);
  }
  await store.close();
  expect(await kept()).toEqual(frames);
});

it('the journal is merged whenever too much waits, and appending goes on', async () => {
  const store = await write({ mostBytes: 100_000 });
  for (let i = 0; i < 300; i++) {
    append(store, exchange({ query: `n=${i}`, answer: { text: 'x'.repeat(1000) } }));
    if (i % 10 === 0) await turn();
  }
  await expect.poll(() => filesBelow(root)).toHaveProperty([`${PROJECT_PATH.slice(1)}/PATCH.json`]);
  await store.close();
  expect((await kept()).map(({ request }) => request.query)).toEqual(
    Array.from({ length: 300 }, (_, i) => `n=${i}`),
  );
});

it('a file may change between two merges of a run that replaces', async () => {
  const queries = (...all: string[]) => all.map((query) => exchange({ query }));
  await append(await write(), ...queries('a', 'b', 'c')).close();
  const store = append(await write({ mode: 'all' }), ...queries('d'));
  await store.flush();
  const { exchanges } = JSON.parse(readFileSync(file, 'utf8')) as { exchanges: Exchange[] };
  writeFileSync(file, stringifyRecording([...exchanges, ...queries('more')]));
  await append(store, exchange({ query: 'a', status: 201 }), ...queries('e')).close();
  const seen = (await kept()).map(({ request, response }) => `${request.query} ${response.status}`);
  expect(seen.sort()).toEqual(['a 201', 'b 200', 'c 200', 'd 200', 'e 200', 'more 200']);
});

describe('a recording that is recorded into', () => {
  it('is refused to a second writer, and open to readers, who merge its journal in memory', async () => {
    const store = await write();
    await expect(write()).rejects.toMatchObject({ code: 'recording-in-use', exitCode: 2 });
    append(store, ONE, exchange({ path: '/other' }));
    await turn();
    expect(readdirSync(hidden()).sort()).toEqual(['.gitignore', 'journal.1', 'lock']);
    expect(readFileSync(hidden('.gitignore'), 'utf8')).toBe('*\n');
    const reader = await openStore(folder, 'r');
    expect(Array.from(reader.places(), ({ path }) => path).sort()).toEqual([PROJECT_PATH, '/other'].sort());
    expect(find(reader)).toEqual([ONE]);
    await append(store, TWO).close();
    // What it has seen stays, whoever merges it.
    expect(find(reader)).toEqual([ONE]);
    expect(find(reader, 'PATCH', '/other')).toHaveLength(1);
    expect(readdirSync(root).sort()).toEqual(['api', 'other']);
    await (await write()).close();
  });

  it('is free again after a start or an end that failed, and leaves what others put there', async () => {
    writeBelow(hidden('journal.1'), 'x\n');
    for (let i = 0; i < 2; i++) await expect(write()).rejects.toMatchObject({ code: 'bad-recording' });
    expect(readdirSync(hidden())).not.toContain('lock');
    rmSync(hidden('journal.1'));
    const store = append(await write(), ONE);
    writeFileSync(hidden('note'), '');
    writeFileSync(join(root, 'api'), '');
    await expect(store.close()).rejects.toMatchObject({ code: 'cannot-write' });
    rmSync(join(root, 'api'));
    await (await write()).close();
    expect(readdirSync(hidden()).sort()).toEqual(['.gitignore', 'note']);
    expect(await kept()).toEqual([ONE]);
  });
});

describe('a journal that was left', () => {
  it('is found by readers, who change nothing, and merged by the next start', async () => {
    await leave(ONE, TWO);
    const before = filesBelow(folder);
    const reader = await openStore(folder, 'r');
    expect(find(reader)).toEqual([ONE, TWO]);
    expect(filesBelow(folder)).toEqual(before);
    const notices: string[] = [];
    const store = await write({ onNotice: (text) => notices.push(text) });
    expect(notices).toEqual([`what an earlier run had left in the journal of ${root} is in its files now`]);
    expect(await kept()).toEqual([ONE, TWO]);
    expect(find(reader)).toEqual([ONE, TWO]);
    await store.close();
    expect(readdirSync(root)).toEqual(['api']);
  });

  it.each([1, 30, 'all but the feed', 'all but the line'])(
    'may end within a frame, which nobody was told of: cut by %s',
    async (cut) => {
      await leave(ONE, TWO);
      const bytes = readFileSync(hidden('journal.1'));
      const line = bytes.length - bytes.lastIndexOf('{"request"');
      const all = { 'all but the feed': 1, 'all but the line': line - 1 } as Record<string, number>;
      truncateSync(hidden('journal.1'), bytes.length - (all[cut] ?? (cut as number)));
      expect(await kept()).toEqual([ONE]);
      await append(await write(), TWO).close();
      expect(await kept()).toEqual([ONE, TWO]);
    },
  );

  it.each([5, 0])('may have been begun only, with %j bytes', async (size) => {
    await leave(ONE);
    truncateSync(hidden('journal.1'), size);
    const store = append(await write(), TWO);
    await turn();
    expect(store.status()?.trouble).toBeUndefined();
    await store.close();
    expect(await kept()).toEqual([TWO]);
  });

  it.each([false, true])(
    'goes on counting the answers of its run; its counts could not be written: %s',
    async (obstacle) => {
      await append(await write(), ONE, TWO, ONE).close();
      const [fresh, again] = [
        exchange({ answer: { text: 'fresh' } }),
        exchange({ answer: { text: 'again' } }),
      ];
      const store = append(await write({ mode: 'all' }), fresh);
      if (obstacle) mkdirSync(hidden('.journal.1.tmp'));
      await store.flush().catch(() => undefined);
      if (obstacle) rmdirSync(hidden('.journal.1.tmp'));
      await store.flush();
      append(store, again);
      await turn();
      killed();
      await store.close();
      // The run has not come to the third.
      for (const mode of [undefined, 'append', undefined] as const) {
        const found = await openStore(folder, 'r', { mode });
        expect(find(found)).toEqual([fresh, again, ONE]);
        await found.close();
      }
    },
  );

  it.each([
    ['hello', '1:1: this is no journal'],
    ['null\n', '1:1: this is no journal'],
    ['\0'.repeat(100), '1:1: this is no journal'],
    ['{"journal":9,"run":"a","mode":"all"}\n', '1:1: the journal is of format 9'],
    ['{"journal":1,"run":"a","mode":"all"}\nX\n', '2:1: this is no exchange'],
    ['{"journal":1,"run":"a","mode":"all","progress":[]}\n', '1:1: this is no progress of a run'],
  ])('stops the start if it is broken or of somebody else, and stays: %s', async (bytes, what) => {
    await leave(ONE);
    const file = hidden('journal.1');
    writeFileSync(file, bytes);
    const broken = { code: 'bad-recording', message: expect.stringContaining(`${file}:${what}`) };
    for (const mode of ['append', undefined] as const)
      await expect(openStore(folder, 'r', { mode })).rejects.toMatchObject(broken);
    expect(readFileSync(file, 'utf8')).toBe(bytes);
  });

  it('is merged whatever the progress of another run says', async () => {
    const store = append(await write({ mode: 'all' }), ONE);
    await store.flush();
    append(store, TWO);
    await turn();
    killed();
    await store.close();
    const progress = readFileSync(hidden('journal.1'), 'utf8');
    writeFileSync(hidden('journal.1'), progress.replace(/"run":"[^"]+"/, '"run":"other"'));
    // It is the first of its run.
    expect(await kept()).toEqual([TWO]);
    await (await write()).close();
    expect(await kept()).toEqual([TWO]);
    expect(readdirSync(root)).toEqual(['api']);
  });

  it('stops the start if a file that it is for is broken, and stays', async () => {
    await leave(ONE);
    writeBelow(file, '{');
    const broken = { code: 'bad-recording', message: expect.stringContaining(`${file}:1:2`) };
    await expect(write()).rejects.toMatchObject(broken);
    expect(readFileSync(hidden('journal.1')).includes('one')).toBe(true);
    rmSync(file);
    await (await write()).close();
    expect(await kept()).toEqual([ONE]);
  });
});

it('closing in time leaves the rest to the next start, and ends with exit code 1', async () => {
  const paths = Array.from({ length: 300 }, (_, i) => `/${i}`);
  const store = append(await write({ closeWithin: 0 }), ...paths.map((path) => exchange({ path })));
  await expect(store.close()).rejects.toMatchObject({
    message: `300 exchanges were not in the files of ${root} yet`,
    hint: expect.stringContaining('nothing is lost'),
    exitCode: 1,
  });
  const reader = await openStore(folder, 'r');
  for (const path of paths) expect(find(reader, 'PATCH', path)).toHaveLength(1);
  await (await write()).close();
  expect(readdirSync(root)).toHaveLength(300);
});
