import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/recordings/open-store.ts';
import { exchange, PROJECT_PATH, plainOf } from '../support/exchanges.ts';
import { leaveAsKilled } from '../support/killed.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

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
    const reader = await openStore(folder, 'r');
    expect(await reader.find('PATCH', PROJECT_PATH)).toEqual([ONE]);
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

  it('is free again after a start that failed', async () => {
    const folder = temporaryFolder();
    const journal = join(folder, 'r', '.patchgate', 'journal');
    await mkdir(journal, { recursive: true });
    await writeFile(join(journal, '0000000000000000.journal'), 'x\n');
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
    expect(await (await openStore(folder, 'r')).find('PATCH', PROJECT_PATH)).toEqual([ONE]);
  });
});

describe('a reader', () => {
  it.each([
    ['asked before', true],
    ['not asked before', false],
  ])('has what it found when the writer moves it into its file: %s', async (_, isAsked) => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true });
    store.append(plainOf(ONE));
    store.append(plainOf(exchange({ path: '/other' })));
    const reader = await openStore(folder, 'r', { cacheBytes: isAsked ? 1_000_000 : 0 });
    if (isAsked) expect(await reader.find('PATCH', PROJECT_PATH)).toEqual([ONE]);
    await store.flush();
    expect(await readdir(join(folder, 'r', '.patchgate'))).not.toContain('journal');
    expect(await reader.find('PATCH', PROJECT_PATH)).toEqual([ONE]);
    store.append(plainOf(TWO));
    await store.close();
    const found = await reader.find('PATCH', PROJECT_PATH);
    expect(found.slice(0, 1)).toEqual([ONE]);
    expect(await reader.find('PATCH', '/other')).toHaveLength(1);
    await reader.close();
  });

  it('sees a file that was begun anew as it is, not with what waited for it before', async () => {
    const folder = temporaryFolder();
    const first = await openStore(folder, 'r', { writable: true });
    first.append(plainOf(ONE));
    const reader = await openStore(folder, 'r');
    await first.close();
    // The next journal begins where the last one did.
    const second = await openStore(folder, 'r', { writable: true });
    second.append(plainOf(TWO));
    expect(await reader.find('PATCH', PROJECT_PATH)).toEqual([ONE]);
    await second.close();
    await reader.close();
  });

  it('keeps to what a killed process left, whoever tidies up', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'r', { writable: true });
    for (let i = 0; i < 20; i++) store.append(plainOf(exchange({ path: `/${i}`, answer: { json: i } })));
    const left = temporaryFolder();
    await cp(folder, left, { recursive: true });
    leaveAsKilled(left);
    await store.close();
    const reader = await openStore(left, 'r', { cacheBytes: 0 });
    expect(await reader.find('PATCH', '/3')).toHaveLength(1);
    const notices: string[] = [];
    const next = await openStore(left, 'r', { writable: true, onNotice: (text) => notices.push(text) });
    expect(notices).toEqual([expect.stringContaining(`left in the journal of ${join(left, 'r')}`)]);
    for (let i = 0; i < 20; i++) expect(await reader.find('PATCH', `/${i}`)).toHaveLength(1);
    await next.close();
    for (let i = 0; i < 20; i++) expect(await reader.find('PATCH', `/${i}`)).toHaveLength(1);
    await reader.close();
  });
});
