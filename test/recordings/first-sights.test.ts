import { expect, it } from 'vitest';
import { FirstSights } from '../../src/recordings/first-sights.ts';
import { exchange, plainOf } from '../support/exchanges.ts';

it('knows a request again however it is written', () => {
  const sights = new FirstSights();
  const add = (text: string, query = '') => sights.add(plainOf(exchange({ query, body: { text } })));
  expect(add('{"a":1,"b":2}')).toBe(true);
  expect(add('{"a":1,"b":2}')).toBe(false);
  expect(add('{ "b": 2, "a": 1 }')).toBe(false);
  expect(add('{"a":1,"b":3}')).toBe(true);
  expect(add('{"a":1,"b":2}', 'x=1&y=2')).toBe(true);
  expect(add('{"a":1,"b":2}', 'y=2&x=1')).toBe(false);
});

it('counts how often a request has failed before, however it is written', () => {
  const sights = new FirstSights();
  const plain = (text: string, session?: string) =>
    plainOf(exchange({ body: { text }, ...(session !== undefined && { session }) }));
  expect(sights.failuresOf(plain('{"a":1}'))).toBe(0);
  expect(sights.addFailure(plain('{"a":1}'))).toBe(0);
  expect(sights.addFailure(plain('{ "a": 1 }'))).toBe(1);
  expect(sights.failuresOf(plain('{"a":1}'))).toBe(2);
  expect(sights.failuresOf(plain('{"a":2}'))).toBe(0);
  expect(sights.failuresOf(plain('{"a":1}', 'one'))).toBe(0);
  expect(sights.addFailure(plain('{"a":1}', 'one'))).toBe(0);
  expect(sights.failuresOf(plain('{ "a": 1 }', 'one'))).toBe(1);
  expect(sights.failuresOf(plain('{"a":1}'))).toBe(2);
  // It has not been answered yet.
  expect(sights.add(plain('{"a":1}'))).toBe(true);
});

it('tells a body that was not kept from none', () => {
  const sights = new FirstSights();
  const { request } = plainOf(exchange());
  expect(sights.add({ request })).toBe(true);
  expect(sights.add({ request: { ...request, omitted: 7 } })).toBe(true);
  expect(sights.add({ request: { ...request, omitted: 8 } })).toBe(false);
});

it('sees each session for itself', () => {
  const sights = new FirstSights();
  const add = (text: string, session?: string) =>
    sights.add(plainOf(exchange({ body: { text }, ...(session !== undefined && { session }) })));
  expect(['one', 'two', undefined].map((session) => add('{"a":1}', session))).toEqual([true, true, true]);
  expect(['one', 'two', undefined].map((session) => add('{"a":1}', session))).toEqual([false, false, false]);
  expect(['one', 'two', undefined].map((session) => add('{ "a": 1 }', session))).toEqual([
    false,
    false,
    false,
  ]);
});
