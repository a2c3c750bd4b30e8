import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { DEFAULT_REDACTION } from '../../src/recordings/redact/redaction.ts';
import { AS_SENT, EXCHANGES_KEPT, ExchangeList } from '../../src/server/exchange-list.ts';
import type { ShownExchange } from '../../src/server/show-exchange.ts';
import { finding, finished, verdict } from '../support/finished-exchange.ts';
import { turn } from '../support/recordings.ts';

function ids(list: Iterable<ShownExchange>): number[] {
  return Array.from(list, (shown) => shown.id);
}

function withBodies(id: number, size: number) {
  const body = Buffer.alloc(size, 'x');
  return finished({ id, requestBody: body, response: { status: 200, headers: [], body } });
}

it('lists the newest first', () => {
  const list = new ExchangeList(DEFAULT_REDACTION);
  for (const id of [1, 3, 2]) list.add(finished({ id }));
  expect(ids(list.list())).toEqual([2, 3, 1]);
  expect(ids(list.list({ limit: 2 }))).toEqual([2, 3]);
  expect(ids(list.list({ limit: 0 }))).toEqual([]);
});

it('filters by outcome; what was not judged has none', () => {
  const list = new ExchangeList(DEFAULT_REDACTION);
  list.add(finished({ id: 1, verdict: verdict({ outcome: 'block' }) }));
  list.add(finished({ id: 2 }));
  list.add(finished({ id: 3, verdict: undefined }));
  list.add(finished({ id: 4 }));
  expect(ids(list.list({ outcome: 'pass' }))).toEqual([4, 2]);
  expect(ids(list.list({ outcome: 'pass', limit: 1 }))).toEqual([4]);
  expect(ids(list.list({ outcome: 'block' }))).toEqual([1]);
  expect(ids(list.list())).toEqual([4, 3, 2, 1]);
});

it('filters by session, and forgets those of one', () => {
  const list = new ExchangeList(DEFAULT_REDACTION);
  list.add(finished({ id: 1, session: 'a' }));
  list.add(finished({ id: 2 }));
  list.add(finished({ id: 3, session: '' }));
  list.add(finished({ id: 4, session: 'a' }));
  expect(ids(list.list({ session: 'a' }))).toEqual([4, 1]);
  expect(ids(list.list({ session: '' }))).toEqual([3, 2]);
  expect(ids(list.list({ session: 'b' }))).toEqual([]);
  list.reset('a');
  expect(ids(list.list())).toEqual([3, 2]);
  list.add(finished({ id: 5, session: 'a' }));
  expect(ids(list.list())).toEqual([5, 3, 2]);
  list.reset('');
  expect(ids(list.list())).toEqual([5]);
});

it('gets one by its id', () => {
  const list = new ExchangeList(DEFAULT_REDACTION);
  list.add(finished({ id: 7 }));
  expect(list.get(7)).toMatchObject({ id: 7, request: { body: { json: { name: 'a' } } } });
  expect(list.get(8)).toBeUndefined();
});

it('leaves one at its place that is looked at', () => {
  const list = new ExchangeList(DEFAULT_REDACTION);
  for (const id of [1, 2, 3]) list.add(finished({ id }));
  list.get(1);
  expect(ids(list.list())).toEqual([3, 2, 1]);
});

describe('its bounds', () => {
  it('keeps the last thousand', { tags: 'slow' }, () => {
    const list = new ExchangeList(DEFAULT_REDACTION);
    for (let id = 1; id <= 2 * EXCHANGES_KEPT + 5; id++) list.add(finished({ id }));
    const kept = ids(list.list());
    expect(kept).toHaveLength(1000);
    expect([kept[0], kept.at(-1)]).toEqual([2005, 1006]);
    expect(list.get(1005)).toBeUndefined();
  });

  it('are told of what they cut off, in each session by itself', () => {
    const list = new ExchangeList(DEFAULT_REDACTION, 100_000);
    const areCut = (...sessions: (string | undefined)[]) =>
      sessions.map((session) => list[AS_SENT]({ session }).areCut);
    const addTo = (session: string) => list.add({ ...withBodies(1, 20_000), session });
    addTo('early');
    expect(areCut('early', undefined)).toEqual([false, false]);
    for (let i = 0; i < 3; i++) addTo('late');
    expect(areCut('early', 'late', undefined)).toEqual([true, true, true]);
    list.reset('late');
    expect(areCut('early', 'late', undefined)).toEqual([true, false, true]);
    list.reset();
    expect(areCut('early', undefined)).toEqual([false, false]);
    for (let i = 0; i < 20_000; i++) list.add(finished({ session: `${i}` }));
    expect(areCut('0', '19999', 'another')).toEqual([true, true, true]);
  });

  it('keeps 16 MiB', { tags: 'slow' }, () => {
    const list = new ExchangeList(DEFAULT_REDACTION);
    for (let id = 1; id <= 600; id++) list.add(withBodies(id, 65_536));
    const count = ids(list.list()).length;
    expect(count).toBeGreaterThan(115);
    expect(count).toBeLessThan(128);
    for (let id = 601; id <= 1500; id++) list.add(withBodies(id, 10));
    expect(ids(list.list()).length).toBeGreaterThan(899);
  });

  it('keeps the newest whole, whatever their sizes, and uses most of its room', () => {
    const list = new ExchangeList(DEFAULT_REDACTION, 3_000_000);
    for (let id = 1; id <= 3000; id++) {
      // Sizes in no order, with phases of short and of long ones.
      const size = (id * 7919) % (id % 500 < 250 ? 60_000 : 300);
      list.add({ ...withBodies(id, size), requestBody: Buffer.alloc(size, `${id} `) });
      if (id % 250 > 0) continue;
      const kept = [...list.list()];
      expect(kept.map((one) => one.id)).toEqual(kept.map((_, i) => id - i));
      let bytes = 0;
      for (const { id: own, request, response } of kept) {
        const { size: length = 0, text = '' } = (request.body ?? {}) as { size?: number; text?: string };
        expect(text).toBe(Buffer.alloc(length, `${own} `).toString());
        expect(response?.body?.size ?? 0).toBe(length);
        bytes += 2 * length;
      }
      if (kept.length < Math.min(id, 1000)) expect(bytes).toBeGreaterThan(2_000_000);
    }
  });

  it('counts URLs, headers and findings too', () => {
    const long = 'x'.repeat(10_000);
    const findings = Array.from({ length: 5 }, () => finding('/a', { message: 'x'.repeat(2000) }));
    for (const members of [
      { request: { method: 'PATCH', url: long, headers: [] } },
      { request: { method: 'PATCH', url: '/', headers: ['a', long] } },
      { response: { status: 200, headers: ['a', long], body: undefined } },
      { verdict: verdict({ findings }) },
    ]) {
      const list = new ExchangeList(DEFAULT_REDACTION, 50_000);
      for (let id = 1; id <= 100; id++) list.add(finished({ id, ...members }));
      const count = ids(list.list()).length;
      expect(count).toBeGreaterThan(0);
      expect(count).toBeLessThan(6);
    }
  });

  it('cuts the texts of findings, so that one exchange never takes the place of all', async () => {
    const list = new ExchangeList(DEFAULT_REDACTION);
    const heard: ShownExchange[] = [];
    list.subscribe((shown) => heard.push(shown));
    list.add(finished({ id: 1 }));
    const long = 'x'.repeat(1_000_000);
    const findings = Array.from({ length: 100 }, () => finding(long, { message: long, hint: long }));
    for (const id of [2, 3, 4]) list.add(finished({ id, verdict: verdict({ findings, omitted: 7 }) }));
    expect(ids(list.list())).toEqual([4, 3, 2, 1]);
    await turn();
    const text = `${'x'.repeat(2000)}…`;
    for (const shown of [list.get(2), heard[1]]) {
      expect(shown?.verdict).toMatchObject({ outcome: 'pass', omitted: 7 });
      expect(shown?.verdict?.findings).toHaveLength(100);
      expect(shown?.verdict?.findings[99]).toEqual(
        finding(text, { ...findings[99], pointer: text, message: text, hint: text }),
      );
    }
  });

  it('does not hold a body for a text of a finding that was cut out of it', { tags: 'slow' }, () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const held = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const list = new ExchangeList(DEFAULT_REDACTION);
    const before = held();
    for (let id = 1; id <= 30; id++) {
      const body = JSON.parse(`"${'x'.repeat(2_000_000)}"`) as string;
      const findings = [finding(body.slice(0, 100), { message: `${body.slice(0, 100)} is wrong` })];
      list.add(finished({ id, verdict: verdict({ findings }) }));
    }
    expect(held() - before).toBeLessThan(20_000_000);
    expect(ids(list.list())).toHaveLength(30);
  });

  it('drops one that is too large by itself, and goes on', () => {
    const list = new ExchangeList(DEFAULT_REDACTION, 5000);
    list.add(finished({ id: 1 }));
    list.add(withBodies(2, 5000));
    expect(ids(list.list())).toEqual([1]);
    list.add(finished({ id: 3 }));
    expect(ids(list.list())).toEqual([3, 1]);
  });
});

describe('listeners', () => {
  it('hear of each exchange, redacted and without bodies, until they leave', async () => {
    const list = new ExchangeList(DEFAULT_REDACTION);
    const heard: ShownExchange[] = [];
    list.add(finished({ id: 1 }));
    const leave = list.subscribe((shown) => heard.push(shown));
    list.add(
      finished({ id: 2, request: { method: 'PATCH', url: '/x?token=abc', headers: ['Cookie', 'abc'] } }),
    );
    // The answer goes out first.
    expect(heard).toEqual([]);
    await turn();
    leave();
    list.add(finished({ id: 3 }));
    await turn();
    expect(heard).toHaveLength(1);
    expect(heard[0]).toMatchObject({ id: 2, request: { url: '/x?token=[redacted]' } });
    expect(JSON.stringify(heard)).not.toMatch(/abc|body/);
  });
});

it('forgets on reset, and keeps its listeners', async () => {
  const list = new ExchangeList(DEFAULT_REDACTION, 4000);
  const heard: number[] = [];
  list.subscribe(({ id }) => heard.push(id));
  for (let id = 1; id <= 3; id++) list.add(finished({ id }));
  list.reset();
  expect(ids(list.list())).toEqual([]);
  expect(list.get(3)).toBeUndefined();
  list.add(finished({ id: 4 }));
  expect(ids(list.list())).toEqual([4]);
  await turn();
  expect(heard).toEqual([1, 2, 3, 4]);
});

it('does not mind what is added or reset while it is being read', () => {
  const list = new ExchangeList(DEFAULT_REDACTION);
  for (let id = 1; id <= 3; id++) list.add(finished({ id }));
  const read: number[] = [];
  for (const { id } of list.list()) {
    read.push(id);
    list.reset();
    list.add(finished({ id: 10 + id }));
  }
  expect(read).toEqual([3, 2, 1]);
});
