import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Removal, type RemoveArgs, runRemove } from '../../../src/commands/recordings/remove.ts';
import { leaveRun } from '../../../src/recordings/runs.ts';
import { openStore } from '../../../src/recordings/store/open-store.ts';
import { exchange, plainOf } from '../../support/exchanges.ts';
import { filesBelow, find, recordAll } from '../../support/recordings.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const long = (byte: number) => ({ base64: Buffer.alloc(9000, 0x80 + byte).toString('base64') });
const EXCHANGES = [
  exchange({ path: '/a', query: 'q=1', answer: long(1), recordedAt: '2026-01-01T00:00:00.000Z' }),
  exchange({ path: '/a', query: 'q=2', answer: long(2), recordedAt: '2026-06-01T00:00:00.000Z' }),
  exchange({ path: '/b/c', method: 'GET', answer: long(3), recordedAt: '2026-01-01T00:00:00.000Z' }),
];

async function recorded(): Promise<string> {
  const folder = temporaryFolder();
  await recordAll(folder, 'x', EXCHANGES);
  return folder;
}

function remove(folder: string, parts: Partial<RemoveArgs> = {}, confirm = async (_: Removal) => true) {
  return runRemove({ folder, name: 'x', selection: {}, unused: false, ...parts }, confirm);
}

/** What is left of exchanges: their queries by path. */
async function left(folder: string): Promise<string[]> {
  const store = await openStore(folder, 'x');
  const found: string[] = [];
  for (const { method, path } of store.places())
    for (const { request } of find(store, method, path)) found.push(`${path}?${request.query}`);
  await store.close();
  return found.sort();
}

describe('recordings remove', () => {
  it('removes a whole recording, its folder included', async () => {
    const folder = await recorded();
    await recordAll(folder, 'y', EXCHANGES);
    const before = filesBelow(join(folder, 'y'));
    expect(await remove(folder)).toMatchObject({ files: 5, others: [] });
    expect(existsSync(join(folder, 'x'))).toBe(false);
    expect(filesBelow(join(folder, 'y'))).toEqual(before);
  });

  it('leaves and names what it did not make', async () => {
    const folder = await recorded();
    mkdirSync(join(folder, 'x', 'notes'));
    for (const name of ['README.md', 'notes/a.json', 'b/get.json'])
      writeFileSync(join(folder, 'x', name), 'mine');
    const removed = await remove(folder);
    expect(removed?.others).toEqual(['README.md', 'b/get.json', 'notes/a.json']);
    expect(Object.keys(filesBelow(join(folder, 'x')))).toEqual(['README.md', 'b/get.json', 'notes/a.json']);
  });

  it('removes what is broken, too', async () => {
    const folder = await recorded();
    writeFileSync(join(folder, 'x', 'a', 'PATCH.json'), '{');
    mkdirSync(join(folder, 'x', '.patchgate'), { recursive: true });
    writeFileSync(join(folder, 'x', '.patchgate', 'journal.ndjson'), 'broken\n');
    await remove(folder);
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });

  it('removes nothing that is not confirmed', async () => {
    const folder = await recorded();
    const before = filesBelow(folder);
    const asked: Removal[] = [];
    const no = async (removal: Removal) => {
      asked.push(removal);
      return false;
    };
    expect(await remove(folder, {}, no)).toBeUndefined();
    expect(await remove(folder, { selection: { path: '/a' } }, no)).toBeUndefined();
    expect(asked).toMatchObject([{ files: 5 }, { files: 1, exchanges: 2 }]);
    expect(filesBelow(folder)).toEqual(before);
  });

  it.each<[Partial<RemoveArgs>, string[]]>([
    [{ selection: { path: '/a' } }, ['/b/c?']],
    [{ selection: { path: '/*', method: 'patch' } }, ['/b/c?']],
    [{ selection: { grep: 'q=1' } }, ['/a?q=2', '/b/c?']],
    [{ before: Date.parse('2026-03-01') }, ['/a?q=2']],
    [{ before: Date.parse('2026-03-01'), selection: { path: '/b/*' } }, ['/a?q=1', '/a?q=2']],
  ])('removes some: %j', async (parts, rest) => {
    const folder = await recorded();
    await remove(folder, parts);
    expect(await left(folder)).toEqual(rest);
    // A body for each exchange, and none beside; the folders of what is gone are gone.
    const bodies = Object.keys(filesBelow(folder)).filter((file) => file.endsWith('.bin'));
    expect(bodies).toHaveLength(rest.length);
    expect(existsSync(join(folder, 'x', 'b'))).toBe(rest.includes('/b/c?'));
  });

  it('removes what no run has asked for since the recording changed', async () => {
    const folder = await recorded();
    const ran = (index: number, failed?: true) => {
      const now = new Date().toISOString();
      const served = [{ method: 'PATCH', path: '/a', indexes: [index] }];
      return leaveRun(join(folder, 'x'), { startedAt: now, endedAt: now, served, ...(failed && { failed }) });
    };
    const none = 'no replay of "x" has been logged since it changed';
    await expect(remove(folder, { unused: true })).rejects.toThrow(none);
    await ran(0);
    await ran(1, true);
    await expect(remove(folder, { unused: true })).rejects.toThrow('the last run of x failed');
    await ran(1);
    const asked: Removal[] = [];
    const yes = async (removal: Removal) => asked.push(removal) > 0;
    expect(await remove(folder, { unused: true }, yes)).toMatchObject({ exchanges: 1, inAll: 3, files: 1 });
    expect(asked).toHaveLength(1);
    expect(await left(folder)).toEqual(['/a?q=1', '/a?q=2']);
    expect(await remove(folder, { unused: true }, yes)).toBeUndefined();
    // As the recorder or version control would.
    const later = new Date(Date.now() + 5000);
    utimesSync(join(folder, 'x', 'a', 'PATCH.json'), later, later);
    await expect(remove(folder, { unused: true })).rejects.toThrow(none);
  });

  it('has nothing to do where nothing is that old, which is no mistake', async () => {
    const folder = await recorded();
    const before = Date.parse('2020-01-01');
    expect(await remove(folder, { before })).toBeUndefined();
    expect(await remove(folder, { before, selection: { path: '/a' } })).toBeUndefined();
    await expect(remove(folder, { before, selection: { path: '/z' } })).rejects.toThrow('no such exchange');
  });

  it('does not touch a recording that somebody records into', async () => {
    const folder = await recorded();
    const store = await openStore(folder, 'x', { writable: true });
    store.append(plainOf(exchange({ path: '/d' })));
    await expect(remove(folder)).rejects.toMatchObject({ code: 'recording-in-use' });
    await expect(remove(folder, { selection: { path: '/a' } })).rejects.toMatchObject({
      code: 'recording-in-use',
    });
    await store.close();
    expect(await left(folder)).toHaveLength(4);
  });

  it('says what is not there', async () => {
    const folder = await recorded();
    await expect(remove(folder, { name: 'y' })).rejects.toThrow('there is no recording "y"');
    await expect(remove(folder, { selection: { path: '/z' } })).rejects.toThrow('x holds no such exchange');
  });
});
