import { describe, expect, it } from 'vitest';
import { Pieces } from '../../src/http/pieces.ts';

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
    const parts = lengths.map((length, index) => Buffer.alloc(length, index % 251));
    const whole = Buffer.concat(parts);
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
