import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolders } from '../../../src/recordings/store/folders.ts';
import { openStore } from '../../../src/recordings/store.ts';
import { exchange, plainOf } from '../../support/exchanges.ts';
import { turn } from '../../support/recordings.ts';
import { withPatched } from '../../support/steps.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Of open files. */
const names = new Map<number, string>();

/** What is made to reach the disk in some work, and what is renamed: names below `root`, without what makes them unique. */
async function stepsOf(root: string, work: () => Promise<unknown>): Promise<string[]> {
  const steps: string[] = [];
  const { openSync, fsyncSync, fdatasyncSync, fsync, renameSync } = fs;
  const short = (file: string) => file.replace(root, '').replace(/\d+-\d+\.tmp/, 'N');
  const synced = (fd: number) => steps.push(`sync ${names.get(fd)}`);
  const patches = {
    openSync: (...args: Parameters<typeof openSync>) => {
      const fd = openSync(...args);
      names.set(fd, short(String(args[0])));
      return fd;
    },
    fsyncSync: (fd: number) => synced(fd) && fsyncSync(fd),
    fdatasyncSync: (fd: number) => synced(fd) && fdatasyncSync(fd),
    fsync: (fd: number, done: (error: Error | null) => void) => synced(fd) && fsync(fd, done),
    renameSync: (...[from, to]: Parameters<typeof renameSync>) => {
      steps.push(`rename ${short(String(from))}`);
      renameSync(from, to);
    },
  };
  await withPatched(patches as Parameters<typeof withPatched>[0], work);
  return steps;
}

const ONE = plainOf(exchange({ path: '/a' }));

describe('durability fsync', () => {
  it('has each exchange on the disk, and each file before what says so', async () => {
    const folder = temporaryFolder();
    const root = join(folder, 'r');
    const journal = '/.patchgate/journal';
    const store = await openStore(folder, 'r', { writable: true, durability: 'fsync' });
    const append = async () => {
      store.append(ONE);
      await turn();
    };
    expect(await stepsOf(root, append)).toEqual(['sync /.patchgate', `sync ${journal}`]);
    expect(await stepsOf(root, append)).toEqual([`sync ${journal}`]);
    expect(await stepsOf(root, () => store.flush())).toEqual([
      'rename /.patchgate/journal',
      'sync ',
      'sync /a/PATCH.json',
      'sync /a',
    ]);
    await store.close();
  });
});

describe('durability process', () => {
  it('waits for no disk', async () => {
    const folder = temporaryFolder();
    const root = join(folder, 'r');
    const store = await openStore(folder, 'r', { writable: true });
    const record = async () => {
      store.append(ONE);
      await store.flush();
    };
    expect(await stepsOf(root, record)).toEqual(['rename /.patchgate/journal']);
    await store.close();
  });
});

it('a folder that is made reaches the disk with those above it', async () => {
  const root = temporaryFolder();
  expect(await stepsOf(root, async () => makeFolders(join(root, 'a', 'b'), true))).toEqual([
    'sync ',
    'sync /a',
  ]);
  expect(await stepsOf(root, async () => makeFolders(join(root, 'a', 'b'), true))).toEqual([]);
  expect(await stepsOf(root, async () => makeFolders(join(root, 'c'), false))).toEqual([]);
});

it('a folder that is made is told by its full name, so that there is an end to those above it', async () => {
  const root = fs.realpathSync(temporaryFolder());
  const before = process.cwd();
  process.chdir(root);
  try {
    expect(await stepsOf(root, async () => makeFolders('a/b', true))).toEqual(['sync ', 'sync /a']);
  } finally {
    process.chdir(before);
  }
});
