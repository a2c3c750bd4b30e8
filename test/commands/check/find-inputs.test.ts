import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findInputs } from '../../../src/commands/check/find-inputs.ts';
import { openStore } from '../../../src/recordings/store.ts';
import { exchange, plainOf } from '../../support/exchanges.ts';
import { recordAll } from '../../support/recordings.ts';

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
  expect(await findInputs(['b'], { cwd })).toEqual(['b/10.json', 'b/2.json', 'b/a/x.json']);
  expect(await findInputs(['./b/'], { cwd })).toEqual(['./b/10.json', './b/2.json', './b/a/x.json']);
});

test('the folder that one is in', async () => {
  expect(await findInputs(['.'], { cwd: join(cwd, 'b') })).toEqual(['10.json', '2.json', 'a/x.json']);
});

test('of a folder each kind that can be judged is taken', async () => {
  for (const name of ['a.har', 'b.jsonl', 'c.NDJSON', 'd.md', 'e.jsonx'])
    await writeFile(join(cwd, 'b/a', name), '');
  const names = ['a.har', 'x.json'];
  expect(await findInputs(['b/a'], { cwd })).toEqual(names.map((name) => `b/a/${name}`));
});

test.each([
  ['b/*.json', ['b/10.json', 'b/2.json']],
  ['./b/*.json', ['b/10.json', 'b/2.json']],
  ['b/**/*.json', ['b/10.json', 'b/2.json', 'b/a/x.json']],
  ['**/{x,2}.json', ['b/2.json', 'b/a/x.json']],
  ['b/**', ['b/10.json', 'b/2.json', 'b/a/x.json']],
  ['*', ['b/10.json', 'b/2.json', 'b/a/x.json']],
  ['b/[a]', ['b/a/x.json']],
  ['?.txt', ['c.txt']],
])('the glob %s means %j', async (glob, files) => {
  expect(await findInputs([glob], { cwd })).toEqual(files);
  const { length } = `${cwd}/`;
  const absolute = await findInputs([join(cwd, glob)], { cwd: '/' });
  expect(absolute.map((file) => file.slice(length))).toEqual(files);
});

test.skipIf(process.platform === 'win32')('what is no file is left out of a folder', async () => {
  const server = createServer().listen(join(cwd, 'b/0.json'));
  await once(server, 'listening');
  expect(await findInputs(['b'], { cwd })).toEqual(['b/10.json', 'b/2.json', 'b/a/x.json']);
  server.close();
});

test('an empty argument is no folder', async () => {
  await expect(findInputs(['b', ''], { cwd })).rejects.toThrow('an argument is empty');
});

test('what looks like a glob is a file where there is one', async () => {
  await writeFile(join(cwd, 'b/[id].json'), '{}');
  expect(await findInputs(['b/[id].json'], { cwd })).toEqual(['b/[id].json']);
});

test('the name of a recording means its folder, unless a path has that name', async () => {
  const recordings = 'kept/recordings';
  for (const name of ['checkout/a/PATCH.json', 'b/PATCH.json', 'empty/x.txt']) {
    await mkdir(dirname(join(cwd, recordings, name)), { recursive: true });
    await writeFile(join(cwd, recordings, name), '{}');
  }
  expect(await findInputs(['checkout'], { cwd, recordings })).toEqual([
    'kept/recordings/checkout/a/PATCH.json',
  ]);
  const whole = join(cwd, recordings);
  expect(await findInputs(['checkout'], { cwd, recordings: whole })).toEqual([
    'kept/recordings/checkout/a/PATCH.json',
  ]);
  expect(await findInputs(['b/a'], { cwd, recordings })).toEqual(['b/a/x.json']);
  await expect(findInputs(['chekout'], { cwd, recordings })).rejects.toMatchObject({
    message: 'cannot read chekout: there is no such file, folder or recording',
    hint: expect.stringContaining('did you mean the recording checkout?'),
  });
  await expect(findInputs(['other.json'], { cwd, recordings })).rejects.toMatchObject({
    message: 'cannot read other.json: it does not exist',
    hint: expect.stringContaining('recordings: b, checkout, empty'),
  });
  await expect(findInputs(['empty'], { cwd, recordings })).rejects.toMatchObject({
    message: expect.stringContaining('file below kept/recordings/empty'),
  });
});

test('what waits in the journal of a recording is told, since it is not judged', async () => {
  const store = await openStore(join(cwd, 'recordings'), 'x', { writable: true });
  await recordAll(join(cwd, 'recordings'), 'done', [exchange()]);
  const said: string[] = [];
  const folders = { cwd, recordings: 'recordings', say: (text: string) => void said.push(text) };
  await findInputs(['recordings'], folders);
  expect(said).toEqual([]);
  store.append(plainOf(exchange()));
  // The journal is written at the end of the turn.
  await setImmediate();
  for (const arg of ['recordings', 'rec**/**']) await findInputs([arg], folders);
  await expect(findInputs(['x'], folders)).rejects.toThrow('below recordings/x');
  const told = expect.stringMatching(/^recordings\/x: 1 exchange is only in the recording's journal.*\n$/);
  expect(said).toEqual([told, told, told]);
  await store.close();
});

test('a file is taken whatever its name, and - as it is', async () => {
  expect(await findInputs(['c.txt', '-', 'b/.git/c.json'], { cwd })).toEqual(['c.txt', '-', 'b/.git/c.json']);
});

test('what is given twice is taken once, where it came first', async () => {
  expect(await findInputs(['b/2.json', '-', join(cwd, 'b'), '-'], { cwd })).toEqual([
    'b/2.json',
    '-',
    join(cwd, 'b/10.json'),
    join(cwd, 'b/a/x.json'),
  ]);
});

test('a link to a file is followed, one back to the folder is not', async () => {
  await symlink(join(cwd, 'c.txt'), join(cwd, 'b/link.json'));
  await symlink(join(cwd, 'b'), join(cwd, 'b/again'));
  expect(await findInputs(['b'], { cwd })).toEqual(['b/10.json', 'b/2.json', 'b/a/x.json', 'b/link.json']);
});

test.each([
  [['none.json'], 'bad-input', 'none.json'],
  [['b/2.json', 'none/'], 'bad-input', 'none/'],
  [['empty'], 'bad-input', 'below empty'],
  [['b/*.jsonl'], 'bad-input', 'no file matches b/*.jsonl'],
  [['c.txt/x.json'], 'bad-input', 'c.txt/x.json'],
  [[], 'bad-usage', 'nothing'],
])('%j: an error that says so', async (args, code, message) => {
  await mkdir(join(cwd, 'empty'));
  await expect(findInputs(args, { cwd })).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message),
    hint: expect.any(String),
  });
});
