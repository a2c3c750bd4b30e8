import { expect, test } from 'vitest';
import { ProgressLine } from '../../../src/commands/check/progress.ts';

function shown() {
  let now = 1000;
  const written: string[] = [];
  const line = new ProgressLine(
    (text) => written.push(text),
    () => now,
  );
  const tellAt = (time: number, judged = time) => {
    now = time;
    line.tell({ files: 2, of: 1500, judged });
  };
  return { line, written, tellAt };
}

test('shows nothing of what is done in half a second', () => {
  const { line, written, tellAt } = shown();
  tellAt(1001);
  tellAt(1499);
  line.clear();
  expect(written).toEqual([]);
});

test('is written over, ten times a second at most, and taken off', () => {
  const { line, written, tellAt } = shown();
  for (let time = 1500; time < 2000; time++) tellAt(time, 12_345);
  expect(written).toHaveLength(5);
  expect(written[0]).toBe('\r\u001b[Kjudged 12,345 requests, 2 of 1,500 files');
  line.clear();
  line.clear();
  expect(written.slice(5)).toEqual(['\r\u001b[K']);
});
