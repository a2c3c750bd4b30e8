import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import { locationOf } from '../../src/recordings/names.ts';
import { openStore } from '../../src/recordings/store.ts';
import { type ReplayOptions, replay } from '../../src/upstreams/replay.ts';
import type { Session } from '../../src/upstreams/session.ts';
import type { Answer, Upstream } from '../../src/upstreams/upstream.ts';
import { exchange, PROJECT_PATH, plainOf, stringifyRecording } from '../support/exchanges.ts';
import { type ServedUpstream, serveUpstream } from '../support/serve-upstream.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const OTHER: Answer = {
  ...{ status: 299, message: '', headers: ['Content-Length', '0'], body: Buffer.alloc(0), from: 'target' },
};

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
    server.sessions.end('');
    expect(await status('{"b":2,"a":1}')).toBe(201);
  });
});

describe('a sequence', () => {
  const ANSWERS = [201, 202, 203];

  it('is played to each session by itself', async () => {
    const server = await replaying(ANSWERS.map((status) => exchange({ status })));
    const statusIn = async (session: string) =>
      (await send(server, { headers: { 'Patchgate-Session': session } })).status;
    expect(await statusIn('a')).toBe(201);
    expect(await statusIn('a')).toBe(202);
    expect(await statusIn('b')).toBe(201);
    expect((await send(server)).status).toBe(201);
    expect(await statusIn('a')).toBe(203);
    expect(await statusIn('a')).toBe(203);
    server.sessions.end('a');
    expect(await statusIn('a')).toBe(201);
    expect(await statusIn('b')).toBe(202);
  });

  it('gives each of many requests at once an answer of its own', async () => {
    const server = await replaying(Array.from({ length: 40 }, (_, i) => exchange({ status: 210 + i })));
    const all = await Promise.all(Array.from({ length: 40 }, async () => (await send(server)).status));
    expect(all.sort()).toEqual(Array.from({ length: 40 }, (_, i) => 210 + i));
  });

  it('that is strict is not repeated, not even one of a single exchange', async () => {
    const server = await replaying(
      [...ANSWERS.map((status) => exchange({ status })), exchange({ path: '/one' })],
      {
        strictSequence: true,
      },
    );
    for (const status of ANSWERS) expect((await send(server)).status).toBe(status);
    const refused = await send(server);
    expect(refused.status).toBe(501);
    const problem = await problemIn(refused);
    expect(problem.type).toBe('urn:patchgate:problem:no-recording');
    expect(problem.detail).toContain('already');
    expect(problem).toMatchObject({ recording: 'demo', reason: 'already-served' });
    expect((await send(server, { path: '/one' })).status).toBe(200);
    expect((await send(server, { path: '/one' })).status).toBe(501);
    const headers = { 'Patchgate-Session': 'a' };
    expect((await send(server, { path: '/one', headers })).status).toBe(200);
  });

  it('that is strict goes on with the upstream for misses, and what that records meanwhile is not served again', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder, 'demo', { writable: true });
    cleanups.push(() => store.close());
    store.append(plainOf(exchange({ status: 201 })));
    const recording: Upstream = {
      handle() {
        store.append(plainOf(exchange({ status: 299 })));
        return OTHER;
      },
      close: async () => undefined,
    };
    const server = await serveUpstream(replay(store, { strictSequence: true, onMiss: recording }));
    cleanups.push(() => server.close());
    for (const status of [201, 299, 299, 299]) expect((await send(server)).status).toBe(status);
    expect(store.exchanges('PATCH', PROJECT_PATH)).toHaveLength(4);
    const headers = { 'Patchgate-Session': 'a' };
    for (const status of [201, 299, 299, 299]) expect((await send(server, { headers })).status).toBe(status);
    expect(store.exchanges('PATCH', PROJECT_PATH)).toHaveLength(4);
  });
});

describe('what is no answer', () => {
  const OMITTED: Exchange = (() => {
    const { response, ...rest } = exchange({ path: '/x', status: 207 });
    return { ...rest, response: { ...response, body: { omitted: 99 } } };
  })();
  const NEW = exchange({ path: '/x', status: 209 });

  /** Some of them cannot be recorded yet, so that they are written by hand. */
  async function kept(exchanges: Exchange[], options: ReplayOptions = {}) {
    const folder = temporaryFolder();
    const file = join(folder, 'demo', locationOf('PATCH', '/x'));
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, stringifyRecording(exchanges));
    const upstream = replay(await openStore(folder, 'demo'), options);
    const served = await serveUpstream(upstream);
    cleanups.push(() => served.close());
    return { ...served, upstream };
  }

  it('is refused, and says why', async () => {
    const server = await kept([OMITTED]);
    const response = await send(server, { path: '/x' });
    expect(response.status).toBe(501);
    const problem = await problemIn(response);
    expect(problem).toMatchObject({
      reason: 'omitted',
      recording: 'demo',
      recordedAt: OMITTED.meta.recordedAt,
    });
    expect(problem.detail).toMatch(/too large/);
  });

  it('leaves the answer to another exchange of the request, wherever it stands', async () => {
    const before = await kept([OMITTED, NEW, OMITTED]);
    for (let i = 0; i < 3; i++) expect((await send(before, { path: '/x' })).status).toBe(209);
    const strict = await kept([OMITTED, NEW, OMITTED], { strictSequence: true });
    expect((await send(strict, { path: '/x' })).status).toBe(209);
    expect(await problemIn(await send(strict, { path: '/x' }))).toMatchObject({ reason: 'already-served' });
  });

  it('goes to the upstream for misses', async () => {
    const other: Upstream = {
      handle() {
        return OTHER;
      },
      close: async () => undefined,
    };
    const server = await kept([OMITTED], { onMiss: other });
    expect((await send(server, { path: '/x' })).status).toBe(299);
  });
});

describe('what was served', () => {
  it('is known for each session and for the run, and so is what was not', async () => {
    const server = await replaying([
      exchange({ status: 201 }),
      exchange({ status: 202 }),
      exchange({ query: 'token=x&a=1' }),
      exchange({ path: '/other' }),
    ]);
    const headers = { 'Patchgate-Session': 'a' };
    for (let i = 0; i < 3; i++) await send(server, { headers });
    await send(server, { path: '/never' });
    await send(server);
    const servedIn = (name: string) => {
      const served = server.upstream.served(server.sessions.get(name) as Session);
      return { ...served, exchanges: [...served.exchanges] };
    };
    const one = { method: 'PATCH', path: PROJECT_PATH, recordedAt: '2026-11-20T12:00:00.000Z' };
    expect(servedIn('a')).toEqual({
      count: 3,
      exchanges: [
        { ...one, index: 0, times: 1 },
        { ...one, index: 1, times: 2 },
      ],
      isCut: false,
    });
    expect(servedIn('')).toEqual({ count: 1, exchanges: [{ ...one, index: 0, times: 1 }], isCut: false });
    expect(server.upstream.unserved()).toEqual({
      recording: 'demo',
      total: 4,
      count: 2,
      exchanges: [
        {
          method: 'PATCH',
          path: PROJECT_PATH,
          query: expect.stringMatching(/redacted.*a=1$/),
          index: 2,
          recordedAt: one.recordedAt,
        },
        { method: 'PATCH', path: '/other', query: '', index: 0, recordedAt: one.recordedAt },
      ],
    });
    server.upstream.end(server.sessions.get('a') as Session);
    expect(servedIn('a').count).toBe(0);
    expect(server.upstream.unserved().count).toBe(2);
  });
});

describe('what was recorded in sessions', () => {
  it('is given to each its own', async () => {
    const sessions = ['one', undefined, 'two'];
    const all = sessions.map((session) =>
      exchange({ answer: { text: `of ${session}` }, ...(session !== undefined && { session }) }),
    );
    const server = await replaying(all, { judged: true });
    const ask = async (session: string | undefined) => {
      const headers = session === undefined ? {} : { 'patchgate-session': session };
      return (await send(server, { headers })).text();
    };
    for (let again = 0; again < 2; again++) {
      for (const session of sessions) expect(await ask(session)).toBe(`of ${session}`);
      expect(await ask('another')).toBe('of undefined');
    }
    expect(server.upstream.unserved().count).toBe(0);
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

  it('is refused with the nearest of what was recorded in its session', async () => {
    const of = (session: string, name: string) => exchange({ session, body: { json: { name } } });
    const server = await replaying([of('one', 'v1'), of('two', 'v2')]);
    const nearestFor = async (session: string) => {
      const headers = { 'content-type': 'application/json', 'patchgate-session': session };
      const response = await send(server, { headers, body: '{"name":"v3"}' });
      return (await problemIn(response)).detail;
    };
    expect(await nearestFor('one')).toContain('recorded "v1", sent "v3"');
    expect(await nearestFor('two')).toContain('recorded "v2", sent "v3"');
  });

  it('is refused with the nearest path', async () => {
    const server = await replaying([exchange()]);
    const problem = await problemIn(await send(server, { path: '/v2/accounts/current/projects/42' }));
    expect(problem.detail).toContain('the nearest is PATCH /api/v2/accounts/current/projects/42');
    expect(problem).toMatchObject({ recording: 'demo', reason: 'not-recorded' });
  });

  it('is refused in the terms of the recording where that is below another base path', async () => {
    const server = await replaying([exchange({ body: { json: { name: 'v1' } } })]);
    const path = PROJECT_PATH.replace('/api/v2', '');
    const { detail } = await problemIn(await send(server, { path, body: '{"name":"v2"}' }));
    expect(detail).toContain(`this PATCH ${PROJECT_PATH}; in the nearest /name: recorded "v1", sent "v2"`);
    expect(detail).toContain(`sent as ${path}`);
  });

  it.each([
    ['GET', '/favicon.ico', 404, 0],
    ['GET', '/favicon.ico?v=2', 404, 0],
    ['GET', '/apple-touch-icon.png', 404, 0],
    ['GET', '/.well-known/appspecific/com.chrome.devtools.json', 404, 0],
    ['GET', '/api/favicon.ico', 501, 1],
    ['PUT', '/favicon.ico', 501, 1],
  ])('is no miss, where browsers send it of themselves: %s %s: %d', async (method, path, status, misses) => {
    const server = await replaying([exchange()]);
    expect((await send(server, { method, path })).status).toBe(status);
    expect(server.upstream.misses.list().count).toBe(misses);
  });

  it('is answered, though browsers send it of themselves, where it is recorded', async () => {
    const recorded = exchange({ method: 'GET', path: '/favicon.ico' });
    const server = await replaying([recorded], { strictSequence: true });
    expect((await send(server, { method: 'GET', path: '/favicon.ico' })).status).toBe(200);
    expect((await send(server, { method: 'GET', path: '/favicon.ico' })).status).toBe(404);
    expect(server.upstream.misses.list().count).toBe(0);
  });

  it('goes to the upstream for misses, with the bytes that were read', async () => {
    const got: unknown[] = [];
    const other: Upstream = {
      handle(request) {
        got.push(request.body?.toString());
        return OTHER;
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
