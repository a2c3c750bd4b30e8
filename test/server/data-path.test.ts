import { createServer, type Server } from 'node:http';
import { Readable } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import { DEFAULT_REDACTION } from '../../src/recordings/redact/redaction.ts';
import { createDataPath, type DataPathOptions } from '../../src/server/data-path.ts';
import type { FinishedExchange } from '../../src/server/exchange.ts';
import { Sessions } from '../../src/server/sessions.ts';
import type { Answer, Upstream, UpstreamRequest } from '../../src/upstreams/upstream.ts';
import { FEATURE_URL, gate, guarding, guardOf } from '../support/gate.ts';
import { closeServer, listen } from '../support/serve-upstream.ts';

const JSON_HEADERS = { 'Content-Type': 'application/json' };
const PROJECT = JSON.stringify({
  name: 'a',
  languages: ['GO'],
  environments: [{ id: 1, name: 'A', isEnabled: true }],
});
const answerOf = (status: number, body: Answer['body'], headers: string[] = []): Answer => ({
  ...{ status, message: '', headers, body, from: 'target' },
});

const NO_FAULTS: DataPathOptions['faults'] = {
  choose: () => undefined,
  answer: () => expect.unreachable(),
  delay: () => expect.unreachable(),
};

let server: Server | undefined;
afterEach(async () => {
  if (server) await closeServer(server);
});

/** Where a data path listens whose upstream is a function. Without a guard, unless it is given one. */
async function serve(handle: Upstream['handle'], options: Partial<DataPathOptions> = {}): Promise<string> {
  server = createServer(
    createDataPath({
      ...guarding(gate()),
      faults: NO_FAULTS,
      clientTimeout: 60_000,
      timeout: 30_000,
      sessions: new Sessions(),
      redaction: DEFAULT_REDACTION,
      nextId: () => 1,
      onFinished: () => undefined,
      upstream: { handle, close: async () => undefined },
      ...options,
    }),
  );
  return `http://127.0.0.1:${await listen(server)}`;
}

it('gives the upstream the bytes that were judged, their value, and the session', async () => {
  const given: UpstreamRequest[] = [];
  const origin = await serve((request) => {
    given.push(request);
    return answerOf(204, Buffer.alloc(0));
  });
  const headers = { ...JSON_HEADERS, 'Patchgate-Session': 'a b/' };
  const { status } = await fetch(origin + FEATURE_URL, { method: 'PATCH', headers, body: '{"name": "a"}' });
  expect(status).toBe(204);
  expect(given[0]?.body?.toString()).toBe('{"name": "a"}');
  expect(given[0]).toMatchObject({ json: { name: 'a' }, session: { name: 'a b/' } });
});

it('answers a request on which an upstream throws, and keeps no other waiting', async () => {
  const all: FinishedExchange[] = [];
  const broken = new Readable({ read: () => undefined });
  const handle: Upstream['handle'] = ({ url }) => {
    if (!url.includes('begun')) throw new Error('of no use');
    setImmediate(() => broken.destroy(new Error('of no use')));
    return answerOf(200, broken);
  };
  const guard = guardOf(gate(), 'on');
  const origin = await serve(handle, { guard, onFinished: (exchange) => all.push(exchange) });
  const patch = (base: string) =>
    fetch(`${origin}${base}/accounts/current/projects/42`, {
      ...{ method: 'PATCH', headers: JSON_HEADERS, body: PROJECT },
    });
  for (let i = 0; i < 2; i++) {
    const response = await patch('/api/v2');
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ detail: 'Patchgate failed on this request: of no use' });
  }
  expect((await fetch(origin)).status).toBe(500);
  await expect(patch('/begun/v2').then((response) => response.text())).rejects.toThrow();
  await expect.poll(() => all).toHaveLength(4);
  expect(new Set(all.map(({ failure }) => failure))).toEqual(
    new Set(['Patchgate failed on this request: of no use']),
  );
});

it('has told that an exchange is over before the client can have the whole answer', async () => {
  const told: unknown[] = [];
  let written = () => 0;
  const onFinished: DataPathOptions['onFinished'] = ({ verdict, response, isSent }) =>
    told.push([verdict?.outcome, response?.status, written(), isSent]);
  const handle: Upstream['handle'] = ({ url }) => {
    const bytes = Buffer.from('{}');
    return answerOf(200, url.endsWith('8') ? bytes : Readable.from([bytes]), ['Content-Length', '2']);
  };
  const origin = await serve(handle, { onFinished });
  server?.prependListener('request', ({ socket }) => {
    const before = socket.bytesWritten;
    written = () => socket.bytesWritten - before;
  });
  for (const [url, body] of [
    [FEATURE_URL, '{"name": 5}'],
    [FEATURE_URL, '{"name": "a"}'],
    ['/accounts/current/features/8', '{"name": "a"}'],
  ] as const)
    await (await fetch(origin + url, { method: 'PATCH', headers: JSON_HEADERS, body })).text();
  expect(told).toEqual([
    ['block', 422, 0, undefined],
    ['pass', 200, 0, true],
    ['pass', 200, 0, true],
  ]);
});
