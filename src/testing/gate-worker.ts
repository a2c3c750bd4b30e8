/** The thread in which the gates of a test process run: its fake timers and mocks do not reach it. */
import { parentPort } from 'node:worker_threads';
import { messageOf, PatchgateError } from '../errors.ts';
import type { Asking, ErrorSent, Reply } from './gate-thread.ts';
import { type GateCalls, startGate } from './running-gate.ts';
import { inOptions, misuse } from './with-hint.ts';

const gates = new Map<number, GateCalls>();

parentPort?.on('message', (asking: Asking) => {
  const { id } = asking;
  perform(asking).then(
    (value) => send({ id, value }),
    (error: unknown) => send({ id, error: sendable(error) }),
  );
});

function send(reply: Reply): void {
  parentPort?.postMessage(reply);
}

async function perform(asking: Asking): Promise<unknown> {
  const { gate } = asking;
  if (asking.name === 'start') {
    const notice = (text: string) => send({ notice: inOptions(text) });
    const { url, calls } = await startGate(asking.args[0], notice);
    gates.set(gate, calls);
    return url;
  }
  const calls = gates.get(gate);
  if (!calls) throw misuse('the gate is closed', 'ask it before it is closed');
  if (asking.name === 'close') gates.delete(gate);
  const call = calls[asking.name] as (...args: unknown[]) => unknown;
  return call(...asking.args);
}

function sendable(error: unknown): ErrorSent {
  if (!(error instanceof PatchgateError)) return { message: messageOf(error) };
  const { code, message, hint, details } = error;
  return { code, message, hint, details };
}
