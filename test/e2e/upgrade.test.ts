/** An upgrade to anything but a WebSocket is ignored: the request is read, judged and answered like any other. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Running, startBinary } from '../support/binary.ts';
import { BAD_PROJECT, GOOD_PROJECT, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { RawConnection } from '../support/raw.ts';
import { startTarget, type Target } from '../support/target.ts';

/** As Java's client asks for HTTP/2. */
const H2C =
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAA\r\n';

let target: Target;
let gate: Running;
beforeAll(async () => {
  target = await startTarget();
  gate = await startBinary(['proxy', target.url]);
});
beforeEach(() => {
  target.received.length = 0;
});

function patch(body: unknown, upgrade = H2C): string {
  const text = JSON.stringify(body);
  return `PATCH ${PROJECT_PATH} HTTP/1.1\r\nHost: localhost\r\n${upgrade}Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
}

const get = (path: string, upgrade = H2C) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${upgrade}\r\n`;

describe('a request that asks for an upgrade', () => {
  it.each([
    ['h2c', H2C],
    ['a WebSocket', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'],
    ['several things', 'Connection: Upgrade\r\nUpgrade: websocket, h2c\r\n'],
    ['anything', 'Connection: upgrade\r\nUpgrade: x/1\r\n'],
  ])('to %s is judged', async (_, upgrade) => {
    const client = await RawConnection.open(gate.port);
    client.write(patch(BAD_PROJECT, upgrade));
    expect((await client.response()).status).toBe(422);
    expect(target.received).toEqual([]);
    client.write(patch(GOOD_PROJECT, upgrade));
    expect((await client.response()).status).toBe(200);
    expect(target.received[0]?.body.toString()).toBe(JSON.stringify(GOOD_PROJECT));
    expect(target.received[0]?.headers).not.toHaveProperty('upgrade');
    expect(target.received[0]?.headers).not.toHaveProperty('http2-settings');
    client.close();
  });

  it('may send its body a byte at a time, and in chunks', async () => {
    const client = await RawConnection.open(gate.port);
    client.socket.setNoDelay(true);
    const text = JSON.stringify(GOOD_PROJECT);
    client.write(
      `PATCH ${PROJECT_PATH} HTTP/1.1\r\nHost: localhost\r\n${H2C}Transfer-Encoding: chunked\r\n\r\n`,
    );
    for (const byte of text) {
      client.write(`1\r\n${byte}\r\n`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    client.write('0\r\n\r\n');
    expect((await client.response()).status).toBe(200);
    expect(target.received[0]?.body.toString()).toBe(text);
    client.close();
  });

  it('may have others behind it on the same connection, sent without waiting', async () => {
    const client = await RawConnection.open(gate.port);
    client.write(
      [
        ...[
          get('/1'),
          get('/2', ''),
          patch(BAD_PROJECT),
          get('/3'),
          patch(GOOD_PROJECT, ''),
          patch(BAD_PROJECT, ''),
        ],
        ...[patch(GOOD_PROJECT), get('/4')],
      ].join(''),
    );
    const statuses: number[] = [];
    for (let i = 0; i < 8; i++) statuses.push((await client.response()).status);
    expect(statuses).toEqual([200, 200, 422, 200, 200, 422, 200, 200]);
    expect(target.received.map(({ method, url }) => `${method} ${url}`).sort()).toEqual(
      ['GET /1', 'GET /2', 'GET /3', 'GET /4', `PATCH ${PROJECT_PATH}`, `PATCH ${PROJECT_PATH}`].sort(),
    );
    client.close();
  });

  it('may be cut off in the middle', async () => {
    const client = await RawConnection.open(gate.port);
    client.write(patch(GOOD_PROJECT).slice(0, -5));
    client.socket.end();
    await client.closed();
    await gate.said('the client broke off its request');
    expect(target.received).toEqual([]);
  });
});
