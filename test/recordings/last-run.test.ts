import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type LastRun, neverServedIn, readLastRun, writeLastRun } from '../../src/recordings/last-run.ts';
import { exchange } from '../support/exchanges.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const RUN: LastRun = {
  formatVersion: 1,
  endedAt: '2026-11-20T12:00:00.000Z',
  served: [{ method: 'PATCH', path: '/a b', indexes: [0, 2] }],
};

it('is read as it was written, and the last one counts', async () => {
  const root = temporaryFolder();
  await writeLastRun(root, { ...RUN, served: [] });
  await writeLastRun(root, RUN);
  expect(await readLastRun(root)).toEqual(RUN);
  const hidden = join(root, '.patchgate');
  expect(readdirSync(hidden).sort()).toEqual(['.gitignore', 'last-run.json']);
  expect(readFileSync(join(hidden, '.gitignore'), 'utf8')).toBe('*\n');
});

it('tells what was there and was not served', () => {
  const startedAt = '2026-11-20T11:00:00.000Z';
  const never = neverServedIn({ ...RUN, startedAt });
  const old = exchange({ path: '/a b', recordedAt: '2026-11-19T12:00:00.000Z' });
  expect([0, 1, 2, 3].map((index) => never(old, index))).toEqual([false, true, false, true]);
  expect(never({ ...old, meta: { ...old.meta, recordedAt: startedAt } }, 1)).toBe(false);
  expect(never(exchange({ path: '/other', recordedAt: '2026-11-19T12:00:00.000Z' }), 0)).toBe(true);
  expect(neverServedIn(RUN)(exchange({ path: '/a b', recordedAt: '2030-01-01T00:00:00.000Z' }), 1)).toBe(
    true,
  );
});

it('is nothing where no run has been', async () => {
  expect(await readLastRun(join(temporaryFolder(), 'none'))).toBeUndefined();
});

it.each([
  '',
  '[]',
  '{',
  JSON.stringify({ ...RUN, formatVersion: 2 }),
  JSON.stringify({ ...RUN, endedAt: 1 }),
  JSON.stringify({ ...RUN, startedAt: 1 }),
  JSON.stringify({ ...RUN, served: {} }),
  JSON.stringify({ ...RUN, served: [{ method: 'GET', path: '/', indexes: ['0'] }] }),
  JSON.stringify({ ...RUN, served: [{ method: 'GET', indexes: [0] }] }),
])('is nothing where the file is something else: %s', async (text) => {
  const root = temporaryFolder();
  mkdirSync(join(root, '.patchgate'));
  writeFileSync(join(root, '.patchgate', 'last-run.json'), text);
  expect(await readLastRun(root)).toBeUndefined();
});

it('is not written where that cannot be done, which is no error', async () => {
  const root = temporaryFolder();
  const file = join(root, 'file');
  writeFileSync(file, '');
  await writeLastRun(file, RUN);
  expect(await readLastRun(file)).toBeUndefined();
  // As root, a folder that may only be read is one that can be written to.
  if (process.getuid?.() === 0) return;
  const folder = join(root, 'folder');
  mkdirSync(folder);
  chmodSync(folder, 0o555);
  await writeLastRun(folder, RUN);
  expect(existsSync(join(folder, '.patchgate'))).toBe(false);
});

it('takes the place of what is there, and leaves nothing behind where it cannot', async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, '.patchgate', 'last-run.json'), { recursive: true });
  await writeLastRun(root, RUN);
  expect(readdirSync(join(root, '.patchgate')).sort()).toEqual(['.gitignore', 'last-run.json']);
});
