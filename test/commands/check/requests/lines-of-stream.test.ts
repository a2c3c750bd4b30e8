import { expect, it } from 'vitest';
import { linesOfStream } from '../../../../src/commands/check/requests/lines-of-stream.ts';
import { chunksOf } from '../../../support/check.ts';

async function linesOf(text: string, size: number, most?: number) {
  const lines = [];
  for await (const { bytes, line, isEnded } of linesOfStream(chunksOf(Buffer.from(text), size), 'x', most))
    lines.push([bytes.toString(), line, isEnded]);
  return lines;
}

it('lines are those that are not blank, wherever they are cut', async () => {
  for (const size of [1, 2, 3, 100]) {
    expect(await linesOf('\n{"é":1}\r\n \t\r\n\n[]\n{', size)).toEqual([
      ['{"é":1}\r', 2, true],
      ['[]', 5, true],
      ['{', 6, false],
    ]);
    expect(await linesOf('', size)).toEqual([]);
  }
});

it('lines have a bounded length', async () => {
  const text = `{}\n${'x'.repeat(2000)}`;
  expect(await linesOf(text, 100, 2000)).toHaveLength(2);
  await expect(linesOf(text, 100, 1024)).rejects.toMatchObject({
    code: 'bad-input',
    message: 'x:2:1: the line has more than 0.0009765625 MiB',
  });
});
