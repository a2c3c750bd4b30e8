import { afterEach, describe, expect, it } from 'vitest';
import { PatchgateError } from '../../src/errors.ts';
import type { Exchange } from '../../src/model/exchange.ts';
import { DEFAULT_REDACTION } from '../../src/recordings/redact/redaction.ts';
import { openStore } from '../../src/recordings/store.ts';
import { Misses } from '../../src/upstreams/replay/misses.ts';
import { type ReplayOptions, replay } from '../../src/upstreams/replay.ts';
import type { Answer, UpstreamRequest } from '../../src/upstreams/upstream.ts';
import { exchange, PROJECT_PATH, plainOf } from '../support/exchanges.ts';
import { type ServedUpstream, serveUpstream } from '../support/serve-upstream.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const OTHER: Answer = {
  ...{ status: 299, message: '', headers: ['Content-Length', '0'], body: Buffer.alloc(0), from: 'target' },
};

let closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
});

/** A server that replays these exchanges, from files that were written and closed. */
async function replaying(exchanges: Exchange[], options: ReplayOptions & { judged?: boolean } = {}) {
  const folder = temporaryFolder();
  const writer = await openStore(folder, 'demo', { mode: 'append' });
  for (const one of exchanges) writer.append(plainOf(one));
  await writer.close();
  const upstream = replay(await openStore(folder, 'demo'), options);
  const served = await serveUpstream(upstream, options.judged);
  closing.push(() => served.close());
  return { upstream, ...served };
}

function send(server: ServedUpstream, init: RequestInit & { path?: string; session?: string } = {}) {
  const { path = PROJECT_PATH, session = '', ...rest } = init;
  const headers = { 'Content-Type': 'application/json', ...(session && { 'Patchgate-Session': session }) };
  return fetch(server.url + path, { method: 'PATCH', headers, ...rest });
}

const statuses = async (server: ServedUpstream, count: number, init: Parameters<typeof send>[1] = {}) => {
  const all: number[] = [];
  for (let i = 0; i < count; i++) all.push((await send(server, init)).status);
  return all;
};
const problemOf = async (response: Response) => (await response.json()) as Record<string, unknown>;

it('answers with no promise on its way, where the store reads at once', async () => {
  const store = await openStore(temporaryFolder(), 'demo', { mode: 'append' });
  closing.push(() => store.close());
  store.append(plainOf(exchange({ status: 201 })));
  const head = { method: 'PATCH', url: PROJECT_PATH, headers: [] };
  const request = {
    ...head,
    body: Buffer.alloc(0),
    session: { id: 1, name: '' },
  } as unknown as UpstreamRequest;
  expect(replay(store).handle(request, new AbortController().signal)).toMatchObject({ status: 201 });
});

describe('what was recorded several times', () => {
  const THREE = [201, 202, 203].map((status) => exchange({ status }));

  it('is answered in that order in each session by itself, and the last answer repeats', async () => {
    const server = await replaying(THREE);
    expect(await statuses(server, 2, { session: 'a' })).toEqual([201, 202]);
    expect(await statuses(server, 1, { session: 'b' })).toEqual([201]);
    expect(await statuses(server, 4)).toEqual([201, 202, 203, 203]);
    expect(await statuses(server, 2, { session: 'a' })).toEqual([203, 203]);
    server.sessions.end('a');
    expect(await statuses(server, 1, { session: 'a' })).toEqual([201]);
    expect(await server.upstream.unserved()).toMatchObject({ total: 3, count: 0 });
  });

  it('is a 304 or a part only for a client that asked for it', async () => {
    const server = await replaying([200, 304, 206].map((status) => exchange({ status })));
    expect(await statuses(server, 3)).toEqual([200, 200, 200]);
    const headers = { 'If-None-Match': '"a"', 'Content-Type': 'application/json' };
    expect(await statuses(server, 1, { headers })).toEqual([304]);
  });

  it('is refused behind its last answer, where that is strict', async () => {
    const server = await replaying([...THREE, exchange({ path: '/one' })], { strictSequence: true });
    expect(await statuses(server, 3)).toEqual([201, 202, 203]);
    const refused = await problemOf(await send(server));
    expect(refused).toMatchObject({ status: 501, recording: 'demo', reason: 'already-served' });
    expect(await statuses(server, 2, { path: '/one' })).toEqual([200, 501]);
    expect(await statuses(server, 1, { path: '/one', session: 'a' })).toEqual([200]);
  });

  it('goes on with the upstream for misses, and what that records meanwhile is not served again', async () => {
    const store = await openStore(temporaryFolder(), 'demo', { mode: 'append' });
    closing.push(() => store.close());
    store.append(plainOf(exchange({ status: 201 })));
    const handle = () => {
      store.append(plainOf(exchange({ status: 299 })));
      return OTHER;
    };
    const onMiss = { handle, close: async () => undefined };
    const server = await serveUpstream(replay(store, { strictSequence: true, onMiss }));
    closing.push(() => server.close());
    for (const session of ['', 'a'])
      expect(await statuses(server, 4, { session })).toEqual([201, 299, 299, 299]);
    expect(store.exchanges('PATCH', PROJECT_PATH).all).toHaveLength(4);
  });
});

describe('what is not recorded', () => {
  it('is refused with the nearest exchange, place by place', async () => {
    const server = await replaying([exchange({ query: 'limit=10', body: { json: { name: 'A' } } })]);
    const problem = await problemOf(
      await send(server, { path: `${PROJECT_PATH}?limit=20`, body: '{"name":"B"}' }),
    );
    expect(problem).toMatchObject({ status: 501, type: 'urn:patchgate:problem:no-recording' });
    expect(problem.detail).toContain('query/limit: recorded "10", sent "20"; /name: recorded "A", sent "B"');
    expect(server.upstream.misses.list().count).toBe(1);
  });

  it.each([
    ['GET', '/favicon.ico?v=2', 404, 0],
    ['GET', '/.well-known/appspecific/com.chrome.devtools.json', 404, 0],
    ['GET', '/api/favicon.ico', 501, 1],
    ['PUT', '/favicon.ico', 501, 1],
  ])('is no miss, where browsers send it of themselves: %s %s: %d', async (method, path, status, misses) => {
    const server = await replaying([exchange()]);
    expect(await statuses(server, 1, { method, path })).toEqual([status]);
    expect(server.upstream.misses.list().count).toBe(misses);
  });

  it('goes to the upstream for misses, with the bytes that were read', async () => {
    const got: unknown[] = [];
    const handle = ({ body }: UpstreamRequest) => {
      got.push(body?.toString());
      return OTHER;
    };
    const onMiss = { handle, close: async () => void got.push('closed') };
    const server = await replaying([exchange({ body: { json: 1 } })], { onMiss });
    expect(await statuses(server, 1, { body: '1' })).toEqual([200]);
    expect(await statuses(server, 1, { body: '2' })).toEqual([299]);
    await server.upstream.close();
    expect(got).toEqual(['2', 'closed']);
  });

  it('is refused where its body is too large, and looked up where only the gate could not judge it', async () => {
    const small = await replaying([], { bodyLimit: 1000 });
    expect(await statuses(small, 1, { body: 'x'.repeat(1001) })).toEqual([413]);
    const body = JSON.stringify('x'.repeat(2 * 1024 * 1024));
    const large = await replaying([exchange({ body: { text: body } })], { judged: true });
    expect(await statuses(large, 1, { body })).toEqual([200]);
  });
});

it('counts misses of one kind together, and forgets those of a session', () => {
  const misses = new Misses(DEFAULT_REDACTION);
  const miss = (text: string, name = '') =>
    misses.add(
      { method: 'GET', url: '/a?token=abc', session: { name } },
      new PatchgateError('no-recording', text, { hint: 'record it' }),
    );
  for (let i = 0; i < 1001; i++) miss(`no answer to /${i}?token=abc`);
  miss('no answer to /a', 'one');
  miss('no answer to /0?token=abc');
  const [first] = misses.list().misses;
  expect(first).toEqual({
    ...{ method: 'GET', url: '/a?token=[redacted]', session: '', text: 'no answer to /0?token=[redacted]' },
    ...{ hint: 'record it', count: 2 },
  });
  expect([misses.list().count, misses.list().misses.length]).toEqual([1003, 1000]);
  expect(misses.list('one')).toEqual({ count: 1, misses: [] });
  misses.reset('');
  expect(misses.list()).toEqual({ count: 1, misses: [] });
  misses.reset();
  expect(misses.list().count).toBe(0);
});
