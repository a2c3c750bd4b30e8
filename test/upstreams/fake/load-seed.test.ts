import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadSeed } from '../../../src/upstreams/fake/load-seed.ts';
import { SAMPLE } from '../../../src/upstreams/fake/sample.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'patchgate-seed-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('reads what the built-in sample looks like', async () => {
  const file = join(folder, 'seed.json');
  await writeFile(file, JSON.stringify(SAMPLE));
  expect(await loadSeed(file)).toEqual(SAMPLE);
});

test('a file that is not there is named', async () => {
  const file = join(folder, 'none.json');
  await expect(loadSeed(file)).rejects.toMatchObject({
    code: 'bad-input',
    message: `cannot read the seed ${file}: it does not exist`,
    hint: expect.stringContaining('--seed'),
  });
});

test('a folder is no seed', async () => {
  await expect(loadSeed(folder)).rejects.toMatchObject({ code: 'bad-input' });
});

test('a broken file is named with the place', async () => {
  const file = join(folder, 'seed.json');
  await writeFile(file, '{"accounts": {},}');
  await expect(loadSeed(file)).rejects.toThrow(`${file}:1:17: `);
});
