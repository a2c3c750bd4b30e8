import { describe, expect, it } from 'vitest';
import { DEFAULT_REDACTION } from '../../src/recordings/redact/redaction.ts';
import { bodyToShow } from '../../src/server/exchange.ts';
import { ExchangeList } from '../../src/server/exchange-list.ts';
import type { ShownExchange } from '../../src/server/show-exchange.ts';
import { finding, finished, verdict } from '../support/finished-exchange.ts';
import { turn } from '../support/recordings.ts';

const listOf = (mostBytes?: number) => new ExchangeList(DEFAULT_REDACTION, mostBytes);
const ids = (list: Iterable<ShownExchange>) => Array.from(list, (shown) => shown.id);

function withBodies(id: number, size: number) {
  const body = bodyToShow(Buffer.alloc(size, 'x'));
  return finished({ id, requestBody: body, response: { status: 200, headers: [], body } });
}

it('lists those that are asked for, newest first, and forgets those of a session', () => {
  const list = listOf();
  list.add(finished({ id: 1, session: { name: 'a' }, verdict: verdict({ outcome: 'block' }) }));
  list.add(finished({ id: 2 }));
  list.add(finished({ id: 3, verdict: undefined, session: { name: '' } }));
  list.add(finished({ id: 4, session: { name: 'a' } }));
  expect(ids(list.list())).toEqual([4, 3, 2, 1]);
  expect(ids(list.list({ limit: 2 }))).toEqual([4, 3]);
  expect(ids(list.list({ limit: 0 }))).toEqual([]);
  expect(ids(list.list({ outcome: 'pass', limit: 1 }))).toEqual([4]);
  expect(ids(list.list({ outcome: 'block' }))).toEqual([1]);
  expect(ids(list.list({ session: 'a' }))).toEqual([4, 1]);
  expect(ids(list.list({ session: '' }))).toEqual([3, 2]);
  expect(list.get(4)).toMatchObject({ id: 4, request: { body: { json: { name: 'a' } } } });
  expect(list.get(8)).toBeUndefined();
  list.reset('a');
  expect(ids(list.list())).toEqual([3, 2]);
  list.reset();
  expect(ids(list.list())).toEqual([]);
  list.add(finished({ id: 5 }));
  expect(ids(list.list())).toEqual([5]);
});

it('leaves out what others are written over while it is being read', () => {
  const list = listOf(1000);
  for (let id = 1; id <= 3; id++) list.add(finished({ id }));
  const read: number[] = [];
  for (const { id } of list.list()) {
    read.push(id);
    if (id === 2) for (let i = 0; i < 20; i++) list.add(finished({ id: 10 + id }));
  }
  expect(read).toEqual([3, 2]);
});

describe('its bounds', () => {
  it('are a thousand exchanges, and 16 MiB', { tags: 'slow' }, () => {
    const list = listOf();
    for (let id = 1; id <= 2005; id++) list.add(finished({ id }));
    const kept = ids(list.list({ bodies: false }));
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([1000, 2005, 1006]);
    for (let id = 1; id <= 600; id++) list.add(withBodies(id, 65_536));
    const count = ids(list.list({ bodies: false })).length;
    expect(count).toBeGreaterThan(115);
    expect(count).toBeLessThan(128);
  });

  it('keep the newest whole, whatever their sizes, and use most of the room', () => {
    const list = listOf(3_000_000);
    for (let id = 1; id <= 3000; id++) {
      // Sizes in no order, with phases of short and of long ones.
      const size = (id * 7919) % (id % 500 < 250 ? 60_000 : 300);
      list.add({ ...withBodies(id, size), requestBody: bodyToShow(Buffer.alloc(size, `${id} `)) });
      if (id % 250 > 0) continue;
      const kept = [...list.list()];
      expect(kept.map((one) => one.id)).toEqual(kept.map((_, i) => id - i));
      let bytes = 0;
      for (const { id: own, request, response } of kept) {
        const { size = 0, text = '' } = (request.body ?? {}) as { size?: number; text?: string };
        expect(text).toBe(Buffer.alloc(size, `${own} `).toString());
        expect(response?.body?.size ?? 0).toBe(size);
        bytes += 2 * size;
      }
      if (kept.length < Math.min(id, 1000)) expect(bytes).toBeGreaterThan(2_000_000);
    }
  });

  it('count URLs, headers and findings, whose texts are cut', async () => {
    const list = listOf(250_000);
    const heard: ShownExchange[] = [];
    list.subscribe((shown) => heard.push(shown));
    const long = 'x'.repeat(10_000);
    const findings = Array.from({ length: 30 }, () => finding(long, { message: long, hint: long }));
    list.add(finished({ id: 1, verdict: verdict({ findings, omitted: 7 }) }));
    await turn();
    const text = `${'x'.repeat(2000)}…`;
    for (const shown of [list.get(1), heard[0]]) {
      expect(shown?.verdict).toMatchObject({ outcome: 'pass', omitted: 7 });
      expect(shown?.verdict?.findings[29]).toMatchObject({ pointer: text, message: text, hint: text });
    }
  });
});
