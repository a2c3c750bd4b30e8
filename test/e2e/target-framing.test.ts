/** Whatever a target puts behind or into an answer: nobody gets an answer that is somebody else's. */
import type { Socket } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Running, startBinary } from '../support/binary.ts';
import { REQUESTS } from '../support/e2e-bodies.ts';
import { RawConnection, type RawRequest, requestBytes, sendRaw, valuesOf } from '../support/raw.ts';
import { startRawTarget } from '../support/target.ts';

const FOREIGN = 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nforeign';
const own = (headers: string, body = 'own') => `HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${body}`;

let gate: Running;
/** What the target does with each piece that it gets. */
let onRequest: (socket: Socket) => void;
beforeAll(async () => {
  const target = await startRawTarget((socket) =>
    socket.on('data', (bytes) => {
      if (/^[A-Z]+ \//.test(bytes.toString('latin1'))) onRequest(socket);
    }),
  );
  gate = await startBinary(['proxy', target.url]);
});

describe.each<readonly [string, RawRequest]>(REQUESTS)('an answer to %s', (_, request) => {
  it.each([
    ['another answer', own('Content-Length: 3') + FOREIGN],
    ['what is none', `${own('Content-Length: 3')}GARBAGE`],
    ['more than its length', own('Content-Length: 3', `own${FOREIGN}`)],
    ['an answer behind its chunks', own('Transfer-Encoding: chunked', `3\r\nown\r\n0\r\n\r\n${FOREIGN}`)],
    ['another behind one without a body', `HTTP/1.1 204 None\r\n\r\n${FOREIGN}`],
    [
      'another behind one that must have no length',
      `HTTP/1.1 204 None\r\nContent-Length: 60\r\n\r\n${FOREIGN}`,
    ],
    ['another behind 304', `HTTP/1.1 304 Same\r\n\r\n${FOREIGN}`],
  ])('with %s leaves nothing for the next one', async (_name, bytes) => {
    onRequest = (socket) => socket.write(bytes);
    for (let i = 0; i < 3; i++) {
      const client = await RawConnection.open(gate.port);
      client.write(
        requestBytes({ ...request, headers: [...(request.headers ?? []), ['Connection', 'close']] }),
      );
      await client.closed();
      expect(client.rest.toString()).not.toContain('foreign');
      client.close();
    }
    onRequest = (socket) => socket.write(own('Content-Length: 3\r\nX-Next: 1'));
    expect(String((await sendRaw(gate.port, request)).body)).toBe('own');
  });

  it.each([
    ['two lengths', own('Content-Length: 3\r\nContent-Length: 4')],
    ['a length and chunks', own('Content-Length: 3\r\nTransfer-Encoding: chunked', '3\r\nown\r\n0\r\n\r\n')],
    ['a folded header', own('X-A: 1\r\n 2\r\nContent-Length: 3')],
    ['LF alone', own('X-A: 1\nX-B: 2\r\nContent-Length: 3')],
    ['CR alone', own('X-A: 1\rSet-Cookie: 2\r\nContent-Length: 3')],
    ['NUL', own('X-A: a\0b\r\nContent-Length: 3')],
    ['a space in a name', own('X A: 1\r\nContent-Length: 3')],
    ['another protocol, unasked', 'HTTP/1.1 101 Switch\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
  ])('with %s is a 502', async (_name, bytes) => {
    onRequest = (socket) => socket.write(bytes);
    const answer = await sendRaw(gate.port, request);
    expect(answer.status).toBe(502);
    expect(valuesOf(answer, 'content-type')).toEqual(['application/problem+json']);
  });
});

it.each(REQUESTS)('a whole answer to %s is handed on, whatever stands behind it', async (_, request) => {
  onRequest = (socket) => socket.write(`${own('Content-Length: 3')}GARBAGE`);
  const answer = await sendRaw(gate.port, request);
  expect([answer.status, String(answer.body), answer.isWhole]).toEqual([200, 'own', true]);
});

it('an answer without a body carries no length that a client could wait for', async () => {
  onRequest = (socket) => socket.write('HTTP/1.1 204 None\r\nContent-Length: 60\r\n\r\n');
  const answer = await sendRaw(gate.port, { path: '/x' });
  expect(answer.status).toBe(204);
  expect(valuesOf(answer, 'content-length')).toEqual([]);
});

it.each(REQUESTS)('what came on an idle connection is no answer to %s', async (_, request) => {
  let last: Socket | undefined;
  onRequest = (socket) => {
    // Else it would come with the next answer, and nobody could tell them apart.
    last = socket.setNoDelay(true);
    socket.write(own('Content-Length: 3'));
  };
  expect(String((await sendRaw(gate.port, request)).body)).toBe('own');
  await new Promise((resolve) => last?.write(FOREIGN, resolve));
  // The gate has seen it once it has answered something else.
  await sendRaw(gate.port, { path: '/__patchgate/health' });
  expect(String((await sendRaw(gate.port, request)).body)).toBe('own');
});
