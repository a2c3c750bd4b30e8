import { promisify } from 'node:util';

const nextTurn = promisify(setImmediate);

/** Milliseconds of work at a stretch. */
const WORK_MS = 3;

let since = 0;

/** To be awaited between two pieces of long work: every few milliseconds it lets requests go first. */
export function yieldToEventLoop(): Promise<void> | undefined {
  return performance.now() - since < WORK_MS ? undefined : rest();
}

async function rest(): Promise<void> {
  await nextTurn();
  since = performance.now();
}
