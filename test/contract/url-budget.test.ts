import { expect, it } from 'vitest';
import { MOST_CODED, UrlBudget } from '../../src/contract/url-budget.ts';
import { brief, shippedContract } from '../support/gate.ts';

const { check } = shippedContract().load('updateDraft');
const host = 'é'.repeat(500);
const urls = (count: number, value: string) => Array.from({ length: count }, () => ({ type: 'url', value }));

it.each([
  'https://example.com/',
  'https://user:pass@example.com:8080/é%20xn--',
  `https://example.com/${'é'.repeat(MOST_CODED)}`,
  `https://${'a.'.repeat(400)}example/`,
  `https:${'/'.repeat(2000)}example.com`,
  `javascript:${'é'.repeat(MOST_CODED)}`,
  'é'.repeat(MOST_CODED),
])('takes %.40s without end', (url) => {
  const budget = new UrlBudget();
  for (let i = 0; i < 100; i++) expect(budget.takes(url)).toBe(true);
  expect(budget.isSpent).toBe(false);
});

it.each([
  `https://${'a'.repeat(1001)}/`,
  `https://${'x@'.repeat(600)}`,
  ` \0HTTPS:\\\\${'a'.repeat(1001)}?`,
  `ht\ntp:/\t/${'a'.repeat(1001)}#`,
  `file://${'a'.repeat(1001)}`,
])('does not take %.40s, whose host is no name', (url) => {
  const budget = new UrlBudget();
  expect(budget.takes(url)).toBe(false);
  expect(budget.isSpent).toBe(true);
});

it.each(['é', '%c3%a9', 'xn--9ca', 'XN--9ca.x'])(
  'takes so many hosts with %s, until it is reset',
  (label) => {
    const budget = new UrlBudget();
    const name = label.repeat(Math.ceil(500 / label.length));
    let taken = 0;
    while (budget.takes(`https://${name}/path`)) taken += name.length;
    expect(taken).toBeGreaterThan(MOST_CODED - 1000);
    expect(taken).toBeLessThanOrEqual(MOST_CODED);
    expect(budget.takes(`https://${name}/path`)).toBe(false);
    expect(budget.takes('https://example.com/')).toBe(true);
    budget.reset();
    expect(budget.takes(`https://${name}/path`)).toBe(true);
  },
);

it('makes a body with more of them too large, and the next one starts anew', () => {
  expect(brief(check({ urls: urls(130, `https://${host}/`) }))).toEqual([]);
  expect(brief(check({ urls: urls(140, `https://${host}/`) }))).toEqual(['request.too-large error']);
  expect(brief(check({ urls: urls(1000, 'https://a.example/') }))).toEqual([]);
});

it('goes on with those that are plain', () => {
  const body = { urls: [...urls(140, `https://${host}/`), ...urls(1, 'none')] };
  expect(brief(check(body))).toEqual(['schema.format error /urls/140/value', 'request.too-large error']);
});
