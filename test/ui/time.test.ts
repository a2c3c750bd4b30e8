import { expect, it } from 'vitest';
import { agoText, leftText } from '../../src/ui/time.ts';

const NOW = Date.parse('2026-11-23T08:00:00.000Z');
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();

it.each([
  [-5, '5 s ago'],
  [-59.9, '59 s ago'],
  [-60, '1 min ago'],
  [-3599, '59 min ago'],
  [-7200, '2 h ago'],
  [-86_400 * 3, '3 days ago'],
  // Clocks differ.
  [2, '0 s ago'],
])('%d seconds from now was %s', (seconds, text) => {
  expect(agoText(at(seconds), NOW)).toBe(text);
});

it.each([
  [-1, '0:00'],
  [0.5, '0:01'],
  [249, '4:09'],
  [3723, '1:02:03'],
  [86_400 * 3, '3 days'],
])('%d seconds are %s', (seconds, text) => {
  expect(leftText(at(seconds), NOW)).toBe(text);
});
