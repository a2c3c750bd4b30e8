import { expect, it } from 'vitest';
import { BodyBudget } from '../../src/server/body-budget.ts';

const SMALL = 65_536;

it('counts what bodies have beyond a small size, until they are given back', () => {
  const budget = new BodyBudget(1000);
  const first = budget.share();
  expect(first.takes(SMALL)).toBe(true);
  expect(first.takes(600)).toBe(true);
  const second = budget.share();
  expect(second.takes(SMALL + 400)).toBe(true);
  expect(second.takes(1)).toBe(false);
  first.giveBack();
  const third = budget.share();
  expect(third.takes(SMALL + 600)).toBe(true);
  expect(third.takes(1)).toBe(false);
});

it('takes small bodies however full it is', () => {
  const budget = new BodyBudget(0);
  for (let i = 0; i < 1000; i++) expect(budget.share().takes(SMALL)).toBe(true);
  expect(budget.share().takes(SMALL + 1)).toBe(false);
});

it('gives back once', () => {
  const budget = new BodyBudget(10);
  const share = budget.share();
  share.takes(SMALL + 10);
  share.giveBack();
  share.giveBack();
  expect(budget.share().takes(SMALL + 11)).toBe(false);
});
