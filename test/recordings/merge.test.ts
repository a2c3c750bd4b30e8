import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import type { Counts, MergeMode } from '../../src/recordings/journal.ts';
import { DEFAULT_RULES, matchRules } from '../../src/recordings/match.ts';
import { essenceOf, merge, withoutSurplus } from '../../src/recordings/merge.ts';
import { exchange } from '../support/exchanges.ts';

/** `a1`: the answer 1 to the request a; `a1@s`: in the session s; `a1 x`: with the request id x, as of another day. */
function read(word: string): Exchange {
  const [, query = '', text = '', , session, , id = ''] = /^(\w)(\d+)(@(\w+))?( (\w+))?$/.exec(word) ?? [];
  return exchange({
    query,
    answer: { text },
    headers: { 'x-request-id': id, etag: `"${id}"` },
    recordedAt: `2026-01-0${id.length + 1}T00:00:00.000Z`,
    ...(session && { session }),
  });
}

function words(exchanges: readonly Exchange[]): string[] {
  return exchanges.map(({ request, response, meta }) => {
    const id = response?.headers['x-request-id'];
    const { text = '' } = (response?.body ?? {}) as { text?: string };
    return `${request.query}${text}${meta.session ? `@${meta.session}` : ''}${id ? ` ${id}` : ''}`;
  });
}

/** One run to its end, merged in so many batches as there are lists. */
function run(before: readonly string[], mode: MergeMode, ...batches: readonly string[][]): string[] {
  let exchanges: readonly Exchange[] = before.map(read);
  let counts: Counts = {};
  for (const batch of batches) {
    const once = merge(exchanges, batch.map(read), mode, counts, DEFAULT_RULES);
    // Killed before the counts were written, it is merged again.
    expect(merge(once.exchanges, batch.map(read), mode, counts, DEFAULT_RULES)).toEqual({
      ...once,
      exchanges: once.exchanges,
    });
    ({ exchanges, counts } = once);
  }
  return words(mode === 'all' ? withoutSurplus(exchanges, counts, DEFAULT_RULES) : exchanges);
}

describe('a run of mode all', () => {
  it.each<[title: string, before: string[], batches: string[][], after: string[]]>([
    ['writes what it recorded, the first time', [], [['a1', 'b1', 'a2']], ['a1', 'b1', 'a2']],
    ['changes nothing by the same traffic', ['a1', 'b1', 'a2'], [['a1', 'b1', 'a2']], ['a1', 'b1', 'a2']],
    ['keeps the places in another order', ['a1', 'b1', 'a2'], [['b1', 'a1', 'a2']], ['a1', 'b1', 'a2']],
    ['takes one answer that changed', ['a1', 'b1', 'a2'], [['a1', 'b1', 'a3']], ['a1', 'b1', 'a3']],
    ['drops what earlier runs had more of', ['a1', 'b1', 'a2', 'a3'], [['a1', 'b1']], ['a1', 'b1']],
    ['puts what it has more of behind', ['a1', 'b1'], [['a1', 'a2', 'b1', 'c1']], ['a1', 'b1', 'a2', 'c1']],
    ['keeps what it did not ask for', ['a1', 'b1', 'b2'], [['a2']], ['a2', 'b1', 'b2']],
    ['keeps each session by itself', ['a1@s', 'a2', 'a3@t'], [['a4', 'a5@t']], ['a1@s', 'a4', 'a5@t']],
    ['goes on counting', ['a1', 'a2', 'a3'], [['a1'], ['a4'], ['a3', 'a5']], ['a1', 'a4', 'a3', 'a5']],
    ['keeps what differs by noise alone', ['a1 x', 'b1 x'], [['a1 yy', 'b2 yy']], ['a1 x', 'b2 yy']],
  ])('%s', (_, before, batches, after) => {
    expect(run(before, 'all', ...batches)).toEqual(after);
  });

  it('gives the very list where nothing changes, and says whether something is left over', () => {
    const before = ['a1', 'a2'].map(read);
    const same = merge(before, ['a1', 'a2'].map(read), 'all', {}, DEFAULT_RULES);
    expect(same.exchanges).toBe(before);
    expect(same.hasSurplus).toBe(false);
    expect(Object.values(same.counts)).toEqual([2]);
    expect(merge(before, [read('a1')], 'all', {}, DEFAULT_RULES).hasSurplus).toBe(true);
  });
});

describe('a run of mode append', () => {
  it.each<[title: string, before: string[], batches: string[][], after: string[]]>([
    ['puts all behind', ['a1', 'b1'], [['a2', 'b1 x']], ['a1', 'b1', 'a2', 'b1 x']],
    ['leaves out what is there already', ['a1', 'b1'], [['a1', 'a2']], ['a1', 'b1', 'a2']],
    ['keeps what came twice', ['a1'], [['a1', 'a1', 'a2', 'a2']], ['a1', 'a1', 'a2', 'a2']],
    ['goes on behind', [], [['a1'], ['b1', 'a2']], ['a1', 'b1', 'a2']],
  ])('%s', (_, before, batches, after) => {
    expect(run(before, 'append', ...batches)).toEqual(after);
  });
});

describe('noise', () => {
  const base = exchange({ answer: { text: '1' }, headers: { etag: '"1"' } });
  it.each<[isNoise: boolean, what: string, other: Exchange]>([
    [true, 'times', { ...base, meta: { ...base.meta, durationMs: 99 } }],
    [true, 'a trace id', exchange({ answer: { text: '1' }, headers: { etag: '"1"', traceparent: 'x' } })],
    [true, 'the tag of the same body', exchange({ answer: { text: '1' }, headers: { etag: '"2"' } })],
    [false, 'no tag', exchange({ answer: { text: '1' }, headers: {} })],
    [false, 'a status', exchange({ answer: { text: '1' }, headers: { etag: '"1"' }, status: 201 })],
    [false, 'a body', exchange({ answer: { text: '2' }, headers: { etag: '"1"' } })],
    [
      false,
      'the id of an operation',
      exchange({ answer: { text: '1' }, headers: { etag: '"1"', 'x-operation-id': '3' } }),
    ],
    [false, 'a header', exchange({ answer: { text: '1' }, headers: { etag: '"1"', 'x-total': '3' } })],
  ])('is it: %s, %s', (isNoise, _, other) => {
    expect(essenceOf(base, DEFAULT_RULES) === essenceOf(other, DEFAULT_RULES)).toBe(isNoise);
  });

  it.each<[string, Partial<Parameters<typeof exchange>[0]>, string[]]>([
    ['of an answer without a body', { method: 'HEAD' }, []],
    ['by which requests are matched', { answer: { text: '1' } }, ['If-Match']],
  ])('is not the tag %s', (_, parts, matchHeaders) => {
    const essence = (etag: string) =>
      essenceOf(exchange({ ...parts, headers: { etag } }), matchRules({ matchHeaders }));
    expect(essence('"1"')).not.toBe(essence('"2"'));
  });
});
