import { expect, it } from 'vitest';
import { headersOf } from '../../src/commands/given.ts';
import { refusal } from '../support/errors.ts';

it('headers are given as in curl', () => {
  expect(headersOf([])).toEqual([]);
  expect(headersOf(['Authorization: Bearer a:b', 'X-A:1', 'X-A: ', 'x-é: é'.replace('x-é', 'X-E')])).toEqual([
    ...['Authorization', 'Bearer a:b'],
    ...['X-A', '1'],
    ...['X-A', ''],
    ...['X-E', 'é'],
  ]);
});

it.each([
  'Authorization secret',
  ': secret',
  'a b: secret',
  '@secret',
  '',
  'Authorization: secret\r\nX: 1',
  'A: secret€',
])('what is none is refused, and not quoted: %j', (text) => {
  const told = refusal('bad-usage', () => headersOf([text]));
  expect(told).toContain('--header');
  expect(told).not.toContain('secret');
});

it.each(['Host', 'content-length', 'Transfer-Encoding', 'Connection', 'Expect'])(
  '%s is for the connection to say',
  (name) => {
    expect(refusal('bad-usage', () => headersOf([`${name}: 1`]))).toContain(name);
  },
);
