import { createServer, type Server } from 'node:http';
import { expect, it } from 'vitest';
import { DEFAULT_REDACTION } from '../../src/recordings/redact/redaction.ts';
import { createDataPath, type DataPathOptions } from '../../src/server/data-path.ts';
import type { FinishedExchange } from '../../src/server/finished-exchange.ts';
import { Sessions } from '../../src/server/sessions.ts';
import type { Upstream, UpstreamRequest } from '../../src/upstreams/upstream.ts';
import { FEATURE_URL, gate, guarding, guardOf } from '../support/gate.ts';
import { closeServer, listen } from '../support/serve-upstream.ts';

const NO_FLOW = { resume: () => undefined };
const ENVIRONMENTS = [{ id: 1, name: 'A', isEnabled: true }];

/** A server of a data path without a guard, unless it is given one. */
function serverOf(options: Partial<DataPathOptions> & Pick<DataPathOptions, 'upstream'>): Server {
  return createServer(
    createDataPath({
      ...guarding(gate()),
      faults: { choose: () => undefined },
      clientTimeout: 60_000,
      timeout: 30_000,
      sessions: new Sessions(0),
      redaction: DEFAULT_REDACTION,
      nextId: () => 1,
      onFinished: () => undefined,
      ...options,
    }),
  );
}

/** What an upstream is given for a request. */
async function givenTo(members: Pick<Upstream, 'takesJson'>): Promise<UpstreamRequest> {
  const given: UpstreamRequest[] = [];
  const upstream: Upstream = {
    ...members,
    handle(request, sink) {
      given.push(request);
      sink.head({ status: 204, message: '', headers: [] }, NO_FLOW, 'target');
      sink.end();
      return () => undefined;
    },
    close: async () => undefined,
  };
  const server = serverOf({ upstream });
  const url = `http://127.0.0.1:${await listen(server)}${FEATURE_URL}`;
  const headers = { 'Content-Type': 'application/json' };
  const { status } = await fetch(url, { method: 'PATCH', headers, body: '{"name": "a"}' });
  await closeServer(server);
  expect(status).toBe(204);
  return given[0] as UpstreamRequest;
}

it('gives the value of a body to an upstream that takes it, and no other has to hold it', async () => {
  const taken = await givenTo({ takesJson: true });
  expect(taken.json).toEqual({ name: 'a' });
  expect(taken.body?.toString()).toBe('{"name": "a"}');
  const other = await givenTo({});
  expect(other.json).toBeUndefined();
  expect(other.body?.toString()).toBe('{"name": "a"}');
});

it('tells the upstream of which session a request is, and ends none that has a request on its way', async () => {
  const ended: string[] = [];
  const sessions = new Sessions(0, { end: ({ name }) => ended.push(name) });
  const names: string[] = [];
  const all: FinishedExchange[] = [];
  const upstream: Upstream = {
    handle({ session }, sink) {
      names.push(session.name);
      sessions.end(session.name);
      expect(ended).toEqual([]);
      sink.head({ status: 204, message: '', headers: [] }, NO_FLOW, 'target');
      sink.end();
      return () => undefined;
    },
    close: async () => undefined,
  };
  const server = serverOf({ upstream, sessions, onFinished: (exchange) => all.push(exchange) });
  const url = `http://127.0.0.1:${await listen(server)}/any`;
  expect((await fetch(url, { headers: { 'Patchgate-Session': 'a b/' } })).status).toBe(204);
  expect(ended).toEqual(['a b/']);
  const refused = await fetch(url, { method: 'POST', body: 'x', headers: { 'Patchgate-Session': '..' } });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ type: 'urn:patchgate:problem:malformed-request' });
  await closeServer(server);
  expect(names).toEqual(['a b/']);
  expect(all.map(({ session, answeredBy }) => [session, answeredBy])).toEqual([
    ['a b/', 'target'],
    [undefined, 'gate'],
  ]);
});

/** A data path whose guard lets PATCHes of one project pass one after the other. */
function guarded(upstream: Upstream, more: Partial<DataPathOptions> = {}): Server {
  return serverOf({ upstream, guard: guardOf(gate(), 'on'), ...more });
}

const BODY = JSON.stringify({ name: 'a', languages: ['GO'], environments: ENVIRONMENTS });

it('answers a request on which an upstream throws, whether its body was read or not, and keeps no other waiting', async () => {
  const all: FinishedExchange[] = [];
  const upstream: Upstream = {
    handle({ url }, sink) {
      if (url.includes('begun')) sink.head({ status: 200, message: '', headers: [] }, NO_FLOW, 'target');
      throw new Error('of no use');
    },
    close: async () => undefined,
  };
  const server = guarded(upstream, { onFinished: (exchange) => all.push(exchange) });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  const patch = (base: string) =>
    fetch(`${origin}${base}/accounts/current/projects/42`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: BODY,
    });
  for (let i = 0; i < 2; i++) {
    const response = await patch('/api/v2');
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({
      type: 'urn:patchgate:problem:internal',
      detail: expect.stringContaining('Patchgate failed on this request: of no use'),
    });
  }
  expect((await fetch(origin)).status).toBe(500);
  await expect(patch('/begun/v2').then((response) => response.text())).rejects.toThrow();
  await closeServer(server);
  expect(all.map(({ failure }) => failure)).toEqual(
    Array(4).fill('Patchgate failed on this request: of no use'),
  );
});

it('has told the audit before the client can have the whole answer', async () => {
  const told: Record<string, unknown>[] = [];
  const audit: DataPathOptions['audit'] = {
    entryOf({ socket }, { verdict: { outcome } }) {
      const before = socket.bytesWritten;
      const entry = {
        hasPassed: false,
        over: ({ response }: FinishedExchange) => {
          told.push({ outcome, status: response?.status, written: socket.bytesWritten - before, ...entry });
        },
      };
      return entry;
    },
  };
  const upstream: Upstream = {
    handle(request, sink) {
      const head = { status: 200, message: '', headers: ['Content-Length', '2'] };
      if (request.url.endsWith('8')) sink.whole({ ...head, body: Buffer.from('{}') }, 'target');
      else {
        sink.head(head, NO_FLOW, 'target');
        sink.end(Buffer.from('{}'));
      }
      return () => undefined;
    },
    close: async () => undefined,
  };
  const server = serverOf({ upstream, audit });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  const headers = { 'Content-Type': 'application/json' };
  for (const [url, body] of [
    [FEATURE_URL, '{"name": 5}'],
    [FEATURE_URL, '{"name": "a"}'],
    ['/accounts/current/features/8', '{"name": "a"}'],
  ] as const)
    await (await fetch(origin + url, { method: 'PATCH', headers, body })).text();
  await closeServer(server);
  expect(told).toEqual([
    { outcome: 'block', status: 422, written: 0, hasPassed: false, over: expect.anything() },
    { outcome: 'pass', status: 200, written: 0, hasPassed: true, over: expect.anything() },
    { outcome: 'pass', status: 200, written: 0, hasPassed: true, over: expect.anything() },
  ]);
});
