/** Bodies that are not judged stream through, and every kind of response keeps its framing's meaning. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { startBinary } from '../support/binary.ts';
import { GOOD_PROJECT, JSON_TYPE, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { holdTimers } from '../support/held-timers.ts';
import { type InProcess, startGate } from '../support/in-process.ts';
import { RawConnection, requestBytes, sendRaw, valuesOf } from '../support/raw.ts';
import { startRawTarget, startStreamingTarget, type Target } from '../support/target.ts';

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
    let body: IncomingMessage | undefined;
    const target = await startStreamingTarget((req, res) => {
      body = req;
      req.on('end', () => res.end('whole'));
    });
    const gate = await startBinary(['proxy', target.url]);
    const client = connect(gate.port, '127.0.0.1');
    client.write(`POST /large HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${SIZE}\r\n\r\n`);
    let sent = 0;
    const sending = (async () => {
      for (; sent < SIZE; sent += CHUNK.length) if (!client.write(CHUNK)) await once(client, 'drain');
    })();
    expect(await standsStill(() => sent)).toBeLessThan(SIZE / 2);
    let received = 0;
    body?.on('data', (chunk) => {
      received += chunk.length;
    });
    const [answer] = await once(client, 'data');
    await sending;
    expect([received, String(answer)]).toEqual([SIZE, expect.stringContaining('whole')]);
    client.destroy();
  });
});
