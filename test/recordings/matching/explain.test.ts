import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/model/exchange.ts';
import { explainMiss, type Miss } from '../../../src/recordings/matching/explain.ts';
import { ComparedRequest } from '../../../src/recordings/matching/sent-request.ts';
import type { RecordingStore } from '../../../src/recordings/store.ts';
import { exchange, type WholeExchange } from '../../support/exchanges.ts';

/** A store of which only the paths are asked for. */
function storeOf(paths: string[]): RecordingStore {
  return {
    name: 'demo',
    async *paths() {
      for (const line of paths) {
        const [method = '', path = ''] = line.split(' ');
        yield { method, path };
      }
    },
  } as Partial<RecordingStore> as RecordingStore;
}

function explain(recorded: Exchange[], sent: WholeExchange): Promise<Miss> {
  return explainMiss(storeOf([]), recorded, new ComparedRequest(sent.request));
}

describe('the nearest exchange', () => {
  it('is explained place by place', async () => {
    const recorded = exchange({
      query: 'limit=10&page=1',
      body: { json: { name: 'a', environments: [{ id: 1, name: 'A' }, { id: 2 }], old: null } },
    });
    const sent = exchange({
      query: 'limit=20',
      body: { json: { name: 'a', environments: [{ id: 1, name: 'B' }], 'a/b': [1] } },
    });
    const miss = await explain([recorded], sent);
    expect(miss.nearest?.differences).toEqual([
      { place: 'query/limit', recorded: '"10"', sent: '"20"' },
      { place: 'query/page', recorded: '"1"' },
      { place: '/environments/0/name', recorded: '"A"', sent: '"B"' },
      { place: '/environments/1', recorded: '{"id":2}' },
      { place: '/old', recorded: 'null' },
      { place: '/a~1b', sent: '[1]' },
    ]);
    expect(miss.text).toBe(
      'no exchange in the recording "demo" matches this PATCH /api/v2/accounts/current/projects/42; ' +
        'in the nearest query/limit: recorded "10", sent "20"; query/page is missing: recorded "1"; ' +
        '/environments/0/name: recorded "A", sent "B"; /environments/1 is missing: recorded {"id":2}; ' +
        '/old is missing: recorded null; /a~1b is unexpected: sent [1]',
    );
  });

  it('is the one with the fewest differences, the oldest of equals', async () => {
    const recorded = [
      { a: 9, b: 9 },
      { a: 1, b: 9 },
      { a: 9, b: 2 },
    ].map((json, day) => exchange({ body: { json }, recordedAt: `2026-01-0${day + 1}T00:00:00.000Z` }));
    const { nearest } = await explain(recorded, exchange({ body: { json: { a: 1, b: 2 } } }));
    expect(nearest?.recordedAt).toBe('2026-01-02T00:00:00.000Z');
    expect(nearest?.differences).toEqual([{ place: '/b', recorded: '9', sent: '2' }]);
  });

  it('is shown without secrets', async () => {
    const recorded = exchange({
      query: 'token=s3cret1&q=1',
      body: { json: { password: 's3cret2', a: 1, nested: { deep: { secret: 's3cret3' } } } },
    });
    const sent = exchange({
      query: 'token=s3cret4&q=2',
      body: { json: { password: { x: 's3cret5' }, a: { apiKey: 's3cret6' }, nested: 's' } },
    });
    const miss = await explain([recorded], sent);
    expect(JSON.stringify(miss)).not.toContain('s3cret');
    expect(miss.nearest?.differences).toContainEqual({
      place: '/password',
      recorded: '[redacted]',
      sent: '[redacted]',
    });
    const text = await explain(
      [exchange({ body: { text: 'x "token": "s3cret"' } })],
      exchange({ body: { text: 'y "token": "s3cret"' } }),
    );
    expect(text.nearest?.differences).toEqual([
      { place: 'body', recorded: 'x "token": "[redacted]"', sent: 'y "token": "[redacted]"' },
    ]);
  });

  it('is shown within bounds', async () => {
    const json = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`m${i}`, 'x'.repeat(1000)]));
    const { nearest, text } = await explain([exchange({ body: { json } })], exchange({ body: { json: {} } }));
    expect(nearest?.differences).toHaveLength(20);
    expect(nearest?.omitted).toBe(80);
    expect(text).toMatch(/; and 80 more$/);
    expect(text.length).toBeLessThan(3000);
  });

  it('is looked for among a bounded number of values', async () => {
    const list = Array.from({ length: 70_000 }, (_, i) => i);
    const recorded = [3, 2, 1].map((count, day) => {
      const differing = Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, 1]));
      const recordedAt = `2026-01-0${day + 1}T00:00:00.000Z`;
      return exchange({ body: { json: { list, ...differing } }, recordedAt });
    });
    const sent = exchange({ body: { json: { list: [...list] } } });
    const { nearest } = await explain(recorded, sent);
    expect(nearest?.recordedAt).toBe('2026-01-02T00:00:00.000Z');
  });

  it('names places with long names within bounds', async () => {
    const json = { ['x'.repeat(50_000)]: 1 };
    const { text } = await explain([exchange({ body: { json: {} } })], exchange({ body: { json } }));
    expect(text).toMatch(/in the nearest \/x{79}… is unexpected: sent 1$/);
  });

  it('may have a body where none was sent', async () => {
    const { nearest } = await explain([exchange({ body: { json: { a: 1 } } })], exchange());
    expect(nearest?.differences).toEqual([{ place: 'body', recorded: '{"a":1}' }]);
  });
});

describe('where nothing is recorded for the method and path', () => {
  it.each([
    [['GET /x', 'GET /api/v2/projects/42', 'PATCH /v2/projects/43'], 'GET /api/v2/projects/42'],
    [['GET /x', 'PATCH /v2/projects/42'], 'PATCH /v2/projects/42'],
    [['GET /api/v2/projects/43', 'PATCH /api/v2/projects/43'], 'PATCH /api/v2/projects/43'],
  ])('of %j the nearest is %s', async (paths, nearest) => {
    const { request } = exchange({ path: '/api/v2/projects/42' });
    const miss = await explainMiss(storeOf(paths), [], new ComparedRequest(request));
    expect(miss.text).toBe(
      'nothing is recorded for PATCH /api/v2/projects/42 in the recording "demo"; ' +
        `the nearest is ${nearest}`,
    );
    expect(`${miss.nearest?.method} ${miss.nearest?.path}`).toBe(nearest);
  });

  it('says so of an empty recording', async () => {
    const miss = await explainMiss(storeOf([]), [], new ComparedRequest(exchange({ path: '/a' }).request));
    expect(miss).toEqual({
      recording: 'demo',
      text: 'nothing is recorded for PATCH /a in the recording "demo", which is empty',
    });
  });
});
