import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { isColoured, writeFileWhole } from '../../src/commands/output.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('writes a file whole', async () => {
  const file = join(temporaryFolder(), 'x');
  await writeFileWhole(file, Array(1000).fill('line\n'));
  expect(readFileSync(file, 'utf8')).toBe('line\n'.repeat(1000));
});

it('leaves the file as it was where something fails, and nothing beside it', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'x');
  writeFileSync(file, 'before');
  const pieces = (function* () {
    yield 'half';
    throw new Error('broken');
  })();
  const fails = writeFileWhole(file, pieces);
  await expect(fails).rejects.toThrow('broken');
  expect(readdirSync(folder)).toEqual(['x']);
  expect(readFileSync(file, 'utf8')).toBe('before');
});

const isUnix = process.platform !== 'win32';

it.runIf(isUnix)('keeps the links that lead to a file, and its permissions', async () => {
  const folder = temporaryFolder();
  const [file, link] = [join(folder, 'x'), join(folder, 'link')];
  writeFileSync(file, 'before', { mode: 0o600 });
  symlinkSync('x', link);
  await writeFileWhole(link, ['after']);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe('after');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).sort()).toEqual(['link', 'x']);
});

it('takes the place of nothing but a file', async () => {
  const folder = join(temporaryFolder(), 'empty');
  mkdirSync(folder);
  await expect(writeFileWhole(folder, [])).rejects.toThrow('what stands there is no file');
});

it('names the file that cannot be written', async () => {
  const file = join(temporaryFolder(), 'file', 'x');
  writeFileSync(dirname(file), '');
  await expect(writeFileWhole(file, [])).rejects.toThrow(`cannot write ${file}: `);
});

const TERMINAL = { isTTY: true };
const PIPE = {};

it.each([
  [TERMINAL, {}, true],
  [PIPE, {}, false],
  [TERMINAL, { NO_COLOR: '1' }, false],
  [TERMINAL, { NO_COLOR: '' }, true],
  [TERMINAL, { TERM: 'dumb' }, false],
  [PIPE, { FORCE_COLOR: '' }, true],
  [PIPE, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  [TERMINAL, { FORCE_COLOR: '0' }, false],
  [TERMINAL, { FORCE_COLOR: 'false' }, false],
])('%j with %j: %j', (stream, env, expected) => {
  expect(isColoured(stream, env)).toBe(expected);
});
