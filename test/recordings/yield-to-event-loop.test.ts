import { expect, test } from 'vitest';
import { yieldToEventLoop } from '../../src/recordings/yield-to-event-loop.ts';

test('lets others go first, however long the work is', async () => {
  let isOthersTurn = false;
  setImmediate(() => {
    isOthersTurn = true;
  });
  while (!isOthersTurn) await yieldToEventLoop();
  expect(isOthersTurn).toBe(true);
});
