import { describe, expect, it } from 'vitest';
import type { Exchange, FailureKind } from '../../../src/model/exchange.ts';
import { Contents } from '../../../src/recordings/files/contents.ts';
import { ObjectEntry } from '../../../src/recordings/files/entry.ts';
import { exchange } from '../../support/exchanges.ts';

let seconds = 0;

/** `ok 1`, `other 2`: the answer to a request. `ok timeout`: its failure. Each at a time of its own. */
function madeOf(text: string): Exchange {
  const [query = '', what = ''] = text.split(' ');
  const recordedAt = new Date(1_790_000_000_000 + 1000 * ++seconds).toISOString();
  const { request, response, meta } = exchange({ query, recordedAt, answer: { text: what } });
  const isFailure = ['refused', 'timeout', 'reset'].includes(what);
  return isFailure ? { request, failure: { kind: what as FailureKind }, meta } : { request, response, meta };
}

function textOf({ request, response, failure }: Exchange): string {
  const { text } = (response?.body ?? {}) as { text?: string };
  return `${request.query} ${failure?.kind ?? text}`;
}

/** A run in mode `all` behind what is there. */
function runAll(before: readonly Exchange[], texts: readonly string[]): readonly Exchange[] {
  const contents = new Contents(before.map((one) => new ObjectEntry(one)));
  const failures = new Map<string, number>();
  const answered = new Set<string>();
  for (const text of texts) {
    const one = madeOf(text);
    const { query } = one.request;
    const count = failures.get(query) ?? 0;
    const isFailure = one.failure !== undefined;
    const replace = !isFailure && !answered.has(query);
    if (isFailure) failures.set(query, count + 1);
    else answered.add(query);
    contents.add(new ObjectEntry(one), { replace, isFailure, failures: count });
  }
  return contents.list().map(({ exchange }) => exchange);
}

describe('failures', () => {
  it.each([
    ['ok timeout', 'ok 1'],
    ['ok timeout', 'ok timeout', 'ok refused', 'ok 1', 'ok 2'],
    ['ok 1', 'ok timeout', 'ok 2', 'ok reset', 'ok reset'],
    ['ok timeout', 'other refused', 'ok 1', 'other refused', 'other 1', 'ok reset', 'other 2'],
    ['ok timeout', 'ok timeout'],
  ])('the same in another run change nothing, not even the times: %s, …', (...texts) => {
    const first = runAll([], texts);
    expect(first.map(textOf)).toEqual(texts);
    expect(runAll(first, texts)).toEqual(first);
  });

  it.each([
    [['ok 1', 'ok 2'], ['ok timeout'], ['ok 1', 'ok 2', 'ok timeout']],
    [['ok 1', 'ok timeout'], ['ok timeout'], ['ok 1', 'ok timeout']],
    [['ok 1', 'ok timeout'], ['ok reset'], ['ok 1', 'ok reset']],
    [
      ['ok 1', 'ok timeout'],
      ['ok timeout', 'ok reset'],
      ['ok 1', 'ok timeout', 'ok reset'],
    ],
    [['ok 1', 'other 1'], ['ok reset'], ['ok 1', 'other 1', 'ok reset']],
  ])('never replace an answer, and only one another: %s, then %s', (before, run, after) => {
    expect(runAll(runAll([], before), run).map(textOf)).toEqual(after);
  });

  it.each([
    [['ok 1', 'ok timeout'], ['ok 2'], ['ok 2']],
    [['ok timeout', 'other 1'], ['ok 2'], ['ok 2', 'other 1']],
    [
      ['ok 1', 'other 1', 'ok 2'],
      ['ok timeout', 'ok 3'],
      ['ok timeout', 'other 1', 'ok 3'],
    ],
    [
      ['ok timeout', 'ok timeout'],
      ['ok timeout', 'ok 1'],
      ['ok timeout', 'ok 1'],
    ],
  ])('of earlier runs go with the first answer, those before it in its run stay: %s, then %s', (...parts) => {
    const [before, run, after] = parts;
    expect(runAll(runAll([], before), run).map(textOf)).toEqual(after);
  });
});

describe('what comes again', () => {
  const later = { recordedAt: '2027-01-01T00:00:00.000Z', durationMs: 99 };

  it('keeps its time, and what somebody wrote beside it', () => {
    const before = { ...exchange(), note: 'mine' } as Exchange;
    const contents = new Contents([new ObjectEntry(before)]);
    const again = new ObjectEntry({ ...exchange(), meta: later });
    expect(contents.add(again, { replace: true, isFailure: false, failures: 0 })).toBe(false);
    expect(contents.list().map((entry) => entry.exchange)).toEqual([before]);
  });

  it('takes the new time where that is asked for', () => {
    const before = { ...exchange(), note: 'mine' } as Exchange;
    const contents = new Contents([new ObjectEntry(before)], [], { refreshMeta: true });
    const again = new ObjectEntry({ ...exchange(), meta: later });
    expect(contents.add(again, { replace: true, isFailure: false, failures: 0 })).toBe(true);
    expect(contents.list().map((entry) => entry.exchange)).toEqual([{ ...before, meta: later }]);
    expect(JSON.parse(contents.entries()[0]?.text ?? '')).toEqual({ ...before, meta: later });
  });
});
