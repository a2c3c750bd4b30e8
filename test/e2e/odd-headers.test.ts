/** Headers by names that JavaScript has a meaning of its own for, and more of them than a server keeps. */
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { BAD_PROJECT, PROJECT_PATH, REQUESTS } from '../support/e2e-bodies.ts';
import { startGate } from '../support/in-process.ts';
import { type RawRequest, requestBytes, sendRaw } from '../support/raw.ts';
import { closeServer, listen } from '../support/serve-upstream.ts';
import { startTarget } from '../support/target.ts';

const ODD = [
  'toString',
  'hasOwnProperty',
  'constructor',
  'valueOf',
  '__proto__',
  'Prototype',
  '__defineGetter__',
];

it.each(REQUESTS)('arrive as they were sent: %s', async (_, request: RawRequest) => {
  const target = await startTarget();
  const { port } = await startGate({ target: target.url });
  const odd = ODD.flatMap((name): [string, string][] => [
    [name, `${name} 1`],
    [name, `${name} 2`],
  ]);
  const headers = [...(request.headers ?? []), ...odd];
  expect((await sendRaw(port, { ...request, headers })).status).toBe(200);
  const sent = target.received[0]?.rawHeaders ?? [];
  const arrived = ODD.map((name) => sent.filter((_, i) => i % 2 === 1 && sent[i - 1] === name));
  expect(arrived).toEqual(ODD.map((name) => [`${name} 1`, `${name} 2`]));
});

describe('mounted in a server that keeps so many headers', () => {
  const hidden = requestBytes({ method: 'PATCH', path: PROJECT_PATH, body: JSON.stringify(BAD_PROJECT) });
  /** `Host` and `Content-Length` are two of them. */
  const requestOf = (count: number): RawRequest => ({
    path: '/x',
    headers: Array.from({ length: count - 2 }, (_, i) => [`A${i}`, '1'] as const),
    body: hidden,
  });

  it.each([
    [40, 39, 200],
    [40, 40, 431],
    [40, 100, 431],
    [null, 999, 200],
    [null, 1000, 431],
    [1500, 1499, 200],
    [1500, 1500, 431],
    [0, 1500, 200],
  ])('%s, a request with %i is answered with %i', async (most, count, status) => {
    const target = await startTarget();
    const { gate } = await startGate({ target: target.url });
    const server = createServer(gate.handler);
    server.maxHeadersCount = most;
    const port = await listen(server);
    expect((await sendRaw(port, requestOf(count))).status).toBe(status);
    expect(target.received.map(({ body }) => body.length)).toEqual(status === 200 ? [hidden.length] : []);
    await closeServer(server);
  });
});
