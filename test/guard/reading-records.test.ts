import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PatchgateError } from '../../src/errors.ts';
import { type Reading, readingRecords, readRecord } from '../../src/guard/reading-records.ts';
import type { RecordKind, RecordName } from '../../src/model/record.ts';
import { redactionOf } from '../../src/recordings/redaction/redaction.ts';
import { KnownState } from '../../src/state/known-state.ts';
import { forward } from '../../src/upstreams/forward.ts';
import type { ForwardOptions } from '../../src/upstreams/outgoing.ts';
import { parseTarget } from '../../src/upstreams/target.ts';
import type { Upstream } from '../../src/upstreams/upstream.ts';
import { PROJECT_PATH } from '../support/exchanges.ts';
import { RawConnection } from '../support/raw.ts';
import { closeServer, listen } from '../support/serve-upstream.ts';
import { freePort, startRawTarget, startTarget } from '../support/target.ts';

const NAME: RecordName = { account: 'current', kind: 'project', id: '42' };
const PROJECT = {
  name: 'Checkout',
  languages: ['GO'],
  environments: [{ id: 1, name: 'Production', isEnabled: true }],
};

/** @param answers a status, a record, or why there is none; one for each reading */
function reading(
  answers: readonly (number | object | string)[],
  kinds: RecordKind[] = ['project'],
  meanwhile: (state: KnownState) => void = () => undefined,
) {
  const left = [...answers];
  const urls: string[] = [];
  const target: Upstream = {
    handle({ url }, sink) {
      urls.push(url);
      meanwhile(state);
      const answer = left.shift();
      if (typeof answer === 'string') sink.fail(new PatchgateError('target-unreachable', answer));
      else {
        const status = typeof answer === 'number' ? answer : 200;
        sink.head({ status, message: '', headers: [] }, { resume: () => undefined }, 'target');
        sink.end(Buffer.from(JSON.stringify(answer)));
      }
      return () => undefined;
    },
    close: async () => undefined,
  };
  const notices: string[] = [];
  const state = new KnownState();
  const notice = (text: string) => void notices.push(text);
  const find = readingRecords(state, target, { kinds, timeout: 0, redaction: redactionOf(), notice });
  const ask = (url = PROJECT_PATH, name = NAME) =>
    find(name, {
      method: 'PATCH',
      url,
      headers: [],
      stream: Readable.from([]),
      cameAt: performance.now(),
      session: { id: 1, name: '' },
    });
  return { state, ask, notices, urls };
}

describe('a record that is read', () => {
  it('is known from then on', async () => {
    const { state, ask, notices } = reading([{ _data: PROJECT }]);
    await ask();
    expect(state.of(NAME)).toEqual({ record: PROJECT, isWhole: true });
    expect(notices).toEqual([]);
  });

  it('may be a part of it where there is a query', async () => {
    const { state, ask } = reading([PROJECT]);
    await ask(`${PROJECT_PATH}?only=enabled`);
    expect(state.of(NAME)).toEqual({ record: PROJECT, isWhole: false });
  });

  it('does not hide a PATCH that went by meanwhile: it may be from before it', async () => {
    const environments = [{ id: 2, name: 'Staging', isEnabled: false }];
    const { state, ask } = reading([PROJECT], ['project'], (state) =>
      state.send(NAME, { ...PROJECT, environments }).accepted(),
    );
    await ask();
    const known = [...PROJECT.environments, ...environments];
    expect(state.of(NAME)?.record.environments).toEqual(expect.arrayContaining(known));
  });

  it('is none of a kind that nobody could tell', async () => {
    const { ask, urls } = reading([PROJECT], ['feature']);
    await ask();
    expect(urls).toEqual([]);
  });
});

describe('a record that cannot be read', () => {
  it('is told once for each reason, and tried again', async () => {
    const { state, ask, notices, urls } = reading([404, 404, 'it refused the connection', 404, PROJECT]);
    for (let i = 0; i < 4; i++) await ask();
    const shown = `what ${PROJECT_PATH} holds could not be read`;
    const effect = 'so it is not known for sure what a PATCH of it deletes';
    expect(notices).toEqual([
      `${shown}: it was answered with the status 404; ${effect}`,
      `${shown}: it refused the connection; ${effect}`,
    ]);
    expect(state.of(NAME)).toBeUndefined();
    await ask();
    expect(state.of(NAME)?.isWhole).toBe(true);
    expect(urls).toHaveLength(5);
  });

  it('is told of each, without secrets', async () => {
    const { ask, notices } = reading([404, 404, 'password=hunter2 is wrong']);
    await ask(`${PROJECT_PATH}?token=hunter2`);
    await ask(PROJECT_PATH.replace('42', '43'), { ...NAME, id: '43' });
    await ask();
    expect(notices).toHaveLength(3);
    expect(notices.join()).not.toContain('hunter2');
    expect(notices[0]).toContain(`${PROJECT_PATH}?token=[redacted]`);
  });
});

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A server that reads the project for each request that comes, with its head. */
async function start(target: string, timeout = 0) {
  const upstream = forward({
    target: parseTarget(target),
    tls: { rejectUnauthorized: true } as ForwardOptions['tls'],
    answeredBy: 'target',
    timeout: 0,
  });
  const readings: Promise<Reading | undefined>[] = [];
  const onRequest: RequestListener = (req, res) => {
    const { method = '', url = '', rawHeaders: headers } = req;
    const asker = { method, url, headers, stream: req, session: { id: 1, name: '' } };
    const reading = readRecord(upstream, NAME, asker, timeout);
    readings.push(reading);
    void reading.then((one) => res.end(JSON.stringify(one ?? null)));
  };
  const server = createServer(onRequest);
  const port = await listen(server);
  cleanups.push(
    () => upstream.close(),
    () => closeServer(server),
  );
  const read = async (path = PROJECT_PATH, headers: Record<string, string> = {}) => {
    const init = { method: 'PATCH', headers, body: '{"name":"x"}' };
    return (await (await fetch(`http://127.0.0.1:${port}${path}`, init)).json()) as Reading;
  };
  return { read, port, readings, server };
}

/** What comes of one answer of the target. */
async function readOf(answer: RequestListener, timeout?: number): Promise<Reading> {
  const target = await startTarget((req, res) => void answer(req, res));
  return (await start(target.url, timeout)).read();
}

describe('the request', () => {
  it('is a GET of the same path with the credentials of the client, and nothing of the PATCH', async () => {
    const target = await startTarget((_, res) => res.end(JSON.stringify(PROJECT)));
    const { read } = await start(target.url);
    const kept = { authorization: 'Bearer a', cookie: 'b=c', 'x-api-key': 'd', 'x-tenant': 'e' };
    const dropped = {
      'content-type': 'application/json',
      'content-encoding': 'identity',
      content_language: 'en',
      'if-match': '"1"',
      'if-none-match': '*',
      range: 'bytes=0-1',
      'x-http-method': 'PATCH',
      'X-HTTP-Method-Override': 'PATCH',
      x_method_override: 'PATCH',
      'patchgate-approve': 'token',
      'idempotency-key': 'f',
      pragma: 'x',
    };
    const made = { accept: 'text/html', 'accept-encoding': 'br', 'cache-control': 'max-age=9' };
    expect(await read(`${PROJECT_PATH}?tenant=1&x=%20`, { ...kept, ...dropped, ...made })).toMatchObject({
      shown: { record: PROJECT, isDated: false },
    });
    const [{ method, url, headers, body, rawHeaders }] = target.received as [(typeof target.received)[0]];
    expect([method, url, body.length]).toEqual(['GET', `${PROJECT_PATH}?tenant=1&x=%20`, 0]);
    expect(headers).toMatchObject({
      ...kept,
      accept: 'application/json',
      'accept-encoding': 'identity',
      'cache-control': 'no-cache',
    });
    for (const name of [...Object.keys(dropped), 'content-length', 'transfer-encoding'])
      expect(headers).not.toHaveProperty(name.toLowerCase());
    const names = rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
    expect(new Set(names).size).toBe(names.length);
  });

  it.each([
    ['_method=PATCH', ''],
    ['a=1&_method=PATCH&b=2', '?a=1&b=2'],
    ['%5Fmethod=PATCH&a=%3F', '?a=%3F'],
    ['a;_METHOD=PATCH&b', '?b'],
    ['%256dethod=PATCH&x_http-method=PATCH&_me%00thod=PATCH&%ff=1', ''],
  ])('does not say in the query that it is a PATCH: %s', async (query, left) => {
    const target = await startTarget((_, res) => res.end(JSON.stringify(PROJECT)));
    const { read } = await start(target.url);
    await read(`${PROJECT_PATH}?${query}`);
    expect(target.received.map(({ url }) => url)).toEqual([PROJECT_PATH + left]);
  });
});

describe('the answer', () => {
  const text = JSON.stringify(PROJECT);

  it.each<[string, RequestListener]>([
    ['wrapped', (_, res) => res.end(JSON.stringify({ _data: { ...PROJECT, id: 42 } }))],
    ['in pieces', (_, res) => Readable.from([...text].map((one) => Buffer.from(one))).pipe(res)],
    ['of a known length', (_, res) => res.setHeader('content-length', text.length).end(text)],
    ['coded all the same', (_, res) => res.setHeader('content-encoding', 'gzip').end(gzipSync(text))],
  ])('may be %s', async (_, answer) => {
    expect(await readOf(answer)).toMatchObject({ shown: { record: PROJECT } });
  });

  it.each<[string, RequestListener]>([
    ['it was answered with the status 404', (_, res) => res.writeHead(404).end(text)],
    ['it was answered with the status 302', (_, res) => res.writeHead(302, { location: '/x' }).end(text)],
    ['it was answered with the status 206', (_, res) => res.writeHead(206).end(text)],
    ['the answer is no JSON', (_, res) => res.end('<html>')],
    ['the answer is no JSON', (_, res) => res.end(Buffer.from('{"name":"\xff"}', 'latin1'))],
    ['the answer is no JSON', (_, res) => res.writeHead(204).end()],
    ['the answer holds no whole project', (_, res) => res.end('{"name":"Checkout"}')],
    ['the answer holds no whole project', (_, res) => res.end(JSON.stringify({ ...PROJECT, id: 43 }))],
    ['the answer has more than 5242880 bytes', (_, res) => res.end(text.padEnd(5_242_881))],
    [
      'the answer would be too large once it is decoded',
      (_, res) => res.setHeader('content-encoding', 'br').end(brotliCompressSync(text.padEnd(5_242_881))),
    ],
    [
      'the answer has a content coding that cannot be undone',
      (_, res) => res.setHeader('content-encoding', 'x').end(text),
    ],
  ])('is none where %s', async (why, answer) => {
    expect(await readOf(answer)).toEqual({ why });
  });

  it('is none where it does not come to an end in time', { tags: 'slow' }, async () => {
    expect(await readOf((_, res) => res.writeHead(200).flushHeaders(), 500)).toEqual({
      why: 'the answer took longer than 500 ms',
    });
    const processing = await readOf((_, res) => {
      const timer = setInterval(() => res.writeProcessing(), 5);
      res.on('close', () => clearInterval(timer));
    }, 50);
    expect(processing).toEqual({ why: 'the answer took longer than 100 ms' });
  });

  it('leaves nothing to wait for behind', async () => {
    vi.useFakeTimers();
    const upstream: Upstream = {
      handle(_, sink) {
        sink.head({ status: 200, message: '', headers: [] }, { resume: () => undefined }, 'target');
        sink.end(Buffer.from(text));
        return () => undefined;
      },
      close: async () => undefined,
    };
    const stream = Readable.from([]);
    const asker = { method: 'PATCH', url: PROJECT_PATH, headers: [], stream, session: { id: 1, name: '' } };
    expect(await readRecord(upstream, NAME, asker, 1000)).toMatchObject({ shown: { record: PROJECT } });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is none where the target cannot be reached, or breaks off', async () => {
    const away = `http://127.0.0.1:${await freePort()}`;
    expect(await (await start(away)).read()).toEqual({
      why: `the target ${away} could not be reached: it refused the connection`,
    });
    const broken = await startRawTarget((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{')),
    );
    expect(await (await start(broken.url)).read()).toEqual({
      why: `the response of the target ${broken.url} was cut off`,
    });
  });

  it('that never ends is ended where it is too long', async () => {
    const target = await startRawTarget((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        const more = () => void (socket.writable && socket.write(Buffer.alloc(65_536, ' '), more));
        more();
      });
    });
    const { read } = await start(target.url);
    const reading = await read();
    expect(reading).toEqual({ why: 'the answer has more than 5242880 bytes' });
    const [socket] = target.sockets as [Socket];
    if (!socket.destroyed) await once(socket, 'close');
  });
});

describe('a client that is gone', () => {
  it('is not read for any longer', async () => {
    let arrived: () => void;
    const isAsked = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const target = await startRawTarget((socket) => socket.on('data', () => arrived()));
    const { port, readings } = await start(target.url);
    const client = await RawConnection.open(port);
    client.write(`PATCH ${PROJECT_PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`);
    await isAsked;
    const [socket] = target.sockets as [Socket];
    client.close();
    expect(await readings[0]).toBeUndefined();
    if (!socket.destroyed) await once(socket, 'close');
  });

  it('leaves no listener on a connection that goes on', async () => {
    const target = await startTarget((_, res) => res.end(JSON.stringify(PROJECT)));
    const { read, server } = await start(target.url);
    const counts = new Set<number>();
    server.on('request', (req) => counts.add(req.socket.listenerCount('close')));
    for (let i = 0; i < 3; i++) await read();
    expect(counts.size).toBe(1);
  });
});
