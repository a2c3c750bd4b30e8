import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { isLoopback, listensOnLoopback } from '../../src/server/loopback.ts';

it.each(['127.0.0.1', '127.9.8.7', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::ffff:7f00:1'])(
  '%s is this machine only',
  (address) => expect(isLoopback(address)).toBe(true),
);

it.each([
  ...['0.0.0.0', '::', '10.0.0.1', '128.0.0.1', '::ffff:10.0.0.1', '::2', 'fe80::1%lo'],
  ...['', 'localhost', '127.1', '127.0.0.1.nip.io', '0x7f000001', '2130706433'],
])('%j is not, or nobody can say', (address) => expect(isLoopback(address)).toBe(false));

it.each([
  ['127.0.0.1', true],
  ['0.0.0.0', false],
])('a request to a server that listens on %s tells so', async (host, expected) => {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`).catch(() => undefined);
  const [request] = (await once(server, 'request')) as [IncomingMessage];
  expect(listensOnLoopback(request)).toBe(expected);
  server.close().closeAllConnections();
});

it('a request of no server is not from this machine', () => {
  expect(listensOnLoopback({ socket: {} } as IncomingMessage)).toBe(false);
});
