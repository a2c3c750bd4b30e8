import { describe, expect, test } from 'vitest';
import { excerptAt, placedSubjects } from '../../../src/commands/check/places.ts';

const TEXT = '{\n  "a": 1,\r\n\n  "b": "x"\n}';

describe('an excerpt', () => {
  test('is the line, without its end', () => {
    expect(excerptAt(TEXT, 4)).toEqual({ text: '  "a": 1,', caret: 2 });
    expect(excerptAt(TEXT, TEXT.length - 1)).toEqual({ text: '}', caret: 0 });
    expect(excerptAt(TEXT, TEXT.length)).toEqual({ text: '}', caret: 1 });
    expect(excerptAt('', 0)).toEqual({ text: '', caret: 0 });
  });

  test('of a long line is what is around the place', () => {
    const line = `${'a'.repeat(1000)}X${'b'.repeat(1000)}`;
    const { text, caret } = excerptAt(line, 1000);
    expect(text).toBe(`…${'a'.repeat(300)}X${'b'.repeat(199)}…`);
    expect(text[caret]).toBe('X');
  });

  test('of a line that is just not too long is all of it', () => {
    for (const end of ['', '\n', '\r\n', '\r\nx'])
      expect(excerptAt(`x\n${'a'.repeat(500)}${end}`, 2)).toEqual({ text: 'a'.repeat(500), caret: 0 });
  });

  test('at the end of a long line keeps the caret', () => {
    const { text, caret } = excerptAt('a'.repeat(1000), 1000);
    expect(caret).toBe(text.length);
  });
});

test('a finding has its place in the file, with the line around it', () => {
  const finding = { rule: 'r', severity: 'error', basis: 'stated', pointer: '', message: '' } as const;
  const subject = { pointer: '', outcome: 'pass', findings: [finding], omitted: 0 } as const;
  const text = '{"a":1, "b":2}';
  const [found] = placedSubjects(text, [subject], [{ pointer: '/b', part: 'value' }]);
  expect(found?.findings).toMatchObject([
    { line: 1, column: 13, excerpt: { text: '{"a":1, "b":2}', caret: 12 } },
  ]);
});
