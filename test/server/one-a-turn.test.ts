import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { OneATurn } from '../../src/server/one-a-turn.ts';

it('does one piece of work a turn, in order, and never at once', async () => {
  const work = new OneATurn();
  const done: number[] = [];
  for (let i = 0; i < 4; i++) work.add(() => done.push(i));
  expect(done).toEqual([]);
  const seen: number[] = [];
  for (let i = 0; i < 4; i++) {
    await turn();
    seen.push(done.length);
  }
  expect(done).toEqual([0, 1, 2, 3]);
  // Whatever the turns of others are, no two pieces came in one.
  expect(seen.every((count, index) => count <= index + 1)).toBe(true);
});

it('takes further work while at it', async () => {
  const work = new OneATurn();
  const done: string[] = [];
  work.add(() => {
    done.push('first');
    work.add(() => done.push('second'));
  });
  await new Promise<void>((resolve) => {
    work.add(resolve);
  });
  await turn();
  expect(done).toEqual(['first', 'second']);
});
