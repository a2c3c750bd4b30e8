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

  it('that are short take about their own length', () => {
    const pieces = new Pieces();
    for (let i = 0; i < 100_000; i++) pieces.add(Buffer.alloc(1));
    expect(pieces.joined().buffer.byteLength).toBeLessThanOrEqual(200_000);
  });

  it('that were joined stay as they are when more comes', () => {
    const pieces = new Pieces();
    pieces.add(Buffer.from('a'));
    pieces.add(Buffer.from('b'));
    const before = pieces.joined();
    pieces.add(Buffer.from('c'));
    expect([before.toString(), pieces.joined().toString()]).toEqual(['ab', 'abc']);
  });

  it('can be forgotten', () => {
    const pieces = new Pieces();
    for (let i = 0; i < 10; i++) pieces.add(Buffer.from('x'));
    pieces.clear();
    pieces.add(Buffer.from('y'));
    pieces.add(Buffer.from('z'));
    expect([pieces.size, pieces.joined().toString()]).toEqual([2, 'yz']);
  });
});
