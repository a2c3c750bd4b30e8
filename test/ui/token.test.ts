import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { setToken, takeTokenFromAddress, token, wasRefused } from '../../src/ui/token.ts';

/** The tab, as far as it is needed. */
const location = { hash: '' };
const kept = new Map<string, string>();
vi.stubGlobal('location', location);
vi.stubGlobal('history', { replaceState: (_: unknown, __: string, hash: string) => (location.hash = hash) });
vi.stubGlobal('sessionStorage', {
  getItem: (name: string) => kept.get(name) ?? null,
  setItem: (name: string, value: string) => void kept.set(name, value),
  removeItem: (name: string) => void kept.delete(name),
});

afterAll(() => void vi.unstubAllGlobals());
beforeEach(() => setToken('former'));

it.each([
  ['#token=abc', 'abc', '#/', false],
  ['#token=a%20b%2F', 'a b/', '#/', false],
  ['#token=%zz', null, '#/', true],
  ['#token=%ff', null, '#/', true],
  ['#/exchanges/1', 'former', '#/exchanges/1', false],
])('of the address %s is %j', (hash, expected, left, isWrong) => {
  location.hash = hash;
  takeTokenFromAddress();
  expect([token(), location.hash, wasRefused()]).toEqual([expected, left, isWrong]);
});
