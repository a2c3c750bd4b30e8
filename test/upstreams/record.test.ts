import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, IncomingMessage, type RequestListener, request } from 'node:http';
import { connect, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { RECORD_LIMIT } from '../../src/recordings/body.ts';
import type { RecordingStore } from '../../src/recordings/store.ts';
import { openStore } from '../../src/recordings/store.ts';
import { type RecordOptions, record } from '../../src/upstreams/record.ts';
import type { Upstream } from '../../src/upstreams/upstream.ts';
import { find } from '../support/recordings.ts';
import { closeServer, listen, serveUpstream } from '../support/serve-upstream.ts';

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Sends to a server what it gets, piping a body that nobody has read: the least that an upstream does. */
function target(port: number): Upstream {
  return {
    handle: ({ method, url, headers, body, stream }) =>
      new Promise((resolve, reject) => {
        const out = request({ host: '127.0.0.1', port, method, path: url, headers: headers as string[] });
        out.on('response', (res) => {
          const head = { status: res.statusCode as number, message: '', headers: res.rawHeaders };
          resolve({ ...head, body: res, from: 'target' });
        });
        out.on('error', reject);
        if (body) out.end(body);
        else stream.pipe(out);
      }),
    close: async () => undefined,
  };
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'patchgate-record-'));
  cleanups.push(() => rm(folder, { recursive: true }));
  return folder;
}

async function recording(listener: RequestListener, options: RecordOptions & { judged?: boolean } = {}) {
  const folder = await newFolder();
  const behind = createServer(listener);
  cleanups.push(() => closeServer(behind));
  const port = await listen(behind);
  const store = await openStore(folder, 'demo', { mode: 'append' });
  cleanups.push(() => store.close());
  const skipped: string[] = [];
  const skip = (reason: string) => skipped.push(reason);
  const upstream = record(target(port), store, { onSkipped: skip, ...options });
  const served = await serveUpstream(upstream, options.judged);
  cleanups.push(() => served.close());
  return { folder, store, upstream, skipped, ...served };
}

describe('record', () => {
  it.each([
    ['judged', true, ['/a?200', '/a?404']],
    ['judged', false, []],
    ['ok', false, ['/a?200']],
    ['judged,ok', true, ['/a?200']],
  ] as const)('keeps only what is %s (judged: %s)', async (only, judged, kept) => {
    const server = await recording(
      (req, res) => {
        res.statusCode = Number(req.url?.split('?')[1]);
        req.pipe(res);
      },
      { only, judged },
    );
    for (const status of [200, 404])
      await (await fetch(`${server.url}/a?${status}`, { method: 'PATCH', body: '{}' })).text();
    const found = find(server.store, 'PATCH', '/a').map(({ request }) => `/a?${request.query}`);
    expect(found).toEqual(kept);
  });

  it.each([true, false])(
    'hands an exchange to the store before its last byte goes out (whole: %s)',
    async (isWhole) => {
      const steps: string[] = [];
      const store = { append: () => steps.push('append') } as Partial<RecordingStore> as RecordingStore;
      const bytes = Buffer.from('ab');
      const body = isWhole ? bytes : Readable.from([bytes]);
      const inner: Upstream = {
        handle: () => ({ status: 200, message: '', headers: [], body, from: 'target' }),
        close: async () => undefined,
      };
      const head = { method: 'GET', url: '/', headers: [] };
      const session = { id: 1, name: '' };
      const stream = new IncomingMessage(new Socket());
      const sent = { ...head, body: Buffer.alloc(0), json: undefined, stream, session };
      const answer = await record(inner, store).handle(sent, new AbortController().signal);
      if (isWhole) steps.push('answered');
      else {
        for await (const _ of answer.body as Readable) steps.push('data');
        steps.push('end');
      }
      expect(steps).toEqual(isWhole ? ['append', 'answered'] : ['data', 'append', 'end']);
    },
  );
});

describe('what is not kept', () => {
  it.each(['content-length', 'chunked'])(
    'bodies past the limit (%s), which still pass',
    { tags: 'slow' },
    async (framing) => {
      const server = await recording((req, res) => {
        const body = 'x'.repeat(req.url === '/long' ? RECORD_LIMIT + 1 : 1000);
        if (framing === 'content-length') res.setHeader('Content-Length', body.length);
        req.resume().once('end', () => res.end(body));
      });
      for (const path of ['/long', '/short']) await (await fetch(server.url + path)).text();
      const put = await fetch(`${server.url}/short`, { method: 'PUT', body: 'x'.repeat(RECORD_LIMIT + 1) });
      expect((await put.text()).length).toBe(1000);
      const bodies = (method: string, path: string) =>
        find(server.store, method, path).map(({ request, response }) => [request.body, response?.body]);
      const short = { text: 'x'.repeat(1000) };
      expect([...bodies('GET', '/long'), ...bodies('PUT', '/short')]).toEqual([]);
      expect(bodies('GET', '/short')).toEqual([[undefined, short]]);
      expect(server.skipped).toEqual([
        "its response's body has 16777217 bytes, more than the 16777216 that are kept",
        "its request's body has 16777217 bytes, more than the 16777216 that are kept",
      ]);
    },
  );

  it('a response that came before the whole request', async () => {
    const server = await recording((_, res) => res.end('early'));
    const socket = connect(server.port, '127.0.0.1');
    socket.write('PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n12345');
    await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
    expect(find(server.store, 'PUT', '/')).toEqual([]);
    expect(server.skipped).toHaveLength(1);
  });
});
