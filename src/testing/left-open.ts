import { messageOf } from '../errors.ts';
import { amount } from '../reporters/wording.ts';

interface Open {
  /** Takes one notice for people. */
  notice(text: string): void;
  close(): Promise<void>;
}

/**
 * Gates that no test has closed yet. They keep no process alive; one that has nothing else to do, or is told to end, closes them, so
 * that what they recorded is written and what they were to check is told. vitest ends its processes by SIGTERM.
 */
const open = new Set<Open>();

/** @returns to be called when it is closed */
export function closeAtEnd(gate: Open): () => void {
  if (open.size === 0) process.on('beforeExit', closeAll).on('SIGTERM', closeAndEnd);
  open.add(gate);
  return () => {
    open.delete(gate);
    if (open.size === 0) process.off('beforeExit', closeAll).off('SIGTERM', closeAndEnd);
  };
}

async function closeAll(): Promise<void> {
  const gates = [...open];
  for (const notice of new Set(gates.map((gate) => gate.notice))) {
    const count = gates.filter((gate) => gate.notice === notice).length;
    notice(
      `no test has closed ${amount(count, 'gate')}: await gate.close() in afterAll, or at the end of the test`,
    );
  }
  const closed = gates.map(({ notice, close }) =>
    close().catch((error: unknown) => {
      notice(messageOf(error));
      process.exitCode = 1;
    }),
  );
  await Promise.all(closed);
}

async function closeAndEnd(): Promise<void> {
  await closeAll();
  // Whoever else listens to it decides what comes of it; without anybody it ends the process, as it would have at once.
  if (process.listenerCount('SIGTERM') === 0) process.kill(process.pid, 'SIGTERM');
}
