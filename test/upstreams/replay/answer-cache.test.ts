import { expect, it } from 'vitest';
import { AnswerCache, type CachedAnswer } from '../../../src/upstreams/replay/answer-cache.ts';

const MIB = 1024 * 1024;

function answer(i: number, length = 1000): CachedAnswer {
  return {
    head: {
      status: 200 + (i % 300),
      message: '',
      headers: ['content-type', 'text/plain', 'x-i', `${i}`],
      tookMs: i / 2,
    },
    body: Buffer.alloc(length, `${i} `),
    index: i,
    recordedAt: '2026-01-01T00:00:00.123Z',
  };
}

const keyOf = (i: number) => AnswerCache.keyOf('PATCH', `/a/${i}`, Buffer.from('{}'));

it('gives back what it was given, by method, URL and body', () => {
  const cache = new AnswerCache(MIB);
  const bare = { ...answer(3, 0), head: { status: 204, message: '', headers: [], tookMs: 0.25 } };
  cache.add(keyOf(1), answer(1));
  cache.add(keyOf(2), bare);
  expect(cache.get(keyOf(1))).toEqual(answer(1));
  expect(cache.get(keyOf(2))).toEqual(bare);
  expect(cache.get(AnswerCache.keyOf('PUT', '/a/1', Buffer.from('{}')))).toBeUndefined();
  expect(cache.get(AnswerCache.keyOf('PATCH', '/a/1', Buffer.from('{ }')))).toBeUndefined();
});

it('lets the oldest go first, a slab of a MiB at a time', () => {
  const cache = new AnswerCache(3 * MIB);
  for (let i = 0; i < 10_000; i++) cache.add(keyOf(i), answer(i));
  const left = Array.from({ length: 10_000 }, (_, i) => i).filter((i) => cache.get(keyOf(i)));
  expect(left.length).toBeGreaterThan(1700);
  expect(left.length).toBeLessThan(3000);
  expect(left).toEqual(Array.from(left, (_, i) => 10_000 - left.length + i));
  for (const i of left) expect(cache.get(keyOf(i))?.body.equals(answer(i).body)).toBe(true);
});

it('takes the newest of one key, which outlives the place of the former', () => {
  const cache = new AnswerCache(2 * MIB);
  cache.add(keyOf(0), answer(1));
  for (let i = 1; i < 1200; i++) cache.add(keyOf(i), answer(i));
  cache.add(keyOf(0), answer(2));
  for (let i = 1200; i < 2100; i++) cache.add(keyOf(i), answer(i));
  expect(cache.get(keyOf(1))).toBeUndefined();
  expect(cache.get(keyOf(0))).toEqual(answer(2));
});

it('does not take what is large, nor anything without memory', () => {
  const cache = new AnswerCache(MIB);
  cache.add(keyOf(0), answer(0, MIB / 4));
  expect(cache.get(keyOf(0))).toBeUndefined();
  const none = new AnswerCache(1000);
  none.add(keyOf(0), answer(0));
  expect(none.get(keyOf(0))).toBeUndefined();
});

it('gives copies, which stay as they are', () => {
  const cache = new AnswerCache(MIB);
  cache.add(keyOf(0), answer(0));
  const got = cache.get(keyOf(0));
  for (let i = 1; i < 3000; i++) cache.add(keyOf(i), answer(i));
  expect(got).toEqual(answer(0));
});
