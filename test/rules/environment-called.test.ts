import { expect, test } from 'vitest';
import { environmentCalled } from '../../src/rules/environment-called.ts';

test('an environment is called by its id, and by its name where it has one', () => {
  expect(environmentCalled(3, 'Staging')).toBe('environment 3 (Staging)');
  expect(environmentCalled(3, '')).toBe('environment 3');
  expect(environmentCalled(3, 'x'.repeat(100_000)).length).toBeLessThan(300);
});
