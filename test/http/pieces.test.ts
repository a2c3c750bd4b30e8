import { describe, expect, it } from 'vitest';
import { Pieces } from '../../src/http/pieces.ts';

/** Pieces of the given lengths, each byte telling its place. */
function cut(lengths: readonly number[]): { whole: Buffer; parts: Buffer[] } {
  const whole = Buffer.from(
    Array.from({ length: lengths.reduce((sum, length) => sum + length, 0) }, (_, i) => i % 251),
  );
  let start = 0;
  const parts = lengths.map((length) => {
    start += length;
    return whole.subarray(start - length, start);
  });
  return { whole, parts };
}

describe('pieces', () => {
  it.each([
    [[]],
    [[5]],
    [[1, 1, 1]],
    [[5000, 1, 1, 5000, 1, 5000]],
    [[1, 255, 1, 256, 1, 1023, 1, 1024, 1, 1025, 1]],
    [[0, 0, 3, 0]],
    [Array.from({ length: 70_000 }, () => 1)],
  ])('together are what came (%j)', (lengths) => {
    const { whole, parts } = cut(lengths);
    const pieces = new Pieces();
    for (const part of parts) pieces.add(part);
    expect(pieces.size).toBe(whole.length);
    expect(pieces.joined().equals(whole)).toBe(true);
  });

  it('that are single are not copied', () => {
    const pieces = new Pieces();
    const piece = Buffer.from('{}');
    pieces.add(piece);
    expect(pieces.joined()).toBe(piece);
  });
});
