import type { Duplex } from 'node:stream';
import { PatchgateError } from '../../errors.ts';
import { problemText } from '../problem.ts';

/**
 * Answers CONNECT. Whatever else the client sends goes nowhere.
 *
 * @param patience milliseconds that it has to take the answer and go
 * @param onRefused told of it, since there is no handler of its own to report it
 */
export function refuseTunnel(
  socket: Duplex,
  patience: number,
  onRefused: (error: PatchgateError) => void,
): void {
  const end = setTimeout(() => socket.destroy(), patience).unref();
  socket.once('close', () => clearTimeout(end));
  onRefused(REFUSAL);
  socket.end(problemText(REFUSAL)).resume();
}

const REFUSAL = new PatchgateError(
  'not-allowed',
  'the gate opens no tunnels: it forwards to its one target',
  {
    hint: "give Patchgate's address as the base URL of the client, not as its HTTP proxy",
  },
);
