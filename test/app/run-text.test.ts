import { describe, expect, it } from 'vitest';
import { crossSessionText, missesText, neverHappenedText, unservedText } from '../../src/app/run-text.ts';
import type { Unserved } from '../../src/upstreams/replay/unserved.ts';

describe('misses', () => {
  const A = {
    method: 'GET',
    url: '/a',
    session: '',
    text: 'nothing is recorded for GET /a',
    hint: 'record it',
    count: 1,
  };

  it('has nothing to say of none', () => {
    expect(missesText({ count: 0, misses: [] })).toBeUndefined();
  });

  it('says each reason once, and what to do about those that follow one another', () => {
    const misses = [
      A,
      { ...A, text: 'nothing is recorded for GET /b', session: 'one', count: 3 },
      { ...A, text: 'it was recorded 40d ago', hint: 'record it again' },
      ...['two', 'three', 'four', 'five'].map((session) => ({ ...A, session })),
    ];
    expect(missesText({ count: 9, misses })).toBe(
      [
        '9 requests had no answer in the recording:',
        '  nothing is recorded for GET /a (5 times, sessions two, three, four and 1 more)',
        '  nothing is recorded for GET /b (3 times, session one)',
        '    record it',
        '  it was recorded 40d ago',
        '    record it again',
      ].join('\n'),
    );
  });

  it('is not longer than somebody reads', () => {
    const misses = Array.from({ length: 25 }, (_, i) => ({ ...A, text: `${i}`.repeat(3000) }));
    const lines = missesText({ count: 1025, misses })?.split('\n') ?? [];
    expect(lines).toHaveLength(23);
    expect(lines[1]).toHaveLength(2003);
    expect(lines.at(-1)).toBe('  and 1,005 more');
    expect(missesText({ count: 1, misses: [A] })?.split('\n')[0]).toBe(
      '1 request had no answer in the recording:',
    );
  });

  it('says what else it may be, where answers come in an order', () => {
    expect(
      missesText({ count: 1, misses: [A], isOrdered: true })
        ?.split('\n')
        .slice(3),
    ).toEqual([
      '  it may be the order, too: what was recorded several times is answered in the order of recording',
      expect.stringContaining('need a session each: the header Patchgate-Session'),
    ]);
  });
});

describe('hits across sessions', () => {
  it('names the sessions, and what to do', () => {
    const text = crossSessionText(
      [
        { session: 'adds a language', count: 2 },
        { session: '', count: 1 },
      ],
      'AGAIN',
    );
    expect(text?.split('\n')).toEqual([
      '3 requests were answered with what other sessions recorded, as the recording has nothing of their own:',
      '  2 requests of the session "adds a language"',
      '  1 request of no session',
      '    a test that is new, or was renamed: record it: AGAIN',
    ]);
  });

  it('is nothing where there are none, and not endless where there are many', () => {
    expect(crossSessionText([], '')).toBeUndefined();
    const many = Array.from({ length: 40 }, (_, i) => ({ session: `s${i}`, count: 1 }));
    const lines = crossSessionText(many, '')?.split('\n') ?? [];
    expect(lines).toHaveLength(13);
    expect(lines.at(-2)).toBe('  and those of 30 more sessions');
  });
});

describe('a fault that never happened', () => {
  it.each([
    [{ matched: 0, isBehindOthers: false }, 'it fitted no request that passed the gate'],
    [
      { matched: 0, isBehindOthers: true },
      'it fitted no request that passed the gate, or only such as a fault before it happened to',
    ],
    [{ matched: 3, isBehindOthers: true, rate: 0.1 }, 'it fitted 3 requests; at rate=0.1 it was never drawn'],
    [{ matched: 1, isBehindOthers: false, rate: 0.5 }, 'it fitted 1 request; at rate=0.5 it was never drawn'],
  ])('%j', (idle, why) => {
    expect(neverHappenedText({ fault: 'GET reset', ...idle })).toBe(
      `the fault "GET reset" never happened: ${why}`,
    );
  });
});

describe('what was never served', () => {
  const ONE = { method: 'GET', path: '/a', query: '', index: 0, recordedAt: '2026-11-20T12:00:00.000Z' };

  const told = (members: Partial<Unserved>) =>
    unservedText({ recording: 'demo', total: 9, count: 0, exchanges: [], ...members });

  it('says that all was served', () => {
    expect(told({})).toBe('every exchange of "demo" was served (9)');
  });

  it('names what was not, each in a line, and how many more there are', () => {
    const exchanges = [
      ONE,
      { ...ONE, method: 'PATCH', query: 'x=1', place: '2 of 5' },
      { ...ONE, session: 'a "test"', place: '1 of 2' },
      { ...ONE, path: '/b', reason: 'omitted' as const },
    ];
    expect(told({ count: 7, exchanges })).toBe(
      [
        '7 of 9 exchanges of "demo" were never served:',
        '  GET /a, recorded 2026-11-20',
        '  PATCH /a?x=1 (2 of 5), recorded 2026-11-20',
        '  GET /a (1 of 2), recorded 2026-11-20 in the session "a \\"test\\""',
        '  GET /b, recorded 2026-11-20; its body was not kept: never served',
        '  and 3 more',
      ].join('\n'),
    );
    expect(told({ count: 1, exchanges: [ONE] })).toMatch(/^1 of 9 exchanges of "demo" was never/);
  });
});
