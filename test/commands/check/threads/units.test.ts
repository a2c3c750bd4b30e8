import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { parallelUnits } from '../../../../src/commands/check/threads/units.ts';
import { exchange } from '../../../support/exchanges.ts';
import { writeRecording } from '../../../support/recorded-folder.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const MB = 1024 * 1024;

/** Files of these sizes, of which the disk holds nothing. */
function folderOf(sizes: Record<string, number>): string {
  const cwd = temporaryFolder();
  for (const [name, size] of Object.entries(sizes)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), '');
    truncateSync(join(cwd, name), size);
  }
  return cwd;
}

const units = (files: string[], cwd: string) => parallelUnits(files, cwd)?.map(({ files }) => files);

it('files are judged side by side where there is much of them, and not all of it in one', () => {
  const cwd = folderOf({
    'a.har': 300 * MB,
    'b.har': 310 * MB,
    'c.json': 1,
    'd.json': 20 * MB,
    'e.har': 300 * MB,
  });
  expect(units(['a.har', 'b.har'], cwd)).toEqual([[1], [0]]);
  expect(units(['a.har', 'c.json'], cwd)).toBeUndefined();
  expect(units(['b.har', 'c.json', 'c.json'], cwd)).toBeUndefined();
  // Small ones are together.
  expect(units(['c.json', 'c.json', 'a.har', 'b.har'], cwd)).toEqual([[3], [0, 1, 2]]);
  // What is not there is whoever's that reads it.
  symlinkSync('loop.json', join(cwd, 'loop.json'));
  expect(units(['a.har', 'b.har', 'gone.json', 'loop.json'], cwd)).toEqual([[1], [0], [2, 3]]);
});

it('the files of a recording stay together, and so do those of which nobody knows', () => {
  const cwd = folderOf({ 'big.har': 600 * MB, 'x/PATCH.json': 20 * MB });
  const [first = '', second = ''] = ['r/a', 'r/b'].flatMap((name) => [
    ...writeRecording(join(cwd, name), [exchange(), exchange({ method: 'GET' }), exchange({ path: '/x' })]),
  ]);
  const files = [`r/a/${first}`, 'r/a/x/PATCH.json', `r/b/${first}`, `r/a/${second}`, `r/b/${second}`];
  expect(units([...files, 'x/PATCH.json', 'big.har', 'y/GET.json', 'r/a/gone/PUT.json'], cwd)).toEqual([
    [6],
    [5, 7],
    [0, 1, 3, 8],
    [2, 4],
  ]);
});
