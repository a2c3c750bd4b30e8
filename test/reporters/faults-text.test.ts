import { expect, it } from 'vitest';
import { neverHappenedText } from '../../src/reporters/faults-text.ts';

it.each([
  [{ matched: 0, isBehindOthers: false }, 'it fitted no request that passed the gate'],
  [
    { matched: 0, isBehindOthers: true },
    'it fitted no request that passed the gate, or only such as a fault before it happened to',
  ],
  [{ matched: 3, isBehindOthers: true, rate: 0.1 }, 'it fitted 3 requests; at rate=0.1 it was never drawn'],
  [
    { matched: 1, isBehindOthers: false, after: 5, rate: 0.5 },
    'it fitted 1 request; it lets the first 5 of each session go by; at rate=0.5 it was never drawn',
  ],
])('%j', (idle, why) => {
  expect(neverHappenedText({ fault: 'GET reset', ...idle })).toBe(
    `the fault "GET reset" never happened: ${why}`,
  );
});
