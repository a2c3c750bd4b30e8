/** Bodies that are not judged and WebSockets stream through, and every kind of response keeps its framing's meaning. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { type Running, startBinary } from '../support/binary.ts';
import { GOOD_PROJECT, HANDSHAKE, JSON_TYPE, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { holdTimers } from '../support/held-timers.ts';
import { type InProcess, startGate } from '../support/in-process.ts';
import { RawConnection, type RawRequest, requestBytes, sendRaw, valuesOf } from '../support/raw.ts';
import {
  freePort,
  type RawTarget,
  startRawTarget,
  startStreamingTarget,
  startTarget,
  type Target,
} from '../support/target.ts';

/** So long that it is over by a test's word alone. */
const TIMEOUT = 54_321;
const PROJECT = {
  method: 'PATCH',
  path: PROJECT_PATH,
  headers: [JSON_TYPE],
  body: JSON.stringify(GOOD_PROJECT),
};

describe('a response that takes its time', () => {
  let target: Target;
  let gate: InProcess;
  const waiting = new Map<string | undefined, ServerResponse>();
  beforeAll(async () => {
    target = await startStreamingTarget((req, res) => {
      waiting.set(req.method, res);
      req.resume();
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first\n\n');
    });
    gate = await startGate({ target: target.url, timeout: TIMEOUT });
  });

  it.each([
    ['that was not judged', 'GET', 'GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['that was judged', 'PATCH', requestBytes(PROJECT)],
  ])('to a request %s comes event by event, however long it is silent', async (_, method, bytes) => {
    const timers = holdTimers(TIMEOUT);
    const client = await RawConnection.open(gate.port);
    client.write(bytes);
    await client.came('data: first');
    // The timeout is only for the beginning of an answer.
    timers.goOff();
    waiting.get(method)?.write('data: second\n\n');
    await client.came('data: second');
    waiting.get(method)?.end('data: third\n\n');
    const response = await client.response();
    client.close();
    expect(response.isWhole).toBe(true);
    expect(response.body.toString()).toBe('data: first\n\ndata: second\n\ndata: third\n\n');
  });
});

describe('an upload', () => {
  it('reaches the target chunk by chunk, and an answer can come before its end', async () => {
    const target = await startStreamingTarget(async (req, res) => {
      const [first] = await once(req, 'data');
      res.writeHead(200).write(`got ${first}`);
      req.on('data', (chunk) => res.write(` and ${chunk}`)).on('end', () => res.end('.'));
    });
    const gate = await startGate({ target: target.url });
    const client = await RawConnection.open(gate.port);
    client.write(
      'POST /upload HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n',
    );
    await client.came('got one');
    client.write('3\r\ntwo\r\n0\r\nX-Trailer: dropped\r\n\r\n');
    const response = await client.response();
    client.close();
    expect(response.body.toString()).toBe('got one and two.');
  });

  it('of a client that is slow is not the target being silent', async () => {
    const chunks: Buffer[] = [];
    const target = await startStreamingTarget((req, res) => {
      req.on('data', (chunk) => chunks.push(chunk)).on('end', () => res.end(Buffer.concat(chunks)));
    });
    const gate = await startGate({ target: target.url, timeout: TIMEOUT });
    const timers = holdTimers(TIMEOUT);
    const client = await RawConnection.open(gate.port);
    client.write('POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\n\r\none');
    await expect.poll(() => chunks).toHaveLength(1);
    expect(timers.running()).toBe(1);
    timers.goOff();
    client.write('two');
    const response = await client.response();
    client.close();
    expect([response.status, response.body.toString()]).toEqual([200, 'onetwo']);
  });
});

describe('the framing of a response', () => {
  let gate: InProcess;
  let answer = '';
  beforeAll(async () => {
    const target = await startRawTarget((socket) => {
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
        if (!text.includes('\r\n\r\n')) return;
        text = '';
        if (answer.includes('HTTP/1.0')) socket.end(answer);
        else socket.write(answer);
      });
    });
    gate = await startGate({ target: target.url });
  });
  const requests = [
    ['GET', { path: '/x' }],
    ['judged PATCH', PROJECT],
  ] as const;

  it.each(requests)('of an HTTP/1.0 target without a length ends where it ends: %s', async (_, request) => {
    answer = 'HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nuntil the end';
    const response = await sendRaw(gate.port, request);
    expect(response).toMatchObject({ status: 200, isWhole: true });
    expect(response.body.toString()).toBe('until the end');
  });

  it.each(requests)('is not broken by 103 Early Hints: %s', async (_, request) => {
    answer =
      'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n' +
      'HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok';
    const response = await sendRaw(gate.port, request);
    expect(response).toMatchObject({ status: 201, isWhole: true });
    expect(response.body.toString()).toBe('ok');
  });

  it.each(requests)('may have trailers, which are left out: %s', async (_, request) => {
    answer =
      'HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n';
    const response = await sendRaw(gate.port, request);
    expect(response).toMatchObject({ status: 200, isWhole: true });
    expect(response.body.toString()).toBe('ok');
    expect(valuesOf(response, 'trailer')).toEqual([]);
  });

  it.each(requests.flatMap(([name, request]) => [204, 304].map((status) => ({ name, request, status }))))(
    'is that of no body for $status: $name',
    async ({ request, status }) => {
      answer = `HTTP/1.1 ${status} Fine\r\nETag: "1"\r\nX-Last: 1\r\n\r\n`;
      const response = await sendRaw(gate.port, request);
      expect(response).toMatchObject({ status, reason: 'Fine', isWhole: true });
      expect(valuesOf(response, 'etag')).toEqual(['"1"']);
      expect(valuesOf(response, 'transfer-encoding')).toEqual([]);
    },
  );

  it.each(['Content-Length: 10\r\n', ''])('tells HEAD what GET would have (%j)', async (length) => {
    answer = `HTTP/1.1 200 OK\r\n${length}ETag: "1"\r\n\r\n`;
    const response = await sendRaw(gate.port, { method: 'HEAD', path: '/x' });
    expect(response.status).toBe(200);
    expect(valuesOf(response, 'content-length')).toEqual(length === '' ? [] : ['10']);
  });

  it('leaves the connection of the client usable', async () => {
    answer = 'HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n';
    const client = await RawConnection.open(gate.port);
    for (const method of ['HEAD', 'GET', 'HEAD', 'GET']) {
      client.write(`${method} /x HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      expect((await client.response(method)).status).toBe(304);
    }
    expect(client.rest.length).toBe(0);
    client.close();
  });
});

/** Buffers on the way fill up, then everything stands still. @param count of bytes so far */
async function standsStill(count: () => number): Promise<number> {
  let before = -1;
  while (count() === 0 || before !== count()) {
    before = count();
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return before;
}

describe.concurrent('who reads slowly holds the other one back, and loses nothing', () => {
  const SIZE = 64 * 1024 * 1024;
  const CHUNK = Buffer.alloc(65_536, 7);

  it.each([
    ['a client, by a GET', 'GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a client, by a judged PATCH', requestBytes(PROJECT)],
  ])('%s', async (_, bytes) => {
    let written = 0;
    const target = await startStreamingTarget(async (req, res) => {
      req.resume();
      res.writeHead(200, { 'content-length': SIZE });
      for (; written < SIZE; written += CHUNK.length) if (!res.write(CHUNK)) await once(res, 'drain');
      res.end();
    });
    const gate = await startBinary(['proxy', target.url]);
    const client = connect(gate.port, '127.0.0.1').pause();
    client.write(bytes);
    expect(await standsStill(() => written)).toBeLessThan(SIZE / 2);
    let received = 0;
    client.on('data', (chunk) => {
      received += chunk.length;
      if (received >= SIZE) client.destroy();
    });
    client.resume();
    await once(client, 'close');
    expect(written).toBe(SIZE);
  });

  it('a target, by an upload', async () => {
    let arrived = (_: IncomingMessage) => {};
    const arriving = new Promise<IncomingMessage>((resolve) => {
      arrived = resolve;
    });
    const target = await startStreamingTarget((req, res) => {
      arrived(req);
      req.on('end', () => res.end('whole'));
    });
    const gate = await startBinary(['proxy', target.url]);
    const client = connect(gate.port, '127.0.0.1');
    client.write(`POST /large HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${SIZE}\r\n\r\n`);
    let sent = 0;
    const sending = (async () => {
      for (; sent < SIZE; sent += CHUNK.length) if (!client.write(CHUNK)) await once(client, 'drain');
    })();
    const body = await arriving;
    expect(await standsStill(() => sent)).toBeLessThan(SIZE / 2);
    let received = 0;
    body.on('data', (chunk) => {
      received += chunk.length;
    });
    const [answer] = await once(client, 'data');
    await sending;
    expect([received, String(answer)]).toEqual([SIZE, expect.stringContaining('whole')]);
    client.destroy();
  });
});

// WebSockets go to the target; a handshake that could mean an operation is judged like any request.

describe('a WebSocket', () => {
  let target: Target;
  let gate: Running;
  const handshakes: IncomingMessage[] = [];
  const accepted: WebSocket[] = [];
  beforeAll(async () => {
    target = await startTarget();
    const sockets = new WebSocketServer({ server: target.server, maxPayload: 64 * 1024 * 1024 });
    sockets.on('connection', (socket, request) => {
      handshakes.push(request);
      accepted.push(socket);
      socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
    });
    gate = await startBinary(['proxy', target.url]);
  });
  afterAll(() => {
    for (const socket of accepted) socket.terminate();
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
      host: `127.0.0.1:${target.port}`,
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
  const attempt = async (more = '', path = '/socket', headers: RawRequest['headers'] = []) => {
    received = '';
    const client = await RawConnection.open(gate.port);
    client.write(requestBytes({ path, headers: [...HANDSHAKE, ...headers] })).write(more);
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
    client.write(requestBytes({ path: '/socket', headers: HANDSHAKE }));
    await expect.poll(() => received).toContain('\r\n\r\n');
    const closed = once(sockets.at(-1) as Socket, 'close');
    client.socket.resetAndDestroy();
    await closed;
    await expect.poll(() => patient.log.join()).toContain('the client went away');
  });

  it('to a target that is down is a 502', async () => {
    const other = await startGate({ target: `http://127.0.0.1:${await freePort()}` });
    const client = await RawConnection.open(other.port);
    client.write(requestBytes({ path: '/socket', headers: HANDSHAKE }));
    const response = await client.response();
    expect(response.status).toBe(502);
    expect(valuesOf(response, 'content-type')).toEqual(['application/problem+json']);
    client.close();
  });

  it.each([
    ['a header', PROJECT_PATH, [['X-HTTP-Method-Override', 'PATCH']]],
    ['the query', `${PROJECT_PATH}?_method=patch`, []],
  ] as const)('that %s makes a PATCH is judged', async (_, path, headers) => {
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
    const client = await attempt(SMUGGLED, '/socket', [['Content-Length', String(SMUGGLED.length)]]);
    const response = await client.response();
    client.close();
    expect(response.status).toBe(200);
    expect(received.toLowerCase()).not.toContain('upgrade');
    expect(received.endsWith(SMUGGLED)).toBe(true);
  });
});
