import { expect, it } from 'vitest';
import { MOST_CODED, UrlBudget } from '../../src/contract/url-budget.ts';
import { brief, shippedContract } from '../support/gate.ts';

const { check } = shippedContract().load('updateDraft');
const host = 'é'.repeat(1000);
const urls = (count: number, value: string) => Array.from({ length: count }, () => ({ type: 'url', value }));

it('takes what is ASCII without end, and of the rest so much', () => {
  const budget = new UrlBudget();
  for (let i = 0; i < 10; i++) expect(budget.takes('a\t'.repeat(MOST_CODED))).toBe(true);
  expect(budget.takes('é'.repeat(MOST_CODED))).toBe(true);
  expect(budget.isSpent).toBe(false);
  expect(budget.takes('é')).toBe(false);
  expect(budget.isSpent).toBe(true);
  expect(budget.takes('a')).toBe(true);
  budget.reset();
  expect(budget.takes('é')).toBe(true);
});

it('makes a body with more of them too large, and the next one starts anew', () => {
  expect(brief(check({ urls: urls(250, `https://${host}.example/`) }))).toEqual([]);
  expect(brief(check({ urls: urls(300, `https://${host}.example/`) }))).toEqual(['request.too-large error']);
  expect(brief(check({ urls: urls(300, `https://${'a'.repeat(1000)}.example/`) }))).toEqual([]);
});

it('goes on with those that are ASCII', () => {
  const body = { urls: [...urls(300, `https://${host}.example/`), ...urls(1, 'none')] };
  expect(brief(check(body))).toEqual(['schema.format error /urls/300/value', 'request.too-large error']);
});
