import { cpSync } from 'node:fs';
import {
  chmod,
  cp,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import { openStore, type RecordingStore } from '../../src/recordings/store.ts';
import { exchange, PROJECT_PATH, plainOf, stringifyRecording } from '../support/exchanges.ts';
import { leaveAsKilled } from '../support/killed.ts';
import { find, turn } from '../support/recordings.ts';
import { describeRerecording, describeStore, type StorePlace } from '../support/store-suite.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function newPlace(): Promise<StorePlace> {
  const placeIn = (folder: string): StorePlace => ({
    open: (replaces = false) => openStore(folder, 'r', { writable: true, replaces }),
    async killed() {
      const copy = temporaryFolder();
      // At once: a copy of what changes meanwhile would be of no moment.
      cpSync(folder, copy, { recursive: true });
      leaveAsKilled(copy);
      return placeIn(copy);
    },
  });
  return placeIn(temporaryFolder());
}

describeStore('the store of files', newPlace);
describeRerecording('the store of files', newPlace);

const FILE = ['r', ...PROJECT_PATH.slice(1).split('/'), 'PATCH.json'];

/** The text of a recording with one exchange more, as somebody adds it by hand. */
function oneMore(text: string): string {
  const file = JSON.parse(text) as { exchanges: Exchange[] };
  return JSON.stringify({ ...file, exchanges: [...file.exchanges, exchange({ query: 'more' })] });
}

/** Every file below a folder, with its text. */
async function filesIn(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const read = async (entry: (typeof files)[number]) => {
    const file = join(entry.parentPath, entry.name);
    return [file.slice(folder.length + 1), await readFile(file, 'utf8')] as const;
  };
  return Object.fromEntries(await Promise.all(files.map(read)));
}

describe('the files of the store', () => {
  it('are a tree that mirrors the API, and nothing else is left in it', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true });
    const one = exchange({ body: { json: { a: 1 } } });
    store.append(plainOf(one));
    store.append(plainOf(exchange({ method: 'GET', path: '/' })));
    await store.close();
    const files = await filesIn(folder);
    expect(Object.keys(files).sort()).toEqual([join(...FILE), join('r', '~', 'GET.json')].sort());
    expect(files[join(...FILE)]).toBe(`${JSON.stringify({ formatVersion: 1, exchanges: [one] }, null, 2)}\n`);
  });

  it('are written without anybody asking for it', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true });
    const one = exchange();
    store.append(plainOf(one));
    await expect.poll(() => filesIn(folder)).toHaveProperty([join(...FILE)]);
    store.append(plainOf(exchange({ status: 201 })));
    await expect
      .poll(async () => JSON.parse((await filesIn(folder))[join(...FILE)] as string).exchanges)
      .toHaveLength(2);
  });

  it('are written again for what came while they were written', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true });
    for (let i = 0; i < 1000; i++) store.append(plainOf(exchange({ query: `n=${i}` })));
    const writing = store.flush();
    await new Promise(setImmediate);
    store.append(plainOf(exchange({ status: 201 })));
    await writing;
    const isWritten = async () => (await readFile(join(folder, ...FILE), 'utf8')).includes('"status": 201');
    await expect.poll(isWritten).toBe(true);
    await store.close();
  });

  it('name the session of each exchange, of those too that differ from one another in their time only', async () => {
    const at = (second: number, session?: string) =>
      exchange({
        recordedAt: `2026-01-01T00:00:0${second}.000Z`,
        ...(session !== undefined && { session }),
      });
    const all = [at(0), at(1), at(2, 'a "test"'), at(3, 'a "test"'), at(4, 'b'), at(5)];
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true });
    for (const one of all) store.append(plainOf(one));
    await store.close();
    expect(await readFile(join(folder, ...FILE), 'utf8')).toBe(stringifyRecording(all));
  });

  it('stay byte for byte as they were when the same traffic is recorded again', async () => {
    const folder = temporaryFolder();
    const record = async (recordedAt: string) => {
      const store = await openStore(folder, 'r', { writable: true, replaces: true });
      store.append(plainOf(exchange({ query: 'b', recordedAt })));
      store.append(plainOf(exchange({ query: 'a', answer: { text: '1' }, recordedAt })));
      store.append(plainOf(exchange({ query: 'b', status: 404, recordedAt })));
      store.append(plainOf(exchange({ query: 'a', answer: { text: '2' }, recordedAt })));
      await store.close();
      return filesIn(folder);
    };
    const first = await record('2026-01-01T00:00:00.000Z');
    expect(JSON.parse(first[join(...FILE)] as string).exchanges).toHaveLength(4);
    expect(await record('2027-01-01T00:00:00.000Z')).toEqual(first);
  });
});

describe('a broken file of the store', () => {
  it.each(['', '{"formatVersion":1,"exch', '{"formatVersion":2,"exchanges":[]}'])(
    'is named and never written over: %j',
    async (text) => {
      const folder = temporaryFolder();
      const file = join(folder, ...FILE);
      await mkdir(join(file, '..'), { recursive: true });
      await writeFile(file, text);
      const store = await openStore(folder, 'r', { writable: true });
      const broken = expect.objectContaining({
        code: 'bad-recording',
        message: expect.stringContaining(`${file}:1:`),
      });
      expect(() => find(store)).toThrow(broken);
      const one = exchange();
      store.append(plainOf(one));
      expect(() => find(store)).toThrow(broken);
      store.append(plainOf(one));
      await expect(store.flush()).rejects.toEqual(broken);
      expect(store.trouble).toEqual(broken);
      expect(await readFile(file, 'utf8')).toBe(text);
      // Repaired, it takes what waited.
      await writeFile(file, JSON.stringify({ formatVersion: 1, exchanges: [exchange({ status: 500 })] }));
      await store.close();
      expect(store.trouble).toBeUndefined();
      expect(find(store)).toEqual([exchange({ status: 500 }), one, one]);
    },
  );

  it('is one that is not UTF-8, too', async () => {
    const folder = temporaryFolder();
    const file = join(folder, ...FILE);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, Buffer.from([0x7b, 0xff, 0x7d]));
    const store = await openStore(folder, 'r');
    expect(() => find(store)).toThrow(`${file}:1:1: the line is not valid UTF-8`);
  });
});

describe('trouble with the disk', () => {
  it('is reported, loses nothing, and is over once the disk takes it', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true });
    // A file where a folder must be: refused to every user, root too.
    await writeFile(join(folder, 'r', 'api'), '');
    const one = exchange();
    store.append(plainOf(one));
    await expect(store.flush()).rejects.toMatchObject({ code: 'cannot-write', hint: expect.any(String) });
    expect(store.trouble?.message).toContain(join(folder, ...FILE));
    expect(find(store)).toEqual([one]);
    await rm(join(folder, 'r', 'api'));
    await store.close();
    expect(store.trouble).toBeUndefined();
    expect(find(await openStore(folder, 'r'))).toEqual([one]);
  });

  it('leaves the file as it was, and nothing half written', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true });
    store.append(plainOf(exchange()));
    await store.flush();
    const before = await filesIn(folder);
    // A file stands where the folders of the path should be.
    const folders = join(folder, 'r', 'api');
    await rename(folders, `${folders}.aside`);
    await writeFile(folders, '');
    store.append(plainOf(exchange({ status: 201 })));
    await expect(store.flush()).rejects.toMatchObject({ code: 'cannot-write' });
    await rm(folders);
    await rename(`${folders}.aside`, folders);
    expect(await readFile(join(folder, ...FILE), 'utf8')).toBe(before[join(...FILE)]);
    // Once it can be written, nothing is missing.
    await store.close();
    expect(JSON.parse(await readFile(join(folder, ...FILE), 'utf8')).exchanges).toHaveLength(2);
  });

  it('is not looked at again by each answer, but after a while', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true });
    const obstacle = join(folder, 'r', '.patchgate', 'journal');
    await mkdir(obstacle);
    store.append(plainOf(exchange()));
    await turn();
    await rmdir(obstacle);
    store.append(plainOf(exchange({ query: 'b=2' })));
    await turn();
    expect(store.counts.waiting).toBeGreaterThan(0);
    vi.advanceTimersByTime(1000);
    await expect.poll(() => [store.counts.waiting, store.trouble]).toEqual([0, undefined]);
    await store.close();
  });

  it('does not fill the memory: past a bound, exchanges are no longer kept, and that is said', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true, mostBytes: 10_000 });
    const big = exchange({ answer: { text: 'x'.repeat(6000) } });
    const obstacle = join(folder, 'r', '.patchgate', 'journal');
    await mkdir(obstacle);
    // A file stands where the folders of the path should be, too.
    await writeFile(join(folder, 'r', 'api'), '');
    expect(store.takesExchanges()).toBe(true);
    for (let i = 0; i < 3; i++) store.append(plainOf(big));
    expect(find(store)).toEqual([big, big]);
    expect(store.counts).toEqual({ waiting: 2, lost: 1, journalBytes: 0 });
    expect(store.takesExchanges()).toBe(false);
    await expect(store.flush()).rejects.toMatchObject({ code: 'cannot-write' });
    await rmdir(obstacle);
    await rm(join(folder, 'r', 'api'));
    store.append(plainOf(big));
    expect(find(store)).toEqual([big, big, big]);
    await turn();
    expect(store.counts).toMatchObject({ waiting: 0, lost: 1 });
    expect(store.takesExchanges()).toBe(true);
    await expect(store.close()).rejects.toThrow('1 exchange was not kept');
    expect(JSON.parse(await readFile(join(folder, ...FILE), 'utf8')).exchanges).toHaveLength(3);
  });
});

describe('openStore', () => {
  it('refuses a name that leads elsewhere', async () => {
    await expect(openStore(temporaryFolder(), '../x')).rejects.toMatchObject({ code: 'bad-usage' });
  });

  it('refuses a file in the place of a folder', async () => {
    const folder = temporaryFolder();
    await writeFile(join(folder, 'r'), '');
    await expect(openStore(folder, 'r')).rejects.toMatchObject({ code: 'cannot-read' });
    await expect(openStore(folder, 'r', { writable: true })).rejects.toMatchObject({ code: 'cannot-write' });
  });

  it('makes no folder for reading', async () => {
    const folder = temporaryFolder();
    const store = await openStore(join(folder, 'none'), 'r');
    expect(store.isEmpty()).toBe(true);
    expect(await readdir(folder)).toEqual([]);
  });

  it('takes exchanges only to write, even where its folder is removed', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true });
    await rm(join(folder, 'r'), { recursive: true });
    expect(store.takesExchanges()).toBe(true);
    store.append(plainOf(exchange()));
    await store.close();
    expect((await openStore(folder, 'r')).takesExchanges()).toBe(false);
  });

  it.skipIf(process.getuid?.() === 0)('refuses a folder that cannot be written to', async () => {
    const folder = temporaryFolder();
    await chmod(folder, 0o500);
    await expect(openStore(folder, 'r', { writable: true })).rejects.toMatchObject({ code: 'cannot-write' });
    await chmod(folder, 0o700);
  });
});

describe('recording again, with pauses in which the files are written', () => {
  it('leaves them byte for byte as they were', async () => {
    const folder = temporaryFolder();
    // The same request several times, others between them, and a file that people have laid out anew.
    const traffic = [
      exchange({ query: 'a', answer: { text: 'answer 1' } }),
      exchange({ query: 'a', answer: { text: 'answer 2' } }),
      exchange({ query: 'b', answer: { text: 'answer 3' } }),
      exchange({ query: 'a', answer: { text: 'answer 4' } }),
      exchange({ path: '/other', answer: { text: 'answer 5' } }),
    ];
    const run = async (recordedAt: string, pauses: boolean, changed?: Exchange) => {
      const store = await openStore(folder, 'r', { writable: true, replaces: true });
      for (const one of traffic) {
        const again = one === traffic[3] && changed ? changed : one;
        store.append({ ...plainOf(again), startedAt: Date.parse(recordedAt) });
        if (pauses) await store.flush();
      }
      await store.close();
      return filesIn(folder);
    };
    const first = await run('2026-01-01T00:00:00.000Z', false);
    expect(await run('2027-01-01T00:00:00.000Z', true)).toEqual(first);
    const changed = exchange({ query: 'a', answer: { text: 'answer 4 changed' } });
    const third = await run('2028-01-01T00:00:00.000Z', true, changed);
    const text = third[join(...FILE)] as string;
    expect(text.replace('4 changed', '4').replace('2028', '2026')).toBe(first[join(...FILE)]);
    await writeFile(join(folder, ...FILE), JSON.stringify(JSON.parse(text)));
    const laidOut = await filesIn(folder);
    expect(await run('2029-01-01T00:00:00.000Z', true, changed)).toEqual(laidOut);
    const list = find(await openStore(folder, 'r'));
    expect(list.map(({ meta }) => meta.recordedAt.slice(0, 4))).toEqual(['2026', '2026', '2026', '2028']);
  });
});

describe('a file that people have laid out anew', () => {
  it.each([
    ['in one line', (text: string) => JSON.stringify(JSON.parse(text))],
    ['with carriage returns', (text: string) => text.replaceAll('\n', '\r\n')],
    [
      'with a member of their own',
      (text: string) => text.replace('"exchanges"', '"note": "ours",\n  "exchanges"'),
    ],
    ['without exchanges', () => '{"formatVersion":1,"exchanges":[]}'],
  ])('is added to all the same: %s', async (_, change) => {
    const folder = temporaryFolder();
    const one = exchange({ answer: { text: 'one' } });
    const two = exchange({ answer: { text: 'two' } });
    const store = await openStore(folder, 'r', { writable: true });
    store.append(plainOf(one));
    await store.flush();
    const file = join(folder, ...FILE);
    const changed = change(await readFile(file, 'utf8'));
    await writeFile(file, changed);
    store.append(plainOf(two));
    await store.close();
    const list = find(await openStore(folder, 'r'));
    expect(list).toEqual(changed.includes('[]') ? [two] : [one, two]);
  });
});

describe('while requests come', () => {
  it('the journal is moved into the files whenever too much waits, and appending goes on', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true, mostBytes: 100_000 });
    const big = (i: number) => exchange({ answer: { json: { i, padding: 'x'.repeat(2000) } } });
    let appended = 0;
    const inFile = async () => {
      const text = await readFile(join(folder, ...FILE), 'utf8').catch(() => '');
      return text.split('"i": ').length - 1;
    };
    while ((await inFile()) === 0) {
      store.append(plainOf(big(appended++)));
      await turn();
    }
    store.append(plainOf(big(appended++)));
    await store.close();
    expect(await inFile()).toBe(appended);
    const list = find(await openStore(folder, 'r'));
    expect(list).toEqual(Array.from({ length: appended }, (_, i) => big(i)));
  });
});

describe('what was edited while it is recorded into', () => {
  it.each([true, false])('stays, whether somebody has asked for it or not: %s', async (isAsked) => {
    const folder = temporaryFolder();
    const file = join(folder, ...FILE);
    const store = await openStore(folder, 'r', { writable: true });
    for (const query of ['a', 'b']) store.append(plainOf(exchange({ query })));
    if (isAsked) expect(find(store)).toHaveLength(2);
    await store.flush();
    await writeFile(file, (await readFile(file, 'utf8')).replace('"query": "b"', '"query": "edited"'));
    store.append(plainOf(exchange({ query: 'new' })));
    await store.close();
    const queries = (from: RecordingStore) => find(from).map(({ request }) => request.query);
    expect(queries(await openStore(folder, 'r'))).toEqual(['a', 'edited', 'new']);
  });

  it.each([
    ['is cut', (text: string) => text.slice(0, -5)],
    ['has one exchange more', oneMore],
  ])('loses nothing where the file %s before its requests come again', async (how, change) => {
    const folder = temporaryFolder();
    const file = join(folder, ...FILE);
    const earlier = await openStore(folder, 'r', { writable: true });
    for (const query of ['a', 'b', 'c']) earlier.append(plainOf(exchange({ query })));
    await earlier.close();
    const text = await readFile(file, 'utf8');
    const store = await openStore(folder, 'r', { writable: true, replaces: true, onNotice: () => {} });
    store.append(plainOf(exchange({ query: 'd' })));
    await store.flush();
    const saved = await readFile(file, 'utf8');
    expect(saved).not.toBe(text);
    await writeFile(file, change(saved));
    store.append(plainOf(exchange({ query: 'a', status: 201 })));
    store.append(plainOf(exchange({ query: 'e' })));
    await store.flush().catch(() => {});
    if (how === 'is cut') await writeFile(file, saved);
    await store.close();
    const list = find(await openStore(folder, 'r'));
    const seen = list.map(({ request, response }) => `${request.query} ${response?.status}`).sort();
    const added = how === 'is cut' ? [] : ['more 200'];
    expect(seen).toEqual(['a 201', 'b 200', 'c 200', 'd 200', 'e 200', ...added]);
  });
});

describe('a file that cannot be written to its end', () => {
  it('is not written over where somebody has broken it, however often that is tried', async () => {
    const folder = temporaryFolder();
    const file = join(folder, ...FILE);
    const store = await openStore(folder, 'r', { writable: true });
    store.append(plainOf(exchange({ query: 'a' })));
    expect(find(store)).toHaveLength(1);
    await store.flush();
    const whole = await readFile(file, 'utf8');
    await writeFile(file, whole.slice(0, -5));
    store.append(plainOf(exchange({ query: 'b' })));
    for (let i = 0; i < 2; i++) await expect(store.flush()).rejects.toMatchObject({ code: 'bad-recording' });
    expect(await readFile(file, 'utf8')).toBe(whole.slice(0, -5));
    await writeFile(file, whole);
    await store.close();
    expect(find(await openStore(folder, 'r')).map(({ request }) => request.query)).toEqual(['a', 'b']);
  });
});

it('needs no file any more once all is loaded', async () => {
  const folder = temporaryFolder();
  const writer = await openStore(folder, 'r', { writable: true });
  const paths = ['/a', '/a/b', '/a/b/c', '/a/d', '/', '/e/f/g'];
  for (const path of paths) writer.append(plainOf(exchange({ path, answer: { json: { path } } })));
  writer.append(plainOf(exchange({ method: 'GET', path: '/a/b' })));
  await writer.close();
  const reader = await openStore(folder, 'r');
  const asked = ['', ...paths, '/e', '/e/f', '/none'];
  const seen = () => ({
    places: Array.from(reader.places(), ({ method, path }) => `${method} ${path}`).sort(),
    recorded: asked.map((path) => reader.exchanges('PATCH', path).all.map(({ exchange }) => exchange)),
  });
  const before = seen();
  await reader.load();
  await rm(folder, { recursive: true });
  expect(seen()).toEqual(before);
  expect(reader.exchanges('PATCH', '/a').all[0]?.answer).toMatchObject({
    status: 200,
    body: Buffer.from('{"path":"/a"}'),
  });
});

const ONE = exchange({ answer: { text: 'one' } });
const TWO = exchange({ answer: { text: 'two' } });

describe('a recording that is recorded into', () => {
  it('is refused to a second writer, and open to readers', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true });
    await expect(openStore(folder, 'r', { writable: true })).rejects.toMatchObject({
      code: 'recording-in-use',
      message: expect.stringContaining(join(folder, 'r')),
      exitCode: 2,
    });
    store.append(plainOf(ONE));
    await turn();
    const reader = await openStore(folder, 'r');
    expect(find(reader)).toEqual([ONE]);
    await reader.close();
    const other = await openStore(folder, 'other', { writable: true });
    await other.close();
    await store.close();
    await (await openStore(folder, 'r', { writable: true })).close();
  });

  it('has a folder that git ignores, and nothing but files when it is closed', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true });
    store.append(plainOf(ONE));
    await turn();
    const hidden = join(folder, 'r', '.patchgate');
    expect((await readdir(hidden)).sort()).toEqual(['.gitignore', 'journal', 'lock']);
    expect(await readFile(join(hidden, '.gitignore'), 'utf8')).toBe('*\n');
    await store.close();
    expect(await readdir(join(folder, 'r'))).toEqual(['api']);
  });

  it('keeps what others have put into that folder', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true });
    const hidden = join(folder, 'r', '.patchgate');
    await writeFile(join(hidden, 'runs.ndjson'), '{}');
    await store.close();
    expect((await readdir(hidden)).sort()).toEqual(['.gitignore', 'runs.ndjson']);
  });

  it('is closed though its own files cannot be removed', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true });
    const ignored = join(folder, 'r', '.patchgate', '.gitignore');
    await rm(ignored);
    await mkdir(join(ignored, 'kept'), { recursive: true });
    await store.close();
    await (await openStore(folder, 'r', { writable: true })).close();
  });

  it('is free again after a start that failed', async () => {
    const folder = temporaryFolder();
    const hidden = join(folder, 'r', '.patchgate');
    await mkdir(hidden, { recursive: true });
    await writeFile(join(hidden, 'journal'), 'x\n');
    for (let i = 0; i < 2; i++) {
      await expect(openStore(folder, 'r', { writable: true })).rejects.toMatchObject({
        code: 'bad-recording',
      });
    }
    expect(await readdir(join(folder, 'r', '.patchgate'))).not.toContain('lock');
  });

  it('is free again though it could not be written', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true });
    await writeFile(join(folder, 'r', 'api'), '');
    store.append(plainOf(ONE));
    await expect(store.close()).rejects.toMatchObject({ code: 'cannot-write' });
    await rm(join(folder, 'r', 'api'));
    await (await openStore(folder, 'r', { writable: true })).close();
    expect(find(await openStore(folder, 'r'))).toEqual([ONE]);
  });
});

describe('a reader', () => {
  it('has what was there when it was opened, whoever moves it into its file', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true });
    store.append(plainOf(ONE));
    store.append(plainOf(exchange({ path: '/other' })));
    await turn();
    const reader = await openStore(folder, 'r');
    expect(reader.isEmpty()).toBe(false);
    expect([...reader.places()].map(({ path }) => path).sort()).toEqual([PROJECT_PATH, '/other'].sort());
    expect(find(reader)).toEqual([ONE]);
    await store.flush();
    store.append(plainOf(TWO));
    await store.close();
    expect(find(reader)).toEqual([ONE]);
    expect(find(reader, 'PATCH', '/other')).toHaveLength(1);
    await reader.close();
  });

  it('keeps to what a killed process left, whoever tidies up', async () => {
    const { folder: left } = await killedAfter(
      ...Array.from({ length: 20 }, (_, i) => exchange({ path: `/${i}`, answer: { json: i } })),
    );
    const reader = await openStore(left, 'r');
    expect(find(reader, 'PATCH', '/3')).toHaveLength(1);
    const notices: string[] = [];
    const next = await openStore(left, 'r', { writable: true, onNotice: (text) => notices.push(text) });
    expect(notices).toEqual([expect.stringContaining(`left in the journal of ${join(left, 'r')}`)]);
    for (let i = 0; i < 20; i++) expect(find(reader, 'PATCH', `/${i}`)).toHaveLength(1);
    await next.close();
    await reader.close();
  });
});

/** A folder as a process leaves it that is killed after these were appended. */
async function killedAfter(...appended: (typeof ONE)[]): Promise<{ folder: string; file: string }> {
  const folder = temporaryFolder();
  const store = await openStore(folder, 'r', { writable: true });
  for (const one of appended) store.append(plainOf(one));
  await turn();
  const left = temporaryFolder();
  await cp(folder, left, { recursive: true });
  leaveAsKilled(left);
  await store.close();
  return { folder: left, file: join(left, 'r', '.patchgate', 'journal') };
}

describe('a journal that was left', () => {
  it('is found by readers, who change nothing', async () => {
    const { folder, file } = await killedAfter(ONE, TWO);
    const before = await readFile(file);
    const store = await openStore(folder, 'r');
    expect(find(store)).toEqual([ONE, TWO]);
    await store.close();
    expect(await readFile(file)).toEqual(before);
    expect(await readdir(join(folder, 'r'))).toEqual(['.patchgate']);
  });

  it('is moved into the files at the next start, and is gone then', async () => {
    const { folder } = await killedAfter(ONE, TWO);
    const store = await openStore(folder, 'r', { writable: true });
    expect(find(await openStore(folder, 'r'))).toEqual([ONE, TWO]);
    await store.close();
    expect(await readdir(join(folder, 'r'))).toEqual(['api']);
  });

  it.each([1, 30, 'all but the feed', 'all but the line'])(
    'may end within a line, which nobody was told of: cut by %s',
    async (cut) => {
      const { folder, file } = await killedAfter(ONE, TWO);
      const bytes = await readFile(file);
      const line = bytes.length - bytes.lastIndexOf('{"at"');
      const bytesCut =
        cut === 'all but the feed' ? 1 : cut === 'all but the line' ? line - 1 : (cut as number);
      await truncate(file, bytes.length - bytesCut);
      expect(find(await openStore(folder, 'r'))).toEqual([ONE]);
      const store = await openStore(folder, 'r', { writable: true });
      store.append(plainOf(TWO));
      await store.close();
      expect(find(await openStore(folder, 'r'))).toEqual([ONE, TWO]);
    },
  );

  it.each([5, 0])('may have been begun only, with %j bytes', async (size) => {
    const { folder, file } = await killedAfter(ONE);
    await truncate(file, size);
    const store = await openStore(folder, 'r', { writable: true });
    expect(find(store)).toEqual([]);
    store.append(plainOf(TWO));
    await turn();
    expect(store.trouble).toBeUndefined();
    await store.close();
    expect(find(await openStore(folder, 'r'))).toEqual([TWO]);
  });

  it.each([
    { left: 'after its segments are merged', obstacle: false },
    { left: 'after its counts could not be written', obstacle: true },
  ])('of mode all takes no place of what the run recorded before: $left', async ({ obstacle }) => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true, replaces: true });
    const counts = join(folder, 'r', '.patchgate', 'counts');
    if (obstacle) await mkdir(counts);
    store.append(plainOf(ONE));
    await store.flush().catch(() => undefined);
    if (obstacle) await rmdir(counts);
    await store.flush();
    store.append(plainOf(TWO));
    await turn();
    const left = temporaryFolder();
    await cp(folder, left, { recursive: true });
    leaveAsKilled(left);
    await store.close();
    for (const writable of [false, true]) {
      const found = await openStore(left, 'r', { writable });
      expect(find(found)).toEqual([ONE, TWO]);
      await found.close();
    }
  });

  it.each([
    { file: 'journal', bytes: 'hello' },
    { file: 'journal', bytes: '\0'.repeat(100) },
    { file: 'counts', bytes: '{}' },
    { file: 'counts', bytes: 'null' },
  ])('is not thrown away where it is of somebody else: $file $bytes', async ({ file, bytes }) => {
    const { folder } = await killedAfter(ONE);
    const name = join(folder, 'r', '.patchgate', file);
    await writeFile(name, bytes);
    for (const writable of [true, false]) {
      await expect(openStore(folder, 'r', { writable })).rejects.toMatchObject({
        code: 'bad-recording',
        message: expect.stringContaining(`${name}:1:1: `),
      });
    }
    expect(await readFile(name, 'utf8')).toBe(bytes);
  });

  it('stops the start where it is broken, with file and line', async () => {
    const { folder, file } = await killedAfter(ONE, TWO);
    const bytes = await readFile(file);
    bytes[bytes.lastIndexOf('{"at"')] = 'X'.charCodeAt(0);
    await writeFile(file, bytes);
    for (const writable of [true, false]) {
      await expect(openStore(folder, 'r', { writable })).rejects.toMatchObject({
        code: 'bad-recording',
        message: expect.stringMatching(/journal:\d+:1: this is no exchange$/),
      });
    }
    expect(await readFile(file)).toEqual(bytes);
  });

  it('stops the start where a file that it is for is broken, and stays', async () => {
    const { folder, file } = await killedAfter(ONE);
    const target = join(folder, 'r', PROJECT_PATH, 'PATCH.json');
    await mkdir(join(target, '..'), { recursive: true });
    await writeFile(target, '{');
    await expect(openStore(folder, 'r', { writable: true })).rejects.toMatchObject({
      code: 'bad-recording',
      message: expect.stringContaining(`${target}:1:2`),
    });
    expect((await readFile(`${file}.1`)).includes('one')).toBe(true);
    await rm(target);
    expect(find(await openStore(folder, 'r', { writable: true }))).toEqual([ONE]);
  });
});

describe('closing that may take no longer', () => {
  it('leaves the rest to the next start, and says with exit code 1 that it did', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true, closeWithin: 0 });
    const paths = Array.from({ length: 300 }, (_, i) => `/${i}`);
    for (const path of paths) store.append(plainOf(exchange({ path })));
    const trouble = await store.close().catch((error: unknown) => error);
    expect(trouble).toMatchObject({
      message: `300 exchanges were not in the files of ${join(folder, 'r')} yet`,
      hint: expect.stringContaining('nothing is lost'),
      exitCode: 1,
    });
    const reader = await openStore(folder, 'r');
    for (const path of paths) expect(find(reader, 'PATCH', path)).toHaveLength(1);
    await (await openStore(folder, 'r', { writable: true })).close();
    expect(await readdir(join(folder, 'r'))).toHaveLength(300);
  });
});

describe('a disk that takes no exchange', () => {
  it('gets it later; meanwhile it is found all the same', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true });
    const obstacle = join(folder, 'r', '.patchgate', 'journal');
    await mkdir(obstacle);
    store.append(plainOf(ONE));
    await turn();
    expect(store.trouble).toMatchObject({ code: 'cannot-write', message: expect.stringContaining(obstacle) });
    store.append(plainOf(TWO));
    expect(find(store)).toEqual([ONE, TWO]);
    await rmdir(obstacle);
    store.append(plainOf(ONE));
    await store.close();
    expect(store.trouble).toBeUndefined();
    expect(find(await openStore(folder, 'r'))).toEqual([ONE, TWO, ONE]);
  });
});
