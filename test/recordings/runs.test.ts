import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { leaveRun, type Run, readRuns } from '../../src/recordings/runs.ts';
import { exchange } from '../support/exchanges.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** From one hour to the next, on one day. */
const run = (hour: number, indexes: number[], more: Partial<Run> = {}): Run => ({
  startedAt: `2026-11-20T${hour}:00:00.000Z`,
  endedAt: `2026-11-20T${hour + 1}:00:00.000Z`,
  served: [{ method: 'PATCH', path: '/a b', indexes }],
  ...more,
});
const at = (hour: number) => Date.parse(`2026-11-20T${hour}:00:00.000Z`);
const OLD = exchange({ path: '/a b', recordedAt: '2026-11-19T12:00:00.000Z' });

async function left(...runs: Run[]): Promise<string> {
  const root = temporaryFolder();
  for (const one of runs) await leaveRun(root, one);
  return root;
}

/** Which of the first five are unused. */
async function unused(root: string, changedAt: number, one = OLD): Promise<number[]> {
  const runs = await readRuns(root, changedAt);
  return [0, 1, 2, 3, 4].filter((index) => runs?.isUnused(one, index));
}

it('say together what none of them has served', async () => {
  const root = await left(run(10, [0, 2]), run(11, [3]), run(12, [0]));
  expect(await unused(root, 0)).toEqual([1, 4]);
  const other = exchange({ path: '/other', recordedAt: OLD.meta.recordedAt });
  expect(await unused(root, 0, other)).toEqual([0, 1, 2, 3, 4]);
  const hidden = join(root, '.patchgate');
  expect(readdirSync(hidden).sort()).toEqual(['.gitignore', 'runs.ndjson']);
  expect(readFileSync(join(hidden, '.gitignore'), 'utf8')).toBe('*\n');
});

it('count where they ended after the recording changed', async () => {
  const root = await left(run(10, [0, 2]), run(11, [3]), run(12, [0]));
  expect(await unused(root, at(12) + 0.5)).toEqual([1, 2, 4]);
  expect(await unused(root, at(12) + 1)).toEqual([1, 2, 3, 4]);
  expect(await readRuns(root, at(13) + 1)).toBeUndefined();
});

it('have asked for what was recorded while they ran', async () => {
  const root = await left(run(10, []), run(12, []));
  const recorded = (hour: number) => exchange({ path: '/a b', recordedAt: new Date(at(hour)).toISOString() });
  expect(await unused(root, at(11), recorded(10))).toEqual([]);
  expect(await unused(root, at(12), recorded(10))).toEqual([0, 1, 2, 3, 4]);
});

it('have failed where the last one did', async () => {
  const root = await left(run(10, [0]), run(11, [1], { failed: true }));
  expect(await readRuns(root, 0)).toMatchObject({ hasFailed: true, isCut: false });
  await leaveRun(root, run(12, [2], { isCut: true }));
  expect(await readRuns(root, 0)).toMatchObject({ hasFailed: false, isCut: true });
  expect(await unused(root, 0)).toEqual([3, 4]);
});

it('are none where none has been', async () => {
  expect(await readRuns(join(temporaryFolder(), 'none'), 0)).toBeUndefined();
});

it('are no lines that are something else, or cut', async () => {
  const root = await left(run(10, [0]));
  const whole = JSON.stringify(run(11, [1]));
  const lines = [...['', '[]', '{', whole.slice(0, -3)], JSON.stringify({ ...run(11, [1]), served: {} })];
  appendFileSync(join(root, '.patchgate', 'runs.ndjson'), `${lines.join('\n')}\n`);
  await leaveRun(root, run(12, [2]));
  expect(await unused(root, 0)).toEqual([1, 3, 4]);
});

it('are forgotten some time, the oldest ones first', async () => {
  const root = await left(run(10, [0]));
  const file = join(root, '.patchgate', 'runs.ndjson');
  const grow = () => appendFileSync(file, `${' '.repeat(5_000_000)}\n`);
  grow();
  await leaveRun(root, run(11, [1]));
  expect(statSync(file).size).toBeLessThan(1000);
  expect(await unused(root, 0)).toEqual([2, 3, 4]);
  grow();
  await leaveRun(root, run(12, [2]));
  expect(await unused(root, 0)).toEqual([0, 3, 4]);
});

it('are not written where that cannot be done, which is no error', async () => {
  const root = temporaryFolder();
  const file = join(root, 'file');
  writeFileSync(file, '');
  await leaveRun(file, run(10, []));
  expect(await readRuns(file, 0)).toBeUndefined();
  // As root, a folder that may only be read is one that can be written to.
  if (process.getuid?.() === 0) return;
  const folder = join(root, 'folder');
  mkdirSync(folder);
  chmodSync(folder, 0o555);
  await leaveRun(folder, run(10, []));
  expect(existsSync(join(folder, '.patchgate'))).toBe(false);
});
