import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Handlers, type Listening, listen } from '../../../src/server/listen/listen.ts';
import { RawConnection } from '../../support/raw.ts';

/** It would close everything after a while: here that never comes. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function start(request: Handlers['request']): Promise<Listening & { port: number }> {
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

it('closing lets a request in flight finish', async () => {
  let onAsked: (res: ServerResponse) => void = () => undefined;
  const asked = new Promise<ServerResponse>((resolve) => {
    onAsked = resolve;
  });
  const { port, close } = await start((_, res) => onAsked(res));
  const client = await RawConnection.open(port);
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const res = await asked;
  const closed = close();
  const finished = once(res, 'close');
  res.end('answer');
  await finished;
  const { body, isWhole } = await client.response();
  expect([body.toString(), isWhole]).toEqual(['answer', true]);
  await closed;
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

it.each([
  ['behind a request', ''],
  ['within a further one', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc'],
])('takes a client that closes its end %s for gone', async (_, further) => {
  let onGone: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    onGone = resolve;
  });
  const { port, close } = await start((_req, res) => res.on('close', onGone).write('begun'));
  const client = await RawConnection.open(port);
  client.write(`GET / HTTP/1.1\r\nHost: x\r\n\r\n${further}`);
  await client.came('begun');
  client.socket.end();
  await gone;
  await close();
});
