import { cp, mkdir, readdir, readFile, rm, rmdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../src/recordings/store/open-store.ts';
import { exchange, PROJECT_PATH, plainOf } from '../../support/exchanges.ts';
import { leaveAsKilled } from '../../support/killed.ts';
import { find, turn } from '../../support/recordings.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

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
    expect((await readdir(hidden)).sort()).toEqual(['.gitignore', 'journal.ndjson', 'lock']);
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

  it('is free again after a start that failed', async () => {
    const folder = temporaryFolder();
    const hidden = join(folder, 'r', '.patchgate');
    await mkdir(hidden, { recursive: true });
    await writeFile(join(hidden, 'journal.ndjson'), 'x\n');
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
  return { folder: left, file: join(left, 'r', '.patchgate', 'journal.ndjson') };
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

  it('stops the start where it is broken, with file and line', async () => {
    const { folder, file } = await killedAfter(ONE, TWO);
    const bytes = await readFile(file);
    bytes[bytes.lastIndexOf('{"at"')] = 'X'.charCodeAt(0);
    await writeFile(file, bytes);
    for (const writable of [true, false]) {
      await expect(openStore(folder, 'r', { writable })).rejects.toMatchObject({
        code: 'bad-recording',
        message: `${file}:2:1: this is no line of a journal`,
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
    expect((await readFile(file)).includes('one')).toBe(true);
    await rm(target);
    expect(find(await openStore(folder, 'r', { writable: true }))).toEqual([ONE]);
  });
});

describe('a disk that takes no line', () => {
  it('gets it later; meanwhile it is found all the same', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true });
    const obstacle = join(folder, 'r', '.patchgate', 'journal.ndjson');
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
