import { expect, it } from 'vitest';
import { FindingBounds } from '../../src/model/finding-bounds.ts';

it('takes the first thousand of a rule and severity, and counts the rest', () => {
  const bounds = new FindingBounds();
  const taken = Array.from({ length: 1500 }, () => bounds.takes('schema.type', 'error', 2)).filter(Boolean);
  expect(taken).toHaveLength(1000);
  expect(bounds.omitted).toBe(500);
});

it('lets a flood of one rule hide no other, nor another severity of the same', () => {
  const bounds = new FindingBounds();
  for (let i = 0; i < 5000; i++) bounds.takes('request.unsafe-number', 'warn', 2);
  for (let i = 0; i < 5000; i++) bounds.takes('request.unsafe-number', 'error', 2);
  expect(bounds.omitted).toBe(8000);
  expect(bounds.takes('request.duplicate-key', 'error', 2)).toBe(true);
  expect(bounds.takes('request.duplicate-key', 'warn', 2)).toBe(true);
});
