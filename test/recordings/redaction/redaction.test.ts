import { expect, it } from 'vitest';
import { hidingTexts, redactionOf } from '../../../src/recordings/redaction/redaction.ts';

it('remembers of headers only those that hold nothing, and not for other settings', () => {
  const redaction = redactionOf();
  const token = `ghp_${'a1B2'.repeat(9)}`;
  for (let i = 0; i < 2; i++) {
    expect(redaction.mayBeInRecurring(token)).toBe(true);
    expect(redaction.mayBeInRecurring('of hunter2')).toBe(false);
  }
  expect(hidingTexts(redaction, ['hunter2']).mayBeInRecurring('of hunter2')).toBe(true);
  expect(redactionOf({ redactPatterns: ['hunter\\d'] }).mayBeInRecurring('of hunter2')).toBe(true);
});
