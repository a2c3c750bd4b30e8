import { appendFile, cp, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Journal } from '../../../src/recordings/journal/journal.ts';
import { openStore } from '../../../src/recordings/open-store.ts';
import type { RecordingStore } from '../../../src/recordings/store.ts';
import { exchange, PROJECT_PATH, plainOf } from '../../support/exchanges.ts';
import { leaveAsKilled } from '../../support/killed.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ONE = exchange({ answer: { text: 'one' } });
const TWO = exchange({ answer: { text: 'two' } });

/** A folder as a process leaves it that is killed after these were appended. */
async function killedAfter(...appended: (typeof ONE)[]): Promise<{ folder: string; file: string }> {
  const folder = temporaryFolder();
  const store = await openStore(folder, 'r', { writable: true });
  for (const one of appended) store.append(plainOf(one));
  const left = temporaryFolder();
  await cp(folder, left, { recursive: true });
  leaveAsKilled(left);
  await store.close();
  const [file] = await readdir(join(left, 'r', '.patchgate', 'journal'));
  return { folder: left, file: join(left, 'r', '.patchgate', 'journal', file as string) };
}

function find(store: RecordingStore) {
  return store.find('PATCH', PROJECT_PATH);
}

describe('a journal that was left', () => {
  it('is found by readers, who change nothing', async () => {
    const { folder, file } = await killedAfter(ONE, TWO);
    const before = await readFile(file);
    const store = await openStore(folder, 'r');
    expect(await store.isEmpty()).toBe(false);
    expect(await find(store)).toEqual([ONE, TWO]);
    const listed: unknown[] = [];
    for await (const place of store.paths()) listed.push(place);
    expect(listed).toEqual([{ method: 'PATCH', path: PROJECT_PATH }]);
    await store.close();
    expect(await readFile(file)).toEqual(before);
    expect(await readdir(join(folder, 'r'))).toEqual(['.patchgate']);
  });

  it('is moved into the files at the next start, and is gone then', async () => {
    const { folder } = await killedAfter(ONE, TWO);
    const store = await openStore(folder, 'r', { writable: true });
    expect((await readdir(join(folder, 'r', '.patchgate'))).sort()).toEqual(['.gitignore', 'lock']);
    await store.close();
    expect(await readdir(join(folder, 'r'))).toEqual(['api']);
    expect(await find(await openStore(folder, 'r'))).toEqual([ONE, TWO]);
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
      expect(await find(await openStore(folder, 'r'))).toEqual([ONE]);
      const store = await openStore(folder, 'r', { writable: true });
      store.append(plainOf(TWO));
      await store.close();
      expect(await find(await openStore(folder, 'r'))).toEqual([ONE, TWO]);
    },
  );

  it('may have been begun only', async () => {
    const { folder, file } = await killedAfter(ONE);
    for (const size of [5, 0]) {
      await truncate(file, size);
      const store = await openStore(folder, 'r', { writable: true });
      expect(await find(store)).toEqual([]);
      store.append(plainOf(TWO));
      expect(store.trouble).toBeUndefined();
      expect(await find(store)).toEqual([TWO]);
      await store.close();
      await rm(join(folder, 'r', 'api'), { recursive: true });
      await mkdir(join(file, '..'), { recursive: true });
      await writeFile(file, 'x'.repeat(5));
    }
  });

  it.each([
    ['its first line', 0, 1],
    ['a line', 60, 2],
  ])('stops the start where it is broken, with file and line: %s', async (_, offset, line) => {
    const { folder, file } = await killedAfter(ONE, TWO);
    const bytes = await readFile(file);
    bytes[offset] = 'X'.charCodeAt(0);
    await writeFile(file, bytes);
    for (const writable of [true, false]) {
      await expect(openStore(folder, 'r', { writable })).rejects.toMatchObject({
        code: 'bad-recording',
        message: `${file}:${line}:1: this is no line of a journal`,
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
    expect(await find(await openStore(folder, 'r', { writable: true }))).toEqual([ONE]);
  });
});

describe('a disk that takes no line', () => {
  it('gets it later; meanwhile it is found all the same', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true });
    const obstacle = join(folder, 'r', '.patchgate', 'journal');
    await writeFile(obstacle, '');
    store.append(plainOf(ONE));
    expect(store.trouble).toMatchObject({ code: 'cannot-write', message: expect.stringContaining(obstacle) });
    store.append(plainOf(TWO));
    expect(await find(store)).toEqual([ONE, TWO]);
    await expect(store.flush()).rejects.toMatchObject({ code: 'cannot-write' });
    expect(await readdir(join(folder, 'r'))).toEqual(['.patchgate', 'api']);
    await rm(obstacle);
    store.append(plainOf(ONE));
    await store.close();
    expect(store.trouble).toBeUndefined();
    expect(await find(await openStore(folder, 'r'))).toEqual([ONE, TWO, ONE]);
  });
});

describe('Journal', () => {
  const line = (text: string) => Buffer.from(`${text}\n`);
  const textsOf = (journal: Journal, start: number) =>
    Array.from(journal.lines(start, journal.end), ({ bytes }) => bytes.toString());

  it('goes on in a new file, and removes those that nobody needs, oldest first', async () => {
    const folder = join(temporaryFolder(), 'j');
    const journal = new Journal(folder);
    journal.rotate();
    const positions = ['a', 'b', 'c'].map((text) => {
      const position = journal.append(line(text));
      journal.rotate();
      return position;
    });
    const names = await readdir(folder);
    expect(names).toHaveLength(3);
    journal.release(positions[1] as number);
    expect(await readdir(folder)).toEqual(names.slice(1));
    expect(journal.line(positions[2] as number, (positions[2] as number) + 2).toString()).toBe('c');
    journal.release(journal.end);
    await expect(readdir(folder)).rejects.toThrow('ENOENT');
    const next = journal.append(line('d'));
    expect(next).toBeGreaterThan(positions[2] as number);
    expect(textsOf(journal, next)).toEqual(['d']);
  });

  it('reads lines of any length, whatever else was read between', () => {
    const journal = new Journal(join(temporaryFolder(), 'j'));
    const texts = Array.from({ length: 300 }, (_, i) => String(i).repeat(i % 50 === 7 ? 90_000 : 300));
    const start = journal.append(line(texts[0] as string));
    for (const text of texts.slice(1)) journal.append(line(text));
    const lines = journal.lines(start, journal.end);
    const other = journal.lines(start, journal.end);
    for (const text of texts) {
      expect(lines.next().value?.bytes.toString() === text).toBe(true);
      expect(other.next().value?.bytes.toString() === text).toBe(true);
    }
  });

  it('says so where it was cut while it was in use', async () => {
    const folder = join(temporaryFolder(), 'j');
    const journal = new Journal(folder);
    const start = journal.append(line('a'));
    const [name] = await readdir(folder);
    await truncate(join(folder, name as string), start);
    expect(() => textsOf(journal, start)).toThrow('was cut while it was in use');
    await appendFile(join(folder, name as string), 'a');
    expect(() => textsOf(journal, start)).toThrow('was cut while it was in use');
  });
});
