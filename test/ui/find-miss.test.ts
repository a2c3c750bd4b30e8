import { expect, it } from 'vitest';
import type { ShownExchange } from '../../src/server/show-exchange.ts';
import { exchangeOf } from '../../src/ui/find-miss.ts';

function exchange(id: number, status: number, more: Partial<ShownExchange> = {}): ShownExchange {
  const request = { method: 'GET', url: '/x', headers: {} };
  const response = { status, headers: {} };
  return { id, startedAt: '', durationMs: 1, request, response, answeredBy: 'gate', ...more };
}

it('finds the latest exchange that was such a miss', () => {
  const miss = { method: 'GET', url: '/x', session: '' };
  const others = [
    exchange(9, 200),
    exchange(8, 501, { answeredBy: 'recording' }),
    exchange(7, 501, { session: 'tests' }),
  ];
  expect(exchangeOf(miss, [...others, exchange(6, 501), exchange(5, 501)])).toBe(6);
  expect(exchangeOf({ ...miss, session: 'tests' }, others)).toBe(7);
  expect(exchangeOf({ ...miss, method: 'PATCH' }, [exchange(6, 501)])).toBeUndefined();
});
