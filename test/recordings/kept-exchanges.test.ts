import { expect, it } from 'vitest';
import { JoinedExchanges, ListedExchanges } from '../../src/recordings/kept-exchanges.ts';
import { DEFAULT_RULES } from '../../src/recordings/matching/match-rules.ts';
import { requestFacts } from '../../src/recordings/matching/request-facts.ts';
import { requestKey } from '../../src/recordings/matching/request-key.ts';
import { exchange, listed } from '../support/exchanges.ts';

const KEY = requestKey(exchange({ query: 'i=0' }).request);

/** Every other one is another request; of a session, every third. */
function made(count: number, from = 0) {
  return Array.from({ length: count }, (_, i) => {
    const at = from + i;
    return exchange({ query: `i=${at % 2}`, ...(at % 3 === 0 && { session: `test ${at}` }) });
  });
}

it.each([4, 100])('are the same behind others, which grow: %i', (count) => {
  const behind: { exchange: ReturnType<typeof exchange> }[] = [];
  const then = new ListedExchanges(behind, ({ request }) => requestFacts(request, DEFAULT_RULES));
  const joined = new JoinedExchanges(listed(made(count)), then);
  for (let more = 0; more < 12; more++) {
    const all = made(count + more);
    const whole = listed(all);
    expect(joined.length).toBe(all.length);
    expect(joined.withKey(KEY)).toEqual(whole.withKey(KEY));
    expect(joined.withKey('none')).toEqual([]);
    expect(all.map((_, i) => joined.sessionOf(i))).toEqual(all.map(({ meta }) => meta.session ?? ''));
    expect(joined.at(all.length - 1)).toEqual(all.at(-1));
    behind.push(...made(1, count + more).map((one) => ({ exchange: one })));
  }
});

it('put a long list together once, and add to it', () => {
  const behind = made(1).map((one) => ({ exchange: one }));
  const then = new ListedExchanges(behind, ({ request }) => requestFacts(request, DEFAULT_RULES));
  const joined = new JoinedExchanges(listed(made(100)), then);
  const before = joined.withKey(KEY);
  behind.push(...made(1).map((one) => ({ exchange: one })));
  expect(joined.withKey(KEY)).toBe(before);
  expect(before).toHaveLength(52);
});
