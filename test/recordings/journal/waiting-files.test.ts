import { describe, expect, it } from 'vitest';
import { fileKey, WaitingFiles } from '../../../src/recordings/journal/waiting-files.ts';

const KEY = fileKey('PATCH', '/a');

function waitingFor(...stretches: [number, number][]): WaitingFiles {
  const waiting = new WaitingFiles();
  for (const [start, end] of stretches) waiting.add('PATCH', '/a', start, end, false);
  return waiting;
}

describe('WaitingFiles', () => {
  it('joins lines that follow one another', () => {
    const waiting = waitingFor([0, 10], [10, 30], [40, 50], [50, 60]);
    expect(waiting.get(KEY)?.stretches).toEqual([0, 30, 40, 60]);
  });

  it.each([
    [
      0,
      100,
      [
        [0, 30],
        [40, 60],
        [70, 80],
      ],
    ],
    [
      10,
      50,
      [
        [10, 30],
        [40, 50],
      ],
    ],
    [30, 70, [[40, 60]]],
    [60, 100, [[70, 80]]],
    [80, 100, []],
    [0, 0, []],
  ])('finds what lies between %i and %i', (from, to, found) => {
    expect(waitingFor([0, 30], [40, 60], [70, 80]).between(KEY, from, to)).toEqual(found);
  });

  it('forgets what a file has', () => {
    const waiting = waitingFor([0, 30], [40, 60]);
    waiting.add('GET', '/b', 30, 40, true);
    expect(waiting.first).toBe(0);
    waiting.settle(KEY, 45);
    expect(waiting.get(KEY)?.stretches).toEqual([45, 60]);
    expect(waiting.bytesOf(KEY)).toBe(15);
    expect(waiting.first).toBe(30);
    waiting.settle(KEY, 60);
    expect(waiting.get(KEY)).toBeUndefined();
    expect(waiting.all().map(({ place, replaces }) => ({ ...place, replaces }))).toEqual([
      { method: 'GET', path: '/b', replaces: true },
    ]);
    waiting.settle(fileKey('GET', '/b'), 40);
    expect([waiting.size, waiting.bytesOf(KEY), waiting.first]).toEqual([0, 0, undefined]);
  });
});
