import { expect, it } from 'vitest';
import { reportUnserved } from '../../src/commands/report-unserved.ts';
import type { Unserved } from '../../src/upstreams/replay/unserved.ts';

const ONE = { method: 'GET', path: '/a', query: '', index: 0, recordedAt: '2026-11-20T12:00:00.000Z' };

function told(members: Partial<Unserved>): { text: string; isAny: boolean } {
  const said: string[] = [];
  const unserved = { recording: 'demo', total: 9, count: 0, exchanges: [], ...members };
  const isAny = reportUnserved(unserved, (text) => said.push(text));
  return { text: said.join('\n'), isAny };
}

it('says that all was served', () => {
  expect(told({})).toEqual({ text: 'every exchange of "demo" was served (9)', isAny: false });
});

it('names what was not, each in a line, and how many more there are', () => {
  const exchanges = [
    ONE,
    { ...ONE, method: 'PATCH', query: 'x=1', place: '2 of 5' },
    { ...ONE, session: 'a "test"', place: '1 of 2' },
    { ...ONE, path: '/b', reason: 'failure' as const },
  ];
  expect(told({ count: 7, exchanges })).toEqual({
    isAny: true,
    text: [
      '7 of 9 exchanges of "demo" were never served:',
      '  GET /a, recorded 2026-11-20',
      '  PATCH /a?x=1 (2 of 5), recorded 2026-11-20',
      '  GET /a (1 of 2), recorded 2026-11-20 in the session "a \\"test\\""',
      '  GET /b, recorded 2026-11-20; a failure: only served with --replay-failures',
      '  and 3 more',
    ].join('\n'),
  });
  expect(told({ count: 1, exchanges: [ONE] }).text).toMatch(/^1 of 9 exchanges of "demo" was never/);
});
