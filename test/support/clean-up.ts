/** Ends what tests started: at the end of the test, or of the file where `beforeAll` or the file itself started it. */
import { afterAll, afterEach, beforeEach } from 'vitest';

const started: (() => unknown)[] = [];

/** To be called where something is started. What was started last ends first; ending it twice must do no harm. */
export function cleanUpLater(end: () => unknown): void {
  started.push(end);
}

/** For each test file, before its own hooks. */
export function cleanUpAfterTests(): void {
  let running = 0;
  let outlivesTests = 0;
  beforeEach(() => {
    if (running++ === 0) outlivesTests = started.length;
  });
  // Of tests at the same time, the last one cleans up.
  afterEach(async () => {
    if (--running === 0) await cleanUp(outlivesTests);
  });
  afterAll(() => cleanUp(0));
}

async function cleanUp(kept: number): Promise<void> {
  while (started.length > kept) await started.pop()?.();
}
