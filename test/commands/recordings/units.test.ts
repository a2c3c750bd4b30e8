import { expect, it } from 'vitest';
import { ageSince, sizeText } from '../../../src/commands/recordings/units.ts';

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [9 * 1024 * 1024, '9.0 MiB'],
  [300 * 1024 * 1024, '300 MiB'],
  [5000 * 1024 ** 3, '5000 GiB'],
])('%d bytes', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

it.each([
  [-5, 'now'],
  [59, 'now'],
  [60, '1m'],
  [3599, '59m'],
  [7200, '2h'],
  [86_400 * 40, '40d'],
])('%d seconds ago', (seconds, text) => {
  expect(ageSince(1e12, 1e12 + seconds * 1000)).toBe(text);
});
