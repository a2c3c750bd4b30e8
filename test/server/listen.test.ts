import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { clientOf } from '../../src/server/connections.ts';
import { type Handlers, listen } from '../../src/server/listen.ts';
import { RawConnection } from '../support/raw.ts';

/** It would close everything after a while: here that never comes. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function start(request: Handlers['request']) {
  const listening = await listen(
    { request, unread: () => undefined },
    { host: '127.0.0.1', port: 0, clientTimeout: 60_000 },
  );
  return { ...listening, port: Number(new URL(listening.url).port) };
}

it.each([
  ['has not sent a byte', ''],
  ['has sent a part of a head', 'GET / HT'],
  ['has its answer', 'GET /answered HTTP/1.1\r\nHost: x\r\n\r\n'],
])('closing does not wait for a client that %s', async (_, text) => {
  let answered = 0;
  const { port, close } = await start((_req, res) => {
    answered++;
    res.end('answer');
  });
  const client = await RawConnection.open(port);
  client.write(text);
  if (text.includes('answered')) await client.response();
  // One more request, so that the server has what was sent before.
  const other = await RawConnection.open(port);
  other.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await other.response();
  await close();
  await client.closed();
  expect(answered).toBe(text.includes('answered') ? 2 : 1);
  other.close();
});

/** Two requests that are never answered, and a client that sends none. */
async function startSilent() {
  const asked: ServerResponse[] = [];
  let resolve: () => void = () => undefined;
  const bothCame = new Promise<void>((done) => {
    resolve = done;
  });
  const started = await start((_, res) => {
    asked.push(res);
    if (asked.length === 2) resolve();
  });
  const clients = await Promise.all([1, 2, 3].map(() => RawConnection.open(started.port)));
  for (const client of clients.slice(1)) client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await bothCame;
  return { ...started, clients, asked };
}

it('closing cuts off what is not over in five seconds', async () => {
  const { close, clients, asked } = await startSilent();
  const closed = close();
  vi.advanceTimersByTime(4999);
  const isCut = (socket: Socket) => clientOf(socket).isCutByStop;
  const cut = asked.map(({ socket }) => isCut(socket as Socket));
  expect(cut).toEqual([false, false]);
  const sockets = asked.map(({ socket }) => socket as Socket);
  vi.advanceTimersByTime(1);
  await closed;
  expect(sockets.map(isCut)).toEqual([true, true]);
  await Promise.all(clients.map((client) => client.closed()));
});

it.each(['h2c', 'websocket'])(
  'answers what comes right behind a request to upgrade to %s',
  async (protocol) => {
    const { port, close } = await start((req, res) => res.end(req.url));
    const client = await RawConnection.open(port);
    const upgrade = `Connection: Upgrade\r\nUpgrade: ${protocol}\r\n`;
    client.write(`GET /1 HTTP/1.1\r\nHost: x\r\n${upgrade}\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n`);
    const bodies = [await client.response(), await client.response()].map(({ body }) => body.toString());
    expect(bodies).toEqual(['/1', '/2']);
    client.close();
    await close();
  },
);
