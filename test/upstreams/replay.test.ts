import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import { locationOf } from '../../src/recordings/files/location.ts';
import { openStore } from '../../src/recordings/lowdb-store.ts';
import { type ReplayOptions, replay } from '../../src/upstreams/replay.ts';
import type { Upstream } from '../../src/upstreams/upstream.ts';
import { exchange, PROJECT_PATH, plainOf } from '../support/exchanges.ts';
import { type ServedUpstream, serveUpstream } from '../support/serve-upstream.ts';

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A server that replays these exchanges, from files that were written and closed. */
async function replaying(exchanges: Exchange[], options: ReplayOptions & { judged?: boolean } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'patchgate-replay-'));
  cleanups.push(() => rm(folder, { recursive: true }));
  const writer = await openStore(folder, 'demo', { writable: true });
  for (const one of exchanges) writer.append(plainOf(one));
  await writer.close();
  const upstream = replay(await openStore(folder, 'demo'), options);
  const served = await serveUpstream(upstream, options.judged);
  cleanups.push(() => served.close());
  return { upstream, folder, ...served };
}

function send(server: ServedUpstream, init: RequestInit & { path?: string } = {}): Promise<Response> {
  return fetch(server.url + (init.path ?? PROJECT_PATH), {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    ...init,
  });
}

interface Problem {
  type: string;
  detail: string;
  recording: string;
  nearest: { differences: unknown[] };
}

async function problemIn(response: Response): Promise<Problem> {
  return (await response.json()) as Problem;
}

describe('a request that is recorded', () => {
  it.each([true, false])(
    'is answered with the recorded status, headers and bytes (judged: %s)',
    async (judged) => {
      const text = '{\n  "name": "ü"\n}\n';
      const server = await replaying(
        [
          exchange({
            body: { json: { a: 1, b: 2 } },
            status: 207,
            headers: { 'content-type': 'application/json', vary: ['a', 'b'], 'content-length': '999' },
            answer: { json: { name: 'ü' }, indent: 2, newline: true },
          }),
        ],
        { judged },
      );
      const response = await send(server, { body: '{"b":2,"a":1}' });
      expect(response.status).toBe(207);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(response.headers.get('vary')).toBe('a, b');
      expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
      expect(await response.text()).toBe(text);
      expect(server.ends).toEqual([undefined]);
    },
  );

  it('may have no body, or one that is no text', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0x80]);
    const server = await replaying([
      exchange({ method: 'GET', path: '/image', answer: { base64: bytes.toString('base64') } }),
      exchange({ method: 'GET', path: '/nothing', status: 204, headers: {} }),
      exchange({ method: 'GET', path: '/same', status: 304, headers: { etag: '"1"' } }),
      exchange({ method: 'HEAD', path: '/image', headers: { 'content-length': '3' } }),
    ]);
    const image = await send(server, { method: 'GET', path: '/image' });
    expect(Buffer.from(await image.arrayBuffer())).toEqual(bytes);
    const nothing = await send(server, { method: 'GET', path: '/nothing' });
    expect(nothing.status).toBe(204);
    expect(nothing.headers.get('content-length')).toBeNull();
    expect((await send(server, { method: 'GET', path: '/same' })).status).toBe(304);
    const head = await send(server, { method: 'HEAD', path: '/image' });
    expect(head.headers.get('content-length')).toBe('3');
    expect(await head.text()).toBe('');
  });

  it('is answered in the order of recording, and the last answer repeats, until it is reset', async () => {
    const server = await replaying([
      exchange({ body: { json: { a: 1, b: 2 } }, status: 201 }),
      exchange({ body: { json: { other: 1 } }, status: 209 }),
      exchange({ body: { json: { b: 2, a: 1 } }, status: 202 }),
    ]);
    const status = async (body: string) => (await send(server, { body })).status;
    expect(await status('{"a":1,"b":2}')).toBe(201);
    expect(await status('{"other":1}')).toBe(209);
    expect(await status('{"b":2, "a":1}')).toBe(202);
    expect(await status('{"a":1,"b":2}')).toBe(202);
    expect(await status('{"other":1}')).toBe(209);
    server.upstream.reset();
    expect(await status('{"b":2,"a":1}')).toBe(201);
  });
});

describe('a request that is not recorded', () => {
  it('is refused with the nearest exchange, place by place', async () => {
    const server = await replaying([exchange({ query: 'limit=10', body: { json: { name: 'A' } } })]);
    const response = await send(server, { path: `${PROJECT_PATH}?limit=20`, body: '{"name":"B"}' });
    expect(response.status).toBe(501);
    const problem = await problemIn(response);
    expect(problem.type).toBe('urn:patchgate:problem:no-recording');
    expect(problem.detail).toContain('query/limit: recorded "10", sent "20"; /name: recorded "A", sent "B"');
    expect(problem.recording).toBe('demo');
    expect(problem.nearest.differences).toEqual([
      { place: 'query/limit', recorded: '"10"', sent: '"20"' },
      { place: '/name', recorded: '"A"', sent: '"B"' },
    ]);
    expect(server.ends[0]).toContain('query/limit');
  });

  it('is refused with the nearest path', async () => {
    const server = await replaying([exchange()]);
    const problem = await problemIn(await send(server, { path: '/v2/accounts/current/projects/42' }));
    expect(problem.detail).toContain(`the nearest is PATCH ${PROJECT_PATH}`);
  });

  it('goes to the upstream for misses, with the bytes that were read', async () => {
    const got: unknown[] = [];
    const other: Upstream = {
      handle(request, sink) {
        got.push(request.body?.toString());
        sink.head({ status: 299, message: '', headers: ['Content-Length', '0'] }, { resume() {} }, 'target');
        sink.end();
        return () => undefined;
      },
      close: async () => {
        got.push('closed');
      },
    };
    const server = await replaying([exchange({ body: { json: 1 } })], { onMiss: other });
    expect((await send(server, { body: '1' })).status).toBe(200);
    expect((await send(server, { body: '2' })).status).toBe(299);
    await server.upstream.close();
    expect(got).toEqual(['2', 'closed']);
  });
});

describe('what goes wrong', () => {
  it('a broken file is named in the answer', async () => {
    const server = await replaying([]);
    const file = join(server.folder, 'demo', locationOf('PATCH', PROJECT_PATH));
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, '{');
    const response = await send(server, { body: '{}' });
    expect(response.status).toBe(500);
    expect((await problemIn(response)).detail).toContain(`${file}:1:2: the file ends too early`);
  });

  it('a body that is too large is refused', async () => {
    const server = await replaying([], { bodyLimit: 1000 });
    expect((await send(server, { body: 'x'.repeat(1001) })).status).toBe(413);
    expect((await send(server, { body: 'x'.repeat(1000) })).status).toBe(501);
  });

  it('a body that the gate found too large for judging is still read', async () => {
    const body = JSON.stringify('x'.repeat(2 * 1024 * 1024));
    const server = await replaying([exchange({ body: { text: body } })], { judged: true });
    expect((await send(server, { body })).status).toBe(200);
    const chunked = { body: new Blob([body]).stream(), duplex: 'half' } as RequestInit;
    expect((await send(server, chunked)).status).toBe(200);
  });

  it('a client that breaks off gets nothing and disturbs nobody', async () => {
    const server = await replaying([exchange({ body: { json: 1 } })]);
    const socket = connect(server.port, '127.0.0.1');
    socket.write(`PATCH ${PROJECT_PATH} HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n12345`, () => {
      socket.destroy();
    });
    await expect.poll(() => server.ends).toHaveLength(1);
    expect(server.ends[0]).toContain('the client went away');
    expect((await send(server, { body: '1' })).status).toBe(200);
  });
});
