/** A client has so long for the head of its request, five times that for all of it, and no longer. */
import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { GOOD_PROJECT, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { type InProcess, startGate } from '../support/in-process.ts';
import { RawConnection, valuesOf } from '../support/raw.ts';
import { startStreamingTarget, type Target } from '../support/target.ts';

/** A machine that stands still for a moment is no client that does. */
const LIMIT = 1000;
const WHOLE = 5 * LIMIT;
const BODY = JSON.stringify(GOOD_PROJECT);
const PATCH = `PATCH ${PROJECT_PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n`;
const post = (path: string, length = 100) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n`;

let target: Target;
let gate: InProcess;
const begun: string[] = [];
/** Tells by its path whether a request came whole. */
const over = new EventEmitter();
/** Answers not yet ended, by path. */
const answers = new Map<string, ServerResponse>();
beforeAll(async () => {
  target = await startStreamingTarget((req, res) => {
    begun.push(req.url as string);
    req.on('error', () => undefined).on('close', () => over.emit(req.url as string, req.complete));
    if (req.url?.startsWith('/early')) {
      answers.set(req.url, res);
      res.write('begun ');
    } else req.resume().on('end', () => res.end('answered'));
  });
  const sockets = new WebSocketServer({ server: target.server });
  sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(data)));
  gate = await startGate({ target: target.url, log: 'text' }, 'proxy', {}, LIMIT);
});

async function send(text: string, port = gate.port): Promise<RawConnection> {
  const client = await RawConnection.open(port);
  client.socket.setNoDelay(true);
  return client.write(text);
}

async function expectTimedOut(client: RawConnection) {
  const answer = await client.response();
  expect(answer.status).toBe(408);
  expect(valuesOf(answer, 'content-type')).toEqual(['application/problem+json']);
  expect(JSON.parse(String(answer.body))).toMatchObject({
    type: 'urn:patchgate:problem:client-timeout',
    hint: 'send it sooner',
  });
  await client.closed();
  expect(client.rest.toString()).toBe('');
  client.close();
}

/** Waits for what the access log says. */
function said(text: string | RegExp) {
  return vi.waitFor(() => expect(gate.log.join('')).toMatch(text));
}

/** One byte after the other. */
async function drip(client: RawConnection, bytes: string, within: number) {
  for (const byte of bytes) {
    client.write(byte);
    await wait(within / bytes.length);
  }
}

describe.concurrent('a client that is too slow is answered 408, and its connection closed:', () => {
  it.each([
    ['in the request line', 'PATCH /api'],
    ['in the headers', PATCH],
  ])('%s', async (_, text) => {
    await expectTimedOut(await send(text));
    await said("408 not judged gate 0ms: the client did not send its request's head in time");
  });

  it('without a byte, but there is nothing to be answered', async () => {
    const client = await send('');
    await client.closed();
    expect(client.rest.toString()).toBe('');
    client.close();
  });

  it.each([
    ['in a body that is judged', '', ''],
    ['after half of it', '', BODY.slice(0, 20)],
    ['in one that came to be upgraded', 'Connection: Upgrade\r\nUpgrade: h2c\r\n', BODY.slice(0, 20)],
  ])('%s', async (_, headers, body) => {
    await expectTimedOut(await send(`${PATCH.replace('/42', '/43')}${headers}\r\n${body}`));
    await said(/PATCH \S+ 408 not judged gate \d+ms: the client did not send its request's body in time/);
    expect(begun.join()).not.toContain('projects/43');
  });

  it('in a judged body that goes on, but too slowly', async () => {
    const client = await send(`${PATCH}\r\n${BODY.slice(0, -16)}`);
    // Never to the end, however late the gate is.
    const dripping = drip(client, BODY.slice(-16, -1), 1.2 * WHOLE);
    await expectTimedOut(client);
    await dripping;
  });

  it.each(['/silent', '/endless'])('in a body that streams: %s', async (path) => {
    const closed = once(over, path);
    const client = await send(`${post(path)}half`);
    const dripping = path === '/endless' ? drip(client, 'x'.repeat(50), 1.2 * WHOLE) : undefined;
    await expectTimedOut(client);
    await said(
      new RegExp(
        `POST ${path} 408 not judged gate \\d+ms: the client did not send its request's body in time`,
      ),
    );
    const shown = [...gate.gate.exchanges.list()].find(({ request }) => request.url === path);
    expect(shown).toMatchObject({ response: { status: 408 }, failure: expect.stringContaining('in time') });
    expect(await closed).toEqual([false]);
    await dripping;
  });

  it('in a body whose answer has begun, which is cut off', async () => {
    const closed = once(over, '/early-1');
    const client = await send(`${post('/early-1')}half`);
    await client.came('begun ');
    await client.closed();
    await said(
      /POST \/early-1 200 not judged target \d+ms: the client did not send its request's body in time/,
    );
    expect(client.rest.toString()).not.toContain('408');
    expect(await closed).toEqual([false]);
    client.close();
  });

  it('after a body that was answered unread', async () => {
    const client = await send(`${PATCH.replace(/\d+\r\n$/, '6000000\r\n')}\r\nhalf`);
    expect((await client.response()).status).toBe(413);
    await client.closed();
    expect(client.rest.toString()).toBe('');
    client.close();
  });

  it('with the input of the control API', async () => {
    const client = await send(
      'PUT /__patchgate/faults HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{',
    );
    await client.closed();
    client.close();
  });
});

describe.concurrent('more than a head has', () => {
  it.each([
    ['a body that streams and goes on', post('/long', 16), 'x'.repeat(16)],
    ['one that is judged', `${PATCH}\r\n${BODY.slice(0, -16)}`, BODY.slice(-16)],
  ])('%s', async (_, begin, rest) => {
    const client = await send(begin);
    await drip(client, rest, 2 * LIMIT);
    expect((await client.response()).status).toBe(200);
    client.close();
  });
});

describe.concurrent('as long as it likes has', () => {
  it('a target that answers a body that came whole', async () => {
    const client = await send(`${post('/early-3', 4)}full`);
    await client.came('begun ');
    await wait(WHOLE + LIMIT);
    answers.get('/early-3')?.end('ended');
    expect(String((await client.response()).body)).toBe('begun ended');
    client.close();
  });

  it('a stream of events, and a client that does not read it', async () => {
    const client = await send('GET /early-2 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await client.came('begun ');
    client.socket.pause();
    await wait(WHOLE + LIMIT);
    answers.get('/early-2')?.end('ended');
    client.socket.resume();
    expect(String((await client.response()).body)).toBe('begun ended');
    client.close();
  });

  it('a WebSocket', async () => {
    const socket = new WebSocket(gate.url.replace('http', 'ws'));
    await once(socket, 'open');
    await wait(WHOLE + LIMIT);
    socket.send('there');
    expect(String((await once(socket, 'message'))[0])).toBe('there');
    socket.terminate();
  });
});
