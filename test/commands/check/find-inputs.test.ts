import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findInputs } from '../../../src/commands/check/find-inputs.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'patchgate-inputs-'));
  for (const file of [
    'b/2.json',
    'b/10.json',
    'b/a/x.json',
    'b/readme.md',
    'b/.git/c.json',
    'b/node_modules/d.json',
    'c.txt',
  ]) {
    await mkdir(dirname(join(cwd, file)), { recursive: true });
    await writeFile(join(cwd, file), '{}');
  }
});
afterEach(() => rm(cwd, { recursive: true }));

test('a folder means the *.json below it, in the order of names', async () => {
  expect(await findInputs(['b'], cwd)).toEqual(['b/10.json', 'b/2.json', 'b/a/x.json']);
  expect(await findInputs(['./b/'], cwd)).toEqual(['./b/10.json', './b/2.json', './b/a/x.json']);
});

test('the folder that one is in', async () => {
  expect(await findInputs(['.'], join(cwd, 'b'))).toEqual(['10.json', '2.json', 'a/x.json']);
});

test('a file is taken whatever its name, and - as it is', async () => {
  expect(await findInputs(['c.txt', '-', 'b/.git/c.json'], cwd)).toEqual(['c.txt', '-', 'b/.git/c.json']);
});

test('what is given twice is taken once, where it came first', async () => {
  expect(await findInputs(['b/2.json', '-', join(cwd, 'b'), '-'], cwd)).toEqual([
    'b/2.json',
    '-',
    join(cwd, 'b/10.json'),
    join(cwd, 'b/a/x.json'),
  ]);
});

test('a link to a file is followed, one back to the folder is not', async () => {
  await symlink(join(cwd, 'c.txt'), join(cwd, 'b/link.json'));
  await symlink(join(cwd, 'b'), join(cwd, 'b/again'));
  expect(await findInputs(['b'], cwd)).toEqual(['b/10.json', 'b/2.json', 'b/a/x.json', 'b/link.json']);
});

test.each([
  [['none.json'], 'bad-input', 'none.json'],
  [['b/2.json', 'none/'], 'bad-input', 'none/'],
  [['empty'], 'bad-input', 'below empty'],
  [[], 'bad-usage', 'nothing'],
])('%j: an error that says so', async (args, code, message) => {
  await mkdir(join(cwd, 'empty'));
  await expect(findInputs(args, cwd)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message),
    hint: expect.any(String),
  });
});
