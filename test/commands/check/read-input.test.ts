import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readInput } from '../../../src/commands/check/read-input.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'patchgate-input-'));
});
afterEach(() => rm(cwd, { recursive: true }));

const LIMIT = 1000;
const io = (...chunks: string[]) => ({
  cwd,
  stdin: Readable.from(chunks.map((chunk) => Buffer.from(chunk))),
});

test.each([
  ['{"formatVersion":1,"exchanges":[]}', 'recording'],
  ['\n{\n  "exchanges" : [], "formatVersion": 1 }', 'recording'],
  ['{"name":"formatVersion"}', 'body'],
  ['{"formatVersion', 'body'],
  ['[]', 'body'],
  ['', 'body'],
])('%j is a %s', async (content, kind) => {
  await writeFile(join(cwd, 'file'), content);
  expect(await readInput('file', io(), LIMIT)).toEqual({ name: 'file', kind, bytes: Buffer.from(content) });
});

test.each([
  ['', 'recording'],
  [' \n', 'recording'],
  ['{ "forma', 'recording'],
  ['{}', 'body'],
  ['{"name":', 'body'],
])('%j in the place of a recording is a %s', async (content, kind) => {
  await writeFile(join(cwd, 'PATCH.json'), content);
  expect((await readInput('PATCH.json', io(), LIMIT)).kind).toBe(kind);
});

test('standard input is read whole, wherever it is cut', async () => {
  const content = '{"formatVersion":1,"exchanges":[]}';
  const input = await readInput('-', io(...content), LIMIT);
  expect(input).toEqual({ name: '<stdin>', kind: 'recording', bytes: Buffer.from(content) });
});

test('a body is read no further than one byte past the limit', async () => {
  await writeFile(join(cwd, 'file'), 'x'.repeat(1_000_000));
  expect((await readInput('file', io(), LIMIT)).bytes.length).toBe(1001);
});

test('standard input without an end is not waited for', async () => {
  async function* endless() {
    for (;;) yield Buffer.alloc(100, 'x');
  }
  expect((await readInput('-', { ...io(), stdin: endless() }, LIMIT)).bytes.length).toBe(1001);
});

test('a recording may be larger than a body', async () => {
  const content = `{"formatVersion":1,"exchanges":["${'x'.repeat(200_000)}"]}`;
  await writeFile(join(cwd, 'file'), content);
  expect((await readInput('file', io(), LIMIT)).bytes.toString()).toBe(content);
});

test('what cannot be read is named', async () => {
  await expect(readInput('.', io(), LIMIT)).rejects.toMatchObject({
    code: 'bad-input',
    message: expect.stringMatching(/^cannot read \.: /),
  });
});
