import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { isWebSocket } from '../../../src/server/listen/read-again.ts';

function isOne(...more: string[]): boolean {
  const rawHeaders = ['Host', 'x', 'Connection', 'Upgrade', 'Upgrade', 'websocket', ...more];
  return isWebSocket({
    method: 'GET',
    httpVersion: '1.1',
    headers: {},
    rawHeaders,
  } as unknown as IncomingMessage);
}

it('takes a handshake for one', () => expect(isOne('Sec-WebSocket-Version', '13')).toBe(true));

it.each([
  ['Upgrade', 'websocket'],
  ['Host', 'x'],
  ['Transfer_Encoding', 'chunked'],
  ['Content_Length', '5'],
])('has it judged like any other request where it also has %s: %s', (name, value) =>
  expect(isOne(name, value)).toBe(false),
);
