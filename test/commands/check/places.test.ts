import { describe, expect, test } from 'vitest';
import { TextLines } from '../../../src/commands/check/places.ts';

const TEXT = '{\n  "a": 1,\r\n\n  "b": "x"\n}';

describe('an excerpt', () => {
  test('is the line, without its end', () => {
    expect(new TextLines(TEXT).excerptAt({ line: 2, column: 3 })).toEqual({ text: '  "a": 1,', caret: 2 });
    expect(new TextLines(TEXT).excerptAt({ line: 5, column: 1 })).toEqual({ text: '}', caret: 0 });
  });

  test('of a long line is what is around the place', () => {
    const line = `${'a'.repeat(1000)}X${'b'.repeat(1000)}`;
    const { text, caret } = new TextLines(line).excerptAt({ line: 1, column: 1001 });
    expect(text).toBe(`…${'a'.repeat(300)}X${'b'.repeat(199)}…`);
    expect(text[caret]).toBe('X');
  });

  test('at the end of a long line keeps the caret', () => {
    const { text, caret } = new TextLines('a'.repeat(1000)).excerptAt({ line: 1, column: 1001 });
    expect(caret).toBe(text.length);
  });
});

describe('a line of a file', () => {
  const before = `${'x'.repeat(30)}\n`;
  const part = '{"a":1, "b":2}';
  const lines = new TextLines(part, 2);
  const whole = new TextLines(before + part);

  test('has the places and the excerpts that it has in the file', () => {
    for (let offset = 0; offset <= part.length; offset++) {
      const place = whole.placeOf(before.length + offset);
      expect(lines.placeOf(offset)).toEqual(place);
      expect(lines.offsetOf(place)).toBe(offset);
      expect(lines.excerptAt(place)).toEqual(whole.excerptAt(place));
    }
  });
});
