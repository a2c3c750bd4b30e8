/** WebSockets go to the target; a handshake that could mean an operation is judged like any request. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { type Running, startBinary } from '../support/binary.ts';
import { PROJECT_PATH } from '../support/e2e-bodies.ts';
import { holdTimers } from '../support/held-timers.ts';
import { type InProcess, startGate } from '../support/in-process.ts';
import { RawConnection, valuesOf } from '../support/raw.ts';
import { freePort, type RawTarget, startRawTarget } from '../support/target.ts';

const HANDSHAKE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

/** So long that it is over by a test's word alone. */
const TIMEOUT = 54_321;

describe('a WebSocket', () => {
  let server: Server;
  let gate: Running;
  const handshakes: IncomingMessage[] = [];
  const accepted: WebSocket[] = [];
  beforeAll(async () => {
    server = createServer();
    const sockets = new WebSocketServer({ server, maxPayload: 64 * 1024 * 1024 });
    sockets.on('connection', (socket, request) => {
      handshakes.push(request);
      accepted.push(socket);
      socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    gate = await startBinary(['proxy', `http://127.0.0.1:${(server.address() as AddressInfo).port}`]);
  });
  afterAll(() => {
    for (const socket of accepted) socket.terminate();
    server.close();
  });
  const open = async (path = '/socket?a=1', protocols: string[] = []) => {
    const socket = new WebSocket(gate.url.replace('http', 'ws') + path, protocols, {
      headers: { 'X-Custom': 'kept', 'Patchgate-Secret': 'dropped' },
    });
    await once(socket, 'open');
    return socket;
  };
  const echoed = async (socket: WebSocket, data: string | Buffer) => {
    socket.send(data);
    const [answer, isBinary] = (await once(socket, 'message')) as [Buffer, boolean];
    return { answer, isBinary };
  };

  it('carries text, bytes and a message of 8 MB both ways', async () => {
    const socket = await open();
    expect(await echoed(socket, 'h\u00e9llo')).toEqual({
      answer: Buffer.from('h\u00e9llo'),
      isBinary: false,
    });
    const bytes = randomBytes(1000);
    expect(await echoed(socket, bytes)).toEqual({ answer: bytes, isBinary: true });
    const big = randomBytes(8_000_000);
    const { answer } = await echoed(socket, big);
    expect(answer.equals(big)).toBe(true);
    socket.terminate();
  });

  it('is asked for with path, headers and protocols of the client, at the host of the target', async () => {
    const socket = await open('/socket?a=1&a=2', ['chat', 'superchat']);
    const { url, headers } = handshakes.at(-1) as IncomingMessage;
    expect(url).toBe('/socket?a=1&a=2');
    expect(headers).toMatchObject({
      'x-custom': 'kept',
      'sec-websocket-protocol': 'chat,superchat',
      host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
    expect(headers['patchgate-secret']).toBeUndefined();
    expect(socket.protocol).toBe('chat');
    socket.terminate();
    await gate.said('GET /socket?a=1&a=2 101 not judged target');
  });

  it('hands on the close code of either side', async () => {
    const first = await open();
    const atTarget = once(accepted.at(-1) as WebSocket, 'close');
    first.close(4001, 'done here');
    const [code, reason] = (await atTarget) as [number, Buffer];
    expect([code, reason.toString()]).toEqual([4001, 'done here']);

    const second = await open();
    const atClient = once(second, 'close');
    accepted.at(-1)?.close(4002, 'go away');
    const [otherCode, otherReason] = (await atClient) as [number, Buffer];
    expect([otherCode, otherReason.toString()]).toEqual([4002, 'go away']);
  });
});

describe('a handshake', () => {
  let gate: InProcess;
  let answer = '';
  let received = '';
  let target: RawTarget;
  let sockets: Socket[];
  beforeAll(async () => {
    target = await startRawTarget((socket) => {
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1');
        if (answer !== '' && received.includes('\r\n\r\n')) socket.write(answer);
      });
    });
    sockets = target.sockets;
    gate = await startGate({ target: target.url, timeout: TIMEOUT });
  });
  const attempt = async (more = '', path = '/socket', headers = '') => {
    received = '';
    const client = await RawConnection.open(gate.port);
    client.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${HANDSHAKE}${headers}\r\n${more}`);
    return client;
  };
  const SMUGGLED = `PATCH ${PROJECT_PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}`;

  it.each(['Content-Length: 2\r\n\r\nno', 'Transfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n'])(
    'that the target refuses is refused, and no further byte of the client goes there (%j)',
    async (rest) => {
      answer = `HTTP/1.1 403 Forbidden\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n${rest}`;
      const client = await attempt(SMUGGLED);
      const response = await client.response();
      expect(response).toMatchObject({ status: 403, isWhole: true });
      expect(response.body.toString()).toBe('no');
      expect(valuesOf(response, 'set-cookie')).toEqual(['a=1', 'b=2']);
      client.write(SMUGGLED);
      await client.closed();
      client.close();
      expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
      expect(received).not.toContain('PATCH');
    },
  );

  it('that the target does not answer is a 504', async () => {
    answer = '';
    const timers = holdTimers(TIMEOUT);
    const client = await attempt();
    await expect.poll(() => received).toContain('\r\n\r\n');
    timers.goOff();
    expect((await client.response()).status).toBe(504);
    await client.closed();
    client.close();
  });

  it('whose client goes away is ended at the target', async () => {
    answer = '';
    received = '';
    const patient = await startGate({ target: target.url, log: 'text' });
    const client = await RawConnection.open(patient.port);
    client.write(`GET /socket HTTP/1.1\r\nHost: localhost\r\n${HANDSHAKE}\r\n`);
    await expect.poll(() => received).toContain('\r\n\r\n');
    const closed = once(sockets.at(-1) as Socket, 'close');
    client.socket.resetAndDestroy();
    await closed;
    await expect.poll(() => patient.log.join()).toContain('the client went away');
  });

  it('to a target that is down is a 502', async () => {
    const other = await startGate({ target: `http://127.0.0.1:${await freePort()}` });
    const client = await RawConnection.open(other.port);
    client.write(`GET /socket HTTP/1.1\r\nHost: localhost\r\n${HANDSHAKE}\r\n`);
    const response = await client.response();
    expect(response.status).toBe(502);
    expect(valuesOf(response, 'content-type')).toEqual(['application/problem+json']);
    client.close();
  });

  it.each([
    ['a header', PROJECT_PATH, 'X-HTTP-Method-Override: PATCH\r\n'],
    ['the query', `${PROJECT_PATH}?_method=patch`, ''],
  ])('that %s makes a PATCH is judged', async (_, path, headers) => {
    answer = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const client = await attempt('', path, headers);
    const response = await client.response();
    client.close();
    expect(response.status).toBe(400);
    expect(response.body.toString()).toContain('request.json');
    expect(received).toBe('');
  });

  it('with a body is read like any other request', async () => {
    answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
    const client = await attempt(SMUGGLED, '/socket', `Content-Length: ${SMUGGLED.length}\r\n`);
    const response = await client.response();
    client.close();
    expect(response.status).toBe(200);
    expect(received.toLowerCase()).not.toContain('upgrade');
    expect(received.endsWith(SMUGGLED)).toBe(true);
  });
});
