import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Input, type InputIo, readInput } from '../../../src/commands/check/read-input.ts';

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

async function readBytes(file: string, from: InputIo = io()): Promise<Input> {
  return readInput(file, from, LIMIT);
}

test.each([
  ['{"formatVersion":1,"exchanges":[]}', 'recording'],
  ['\n{\n  "exchanges" : [], "formatVersion": 1 }', 'recording'],
  ['{"name":"formatVersion"}', 'body'],
  ['{"formatVersion', 'body'],
  ['[]', 'body'],
  ['', 'body'],
])('%j is a %s', async (content, kind) => {
  await writeFile(join(cwd, 'file'), content);
  expect(await readInput('file', io(), LIMIT)).toEqual({
    ...{ name: 'file', path: join(cwd, 'file') },
    ...{ kind, bytes: Buffer.from(content) },
  });
});

test.each([
  ['x.json', '{"log":', 'har'],
  ['x.json', '\ufeff{ "log" : {}}', 'har'],
  ['x.HAR', '', 'har'],
  ['x.har', '{"formatVersion":1}', 'recording'],
  ['x', '{"url":"x"', 'body'],
  ['x', '{"environments":[{"id":1}\n,{"method":"x"}]}', 'body'],
  ['x', '{"environments":[\n{"id":1}]}', 'body'],
  ['x', '{"name":"a"}\n', 'body'],
  ['x', '{"name":"\\"method\\":1"}', 'body'],
  ['x', '{"method":1}', 'body'],
  ['x', '[]\n[]', 'body'],
])('%s with %j is a %s', async (name, content, kind) => {
  await writeFile(join(cwd, name), content);
  expect((await readInput(name, io(), LIMIT)).kind).toBe(kind);
  expect((await readInput('-', io(...content), LIMIT)).kind).toBe(name === 'x.HAR' ? 'body' : kind);
});

test('an archive is read whole', async () => {
  const content = `{"log":"${'x'.repeat(600_000)}"}`;
  await writeFile(join(cwd, 'file'), content);
  for (const from of ['file', '-']) {
    const { bytes } = await readInput(from, io(...(content.match(/.{1,1000}/gs) ?? [])), LIMIT);
    expect(bytes.toString()).toBe(content);
  }
});

test.each([
  ['', 'recording'],
  ['[]', 'recording'],
  ['<<<<<<< HEAD', 'recording'],
  ['\ufeff{"formatVersion":1', 'recording'],
  ['\ufeff{"name":1', 'body'],
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
  expect(input).toEqual({ name: '<stdin>', path: undefined, kind: 'recording', bytes: Buffer.from(content) });
});

test('a body is read no further than one byte past the limit', async () => {
  await writeFile(join(cwd, 'file'), 'x'.repeat(1_000_000));
  expect((await readBytes('file')).bytes.length).toBe(1001);
});

test('standard input without an end is not waited for', async () => {
  async function* endless() {
    for (;;) yield Buffer.alloc(100, 'x');
  }
  expect((await readBytes('-', { ...io(), stdin: endless() })).bytes.length).toBe(1001);
});

test('a recording may be larger than a body', async () => {
  const content = `{"formatVersion":1,"exchanges":["${'x'.repeat(200_000)}"]}`;
  await writeFile(join(cwd, 'file'), content);
  expect((await readBytes('file')).bytes.toString()).toBe(content);
});

test('what cannot be read is named', async () => {
  await expect(readInput('.', io(), LIMIT)).rejects.toMatchObject({
    code: 'bad-input',
    message: 'cannot read .: it is a folder',
  });
  await expect(readInput('gone.json', io(), LIMIT)).rejects.toMatchObject({
    code: 'bad-input',
    message: 'cannot read gone.json: it does not exist',
  });
});
