import { expect, it } from 'vitest';
import { StoredExchange } from '../../../src/recordings/store/stored-exchange.ts';
import { exchange } from '../../support/exchanges.ts';

it.each([
  { answer: { json: { a: 1 } } },
  { answer: { json: { a: 1 }, indent: 2 } },
  { answer: { json: { a: 1 } }, headers: { 'content-type': 'text/plain' } },
  { answer: { json: { a: 1 } }, headers: {} },
  { answer: { text: '{"a":1}' } },
])('is as it stands in its file, also once its answer is made: %j', (parts) => {
  const whole = exchange(parts);
  const stored = StoredExchange.of(structuredClone(whole));
  expect(stored.answer?.body.toString()).toContain('"a"');
  expect(stored.exchange).toEqual(whole);
  expect(stored.meta).toEqual(whole.meta);
});
