import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Compactor } from '../../../src/recordings/store/compactor.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function newCompactor(isDue = () => true) {
  const begun: (() => void)[] = [];
  const compact = () => new Promise<void>((resolve) => begun.push(resolve));
  const compactor = new Compactor(compact, isDue);
  const counts = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    return begun.length;
  };
  return { compactor, counts, finish: () => begun.at(-1)?.() };
}

test('compacts once nothing has changed for 300 ms, where it is due', async () => {
  let isDue = false;
  const { compactor, counts } = newCompactor(() => isDue);
  compactor.changed();
  expect(await counts(299)).toBe(0);
  compactor.changed();
  expect(await counts(300)).toBe(0);
  isDue = true;
  compactor.changed();
  expect(await counts(300)).toBe(1);
});

test('tries again a second after a failure, unless something changes before', async () => {
  const { compactor, counts } = newCompactor();
  compactor.failed();
  expect(await counts(999)).toBe(0);
  expect(await counts(1)).toBe(1);
});

test('in a hurry compacts at once, but one at a time', async () => {
  const { compactor, counts, finish } = newCompactor();
  compactor.hurry();
  compactor.hurry();
  expect(await counts(0)).toBe(1);
  compactor.changed();
  expect(await counts(300)).toBe(1);
  finish();
  expect(await counts(0)).toBe(2);
});

test('ends behind what is under way, with what is needed then, and does nothing after it', async () => {
  const { compactor, counts, finish } = newCompactor();
  compactor.hurry();
  compactor.changed();
  let isEnded = false;
  const end = compactor.end(() => true).then(() => (isEnded = true));
  expect(await counts(1000)).toBe(1);
  finish();
  expect(await counts(0)).toBe(2);
  expect(isEnded).toBe(false);
  finish();
  await end;
  compactor.changed();
  compactor.hurry();
  compactor.failed();
  expect(await counts(2000)).toBe(2);
  await newCompactor().compactor.end(() => false);
});
