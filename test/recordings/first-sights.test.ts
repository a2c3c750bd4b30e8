import { expect, it } from 'vitest';
import { FirstSights } from '../../src/recordings/first-sights.ts';
import { exchange, plainOf } from '../support/exchanges.ts';

it('knows a request again however it is written', () => {
  const sights = new FirstSights();
  const add = (text: string, query = '') => sights.add(plainOf(exchange({ query, body: { text } })).request);
  expect(add('{"a":1,"b":2}')).toBe(true);
  expect(add('{"a":1,"b":2}')).toBe(false);
  expect(add('{ "b": 2, "a": 1 }')).toBe(false);
  expect(add('{"a":1,"b":3}')).toBe(true);
  expect(add('{"a":1,"b":2}', 'x=1&y=2')).toBe(true);
  expect(add('{"a":1,"b":2}', 'y=2&x=1')).toBe(false);
});
