import { messageOf } from '../errors.ts';
import { amount } from '../reporters/wording.ts';

interface Open {
  /** Takes one notice for people. */
  notice(text: string): void;
  close(): Promise<void>;
}

/**
 * Gates that no test has closed yet. They keep no process alive; one that has nothing else to do closes them, so that what they
 * recorded is written and what they were to check is told.
 */
const open = new Set<Open>();

/** @returns to be called when it is closed */
export function closeAtEnd(gate: Open): () => void {
  if (open.size === 0) process.on('beforeExit', closeAll);
  open.add(gate);
  return () => {
    open.delete(gate);
    if (open.size === 0) process.off('beforeExit', closeAll);
  };
}

function closeAll(): void {
  const gates = [...open];
  for (const notice of new Set(gates.map((gate) => gate.notice))) {
    const count = gates.filter((gate) => gate.notice === notice).length;
    notice(
      `no test has closed ${amount(count, 'gate')}: await gate.close() in afterAll, or at the end of the test`,
    );
  }
  for (const { notice, close } of gates) {
    close().catch((error: unknown) => {
      notice(messageOf(error));
      process.exitCode = 1;
    });
  }
}
