import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { FileIndex } from '../../../src/recordings/files/file-index.ts';

const keyOf = (i: number) => hash('sha1', String(i), 'binary');

/** Every third request is the same, every tenth has a placeholder; every other one is of a session, if there are any. */
function entries(count: number, from = 0, sessions = 0) {
  return Array.from({ length: count }, (_, i) => {
    const at = from + i;
    return {
      start: at * 100,
      end: at * 100 + 99,
      key: keyOf(at % 3 === 0 ? -1 : at),
      isOpen: at % 10 === 1,
      session: sessions > 0 && at % 2 === 0 ? `test ${at % sessions}` : '',
    };
  });
}

it.each([0, 1, 2, 15, 16, 17, 1000])('finds each of %i by its key, in their order', (count) => {
  const index = FileIndex.of(entries(count));
  expect(index.length).toBe(count);
  const all = Array.from({ length: count }, (_, i) => i);
  expect([...index.open]).toEqual(all.filter((i) => i % 10 === 1));
  expect(index.withKey(keyOf(-1))).toEqual(all.filter((i) => i % 3 === 0 && i % 10 !== 1));
  for (const i of all.filter((one) => one % 3 !== 0 && one % 10 !== 1)) {
    expect(index.withKey(keyOf(i))).toEqual([i]);
    expect(index.stretch(i)).toEqual({ start: i * 100, end: i * 100 + 99 });
  }
  expect(index.withKey(keyOf(-2))).toEqual([]);
});

it('walks through a long sequence once, and counts what it keeps of it', () => {
  const index = FileIndex.of(entries(100));
  const { size } = index;
  const found = index.withKey(keyOf(-1));
  expect(index.withKey(keyOf(-1))).toBe(found);
  expect(index.withKey(keyOf(2))).toEqual([2]);
  expect(index.size).toBe(size + 8 * found.length);
});

it.each([0, 7])(
  'is the same when it has grown, and when it was written out: with %i sessions',
  (sessions) => {
    const grown = FileIndex.of(entries(30, 70, sessions), FileIndex.of(entries(70, 0, sessions)));
    const all = entries(100, 0, sessions);
    const whole = FileIndex.of(all);
    expect(grown.bytes()).toEqual(whole.bytes());
    const bytes = Buffer.concat(whole.bytes());
    const read = FileIndex.from(bytes, 100, whole.open.length, whole.names.length) as FileIndex;
    expect(read.bytes()).toEqual(whole.bytes());
    expect(read.withKey(keyOf(-1))).toEqual(whole.withKey(keyOf(-1)));
    for (const index of [grown, read])
      expect(all.map((_, i) => index.sessionOf(i))).toEqual(all.map(({ session }) => session));
  },
);

it('is not taken from bytes of another size', () => {
  const index = FileIndex.of(entries(20));
  const bytes = Buffer.concat(index.bytes());
  expect(FileIndex.from(bytes.subarray(1), 20, index.open.length, 0)).toBeUndefined();
  expect(FileIndex.from(bytes, 21, index.open.length, 0)).toBeUndefined();
  expect(FileIndex.from(bytes, Number.NaN, index.open.length, 0)).toBeUndefined();
  expect(FileIndex.from(bytes, 20, index.open.length, 1)).toBeUndefined();
});
