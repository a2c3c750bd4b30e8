import { expect, it } from 'vitest';
import { StaleNotices } from '../../../src/upstreams/replay/stale-notices.ts';
import { exchange } from '../../support/exchanges.ts';

const OLD = '2020-01-01T00:00:00.000Z';
const DAY = 86_400_000;

it('names each path once, twenty at most, and counts all', () => {
  const said: string[] = [];
  const stale = new StaleNotices('demo', DAY, (text) => said.push(text));
  for (let i = 0; i < 50; i++) {
    expect(stale.ageIfStale(exchange({ path: `/${i % 25}`, recordedAt: OLD }))).toMatch(/^\d+d$/);
  }
  expect(said).toHaveLength(21);
  expect(new Set(said).size).toBe(21);
  expect(said.at(-1)).toBe('stale: further paths are not named');
  stale.sum();
  expect(said.at(-1)).toMatch(/^50 answers were older than 1d; record again/);
  stale.sum();
  expect(said).toHaveLength(22);
});

it('says nothing of what is young', () => {
  const said: string[] = [];
  const stale = new StaleNotices('demo', DAY, (text) => said.push(text));
  expect(stale.ageIfStale(exchange({ recordedAt: new Date().toISOString() }))).toBeUndefined();
  expect(stale.ageIfStale(exchange({ recordedAt: '2100-01-01T00:00:00.000Z' }))).toBeUndefined();
  stale.sum();
  expect(said).toEqual([]);
});
