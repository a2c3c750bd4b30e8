import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import { StoredExchange } from '../../src/recordings/exchange-index.ts';
import { explainMiss, type Miss } from '../../src/recordings/explain.ts';
import { type MatchRules, matchRules } from '../../src/recordings/match.ts';
import { redactionOf } from '../../src/recordings/redact/redaction.ts';
import type { RecordingStore } from '../../src/recordings/store.ts';
import { exchange } from '../support/exchanges.ts';

function explain(recorded: Exchange[], sent: Exchange, rules?: MatchRules): Miss {
  const store = { name: 'demo' } as Partial<RecordingStore> as RecordingStore;
  const stored = recorded.map((one) => new StoredExchange(one));
  return explainMiss(store, stored, sent.request, rules);
}

describe('the nearest exchange', () => {
  it('is explained place by place', () => {
    const recorded = exchange({
      query: 'limit=10&page=1',
      body: { json: { name: 'a', environments: [{ id: 1, name: 'A' }, { id: 2 }], old: null } },
    });
    const sent = exchange({
      query: 'limit=20',
      body: { json: { name: 'a', environments: [{ id: 1, name: 'B' }], 'a/b': [1] } },
    });
    const miss = explain([recorded], sent);
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

  it('is the one with the fewest differences, the oldest of equals', () => {
    const recorded = [
      { a: 9, b: 9 },
      { a: 1, b: 9 },
      { a: 9, b: 2 },
    ].map((json, day) => exchange({ body: { json }, recordedAt: `2026-01-0${day + 1}T00:00:00.000Z` }));
    const { nearest } = explain(recorded, exchange({ body: { json: { a: 1, b: 2 } } }));
    expect(nearest?.recordedAt).toBe('2026-01-02T00:00:00.000Z');
    expect(nearest?.differences).toEqual([{ place: '/b', recorded: '9', sent: '2' }]);
  });

  it('is shown without secrets', () => {
    const recorded = exchange({
      body: {
        json: {
          password: 'sk_live_4eC39HqLyjWDarjtT1zd1',
          nested: { deep: { secret: 'sk_live_4eC39HqLyjWDarjtT1zd2' } },
        },
      },
    });
    const sent = exchange({
      body: {
        json: {
          password: { x: 'sk_live_4eC39HqLyjWDarjtT1zd3' },
          a: { apiKey: 'sk_live_4eC39HqLyjWDarjtT1zd4' },
          nested: 's',
        },
      },
    });
    expect(JSON.stringify(explain([recorded], sent))).not.toContain('sk_live');
    const [text, other] = ['x', 'y'].map((word) => exchange({ body: { text: `${word} "token": "s3cret"` } }));
    expect(explain([text as Exchange], other as Exchange).nearest?.differences).toEqual([
      { place: 'body', recorded: 'x "token": "[redacted]"', sent: 'y "token": "[redacted]"' },
    ]);
  });

  it('is shown within bounds', () => {
    const json = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`m${i}`, 'x'.repeat(1000)]));
    const { nearest, text } = explain([exchange({ body: { json } })], exchange({ body: { json: {} } }));
    expect(nearest?.differences).toHaveLength(20);
    expect(text).toMatch(/; and perhaps more$/);
    expect(text.length).toBeLessThan(3000);
  });

  it('may have a body where none was sent', () => {
    const { nearest } = explain([exchange({ body: { json: { a: 1 } } })], exchange());
    expect(nearest?.differences).toEqual([{ place: 'body', recorded: '{"a":1}' }]);
  });

  it('is compared by the rules', () => {
    const rules = matchRules({
      matchHeaders: ['accept-language', 'x-id'],
      ignorePointers: ['/list/*/id'],
      ignoreQuery: ['t'],
    });
    const recorded = exchange({
      query: 't=1',
      requestHeaders: { 'accept-language': 'en' },
      body: { json: { list: [{ id: 1, n: 1 }] } },
    });
    const sent = exchange({
      query: 't=2',
      requestHeaders: { 'accept-language': 'de', 'x-id': '1' },
      body: { json: { list: [{ id: 2, n: 2 }] } },
    });
    const miss = explain([recorded], sent, rules);
    expect(miss.reason).toBe('differs');
    expect(miss.nearest?.differences).toEqual([
      { place: 'headers/accept-language', recorded: '"en"', sent: '"de"' },
      { place: 'headers/x-id', sent: '"1"' },
      { place: '/list/0/n', recorded: '1', sent: '2' },
    ]);
    expect(miss.text).toContain(
      'headers/x-id is unexpected: sent "1", and none was kept when it was recorded;',
    );
  });

  it('is shown without what the config calls secret', () => {
    const redaction = redactionOf({ redact: ['pin', '/users/*/email'] });
    const rules = matchRules({ matchHeaders: ['x-pin', 'pin'] }, redaction);
    const recorded = exchange({
      query: 'q=old+sk_live_4eC39HqLyjWDarjtT1zd1&pin=sk_live_4eC39HqLyjWDarjtT1zd2',
      requestHeaders: { pin: 'sk_live_4eC39HqLyjWDarjtT1zd3' },
      body: {
        json: {
          users: [{ email: 'a@example.com' }],
          note: 'old sk_live_4eC39HqLyjWDarjtT1zd4',
          pin: ['hidden1'],
        },
      },
    });
    const sent = exchange({
      query:
        'q=new+sk_live_4eC39HqLyjWDarjtT1zd5&pin=sk_live_4eC39HqLyjWDarjtT1zd6&sk_live_4eC39HqLyjWDarjtT1zd7=1',
      body: {
        json: {
          users: [{ email: 'b@example.com', x: 1 }],
          note: 'new sk_live_4eC39HqLyjWDarjtT1zd8',
          sk_live_4eC39HqLyjWDarjtT1zd9: 2,
          pin: 'hidden2',
        },
      },
    });
    const miss = explain([recorded], sent, rules);
    expect(JSON.stringify(miss)).not.toMatch(/s3cret|example|hidden/);
    expect(miss.text).toContain('/note: recorded "old [redacted]", sent "new [redacted]"');
  });
});

it('hints at recording, and at the options that ignore differences', () => {
  const { hint } = explain([exchange({ query: 'a=1' })], exchange({ query: 'a=2' }));
  expect(hint).toBe(
    'send the request as it was recorded, or record it: patchgate proxy <target> --record --recording demo; ' +
      'what may differ: --ignore-query, --ignore-pointers',
  );
});

/** A store of which only the paths are asked for; counts how often. */
function storeOf(lines: readonly string[]): RecordingStore & { asked: number } {
  const places = lines.map((line) => {
    const [method = '', path = ''] = line.split(' ');
    return { method, path };
  });
  const store = {
    name: 'demo',
    asked: 0,
    *places() {
      for (const place of places) {
        store.asked++;
        yield place;
      }
    },
  };
  return store as unknown as RecordingStore & { asked: number };
}

function explainPath(lines: readonly string[], path: string, rules = matchRules()): Miss {
  return explainMiss(storeOf(lines), [], exchange({ path }).request, rules);
}

it('looks at a bounded number of paths', () => {
  const many = storeOf(Array.from({ length: 5000 }, (_, i) => `PATCH /accounts/current/projects/${i}`));
  explainMiss(many, [], exchange({ path: '/a/b/c/d' }).request);
  expect(many.asked).toBeLessThan(1100);
});

describe('for a path that is not recorded', () => {
  it.each([
    [['GET /x', 'GET /api/v2/projects/42', 'PATCH /v2/projects/43'], 'GET /api/v2/projects/42'],
    [['PATCH /api/v3/projects/42', 'GET /api/v3/projects/42/y'], 'GET /api/v3/projects/42/y'],
    [['GET /x/y', 'PATCH /api/z/projects'], 'PATCH /api/z/projects'],
    [['PATCH /api/v3/features/8', 'PATCH /api/v3/projects/7/y'], 'PATCH /api/v3/projects/7/y'],
  ])('of %j the nearest is %s', (paths, nearest) => {
    const miss = explainPath(paths, '/api/v3/projects/42/y');
    expect(miss.text).toBe(
      'nothing is recorded for PATCH /api/v3/projects/42/y in the recording "demo"; ' +
        `the nearest is ${nearest}`,
    );
    expect(`${miss.nearest?.method} ${miss.nearest?.path}`).toBe(nearest);
  });

  it('says so of an empty recording', () => {
    expect(explainPath([], '/a')).toEqual({
      recording: 'demo',
      reason: 'empty',
      text: 'nothing is recorded for PATCH /a in the recording "demo", which is empty',
      hint: 'record something first: patchgate proxy <target> --record --recording demo; or give another name with --recording',
    });
  });
});

it('shows no secret of a path', () => {
  const rules = matchRules({}, redactionOf());
  for (const lines of [
    ['PATCH /sk_live_4eC39HqLyjWDarjtT1zd1/b/c'],
    ['GET /a/sk_live_4eC39HqLyjWDarjtT1zd2'],
    ['PATCH /sk_live_4eC39HqLyjWDarjtT1zd3/x'],
  ]) {
    expect(JSON.stringify(explainPath(lines, '/a/b/c', rules))).not.toContain('sk_live');
  }
});
