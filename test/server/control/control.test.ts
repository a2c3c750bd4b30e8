import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Gate, GateRequest } from '../../../src/gate/gate.ts';
import { Approvals } from '../../../src/guard/approvals.ts';
import { FileApprovals } from '../../../src/guard/file-approvals.ts';
import { DEFAULT_REDACTION } from '../../../src/recordings/redact/redaction.ts';
import { type ControlDeps, createControl } from '../../../src/server/control/control.ts';
import { ExchangeList } from '../../../src/server/exchange-list.ts';
import { FaultsOfRun } from '../../../src/server/faults/faults.ts';
import { createProbes } from '../../../src/server/probes.ts';
import { Sessions } from '../../../src/server/sessions.ts';
import { finding, finished, verdict } from '../../support/finished-exchange.ts';
import { type InProcess, startGate } from '../../support/in-process.ts';

const BLOCK = verdict({
  outcome: 'block',
  findings: [finding('/languages')],
  status: 422,
  problem: 'invalid-request',
});

let server: Server | undefined;

afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

async function start(deps: Partial<ControlDeps> = {}) {
  const judged: GateRequest[] = [];
  const gate: Gate = {
    match: (head) =>
      head.method === 'PATCH' ? { operation: 'updateProject', parameters: {}, findings: [] } : undefined,
    inspect(request) {
      judged.push(request);
      return { verdict: request.method === 'PATCH' ? BLOCK : verdict(), json: undefined };
    },
    inspectBody: () => expect.unreachable(),
    recordAt: () => undefined,
    listAt: () => undefined,
    operationOf: () => undefined,
    recordOf: () => undefined,
    kindOf: () => undefined,
    guards: () => false,
    operations: ['updateProject'],
    rules: [],
    bodyLimit: 1000,
  };
  const exchanges = new ExchangeList(DEFAULT_REDACTION);
  const sessions = deps.sessions ?? new Sessions(0);
  const control = createControl({
    gate,
    exchanges,
    health: () => ({ version: '0.1.0', mode: 'forward' }),
    probes: createProbes(
      () => true,
      async () => true,
    ),
    metrics: async (_req, res) => void res.end('# metrics'),
    sessions,
    faults: await FaultsOfRun.of({ gate, sessions, start: [] }),
    guard: { knownOf: () => undefined },
    approvals: new Approvals({ book: new FileApprovals(), lifetime: 1000 }),
    redaction: DEFAULT_REDACTION,
    reset(session) {
      if (session === undefined) sessions.endAll();
      else sessions.end(session);
      exchanges.reset(session);
    },
    ...deps,
  });
  server = createServer(control).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, exchanges, judged, call: caller(port) };
}

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  text: string;
  json: () => Record<string, unknown>;
}

function caller(port: number) {
  return async (
    line: string,
    options: { headers?: Record<string, string | string[]>; body?: string } = {},
  ) => {
    const [method, path] = line.split(' ');
    const request = httpRequest({ host: '127.0.0.1', port, method, path, headers: options.headers });
    request.end(options.body);
    const [response] = await once(request, 'response');
    const content = await text(response);
    return {
      status: response.statusCode,
      headers: response.headers,
      text: content,
      json: () => JSON.parse(content),
    } as Answer;
  };
}

function expectProblem(answer: Answer, status: number, type: string): void {
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toBe('application/problem+json');
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.headers).not.toHaveProperty('patchgate-blocked');
  expect(answer.json()).toMatchObject({ type: `urn:patchgate:problem:${type}`, status });
  expect(answer.text).not.toMatch(/node_modules|\.ts:|\\n *at /);
}

describe('GET health', () => {
  it('says that all is well, and what runs', async () => {
    const { call } = await start();
    const answer = await call('GET /__patchgate/health');
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({ status: 'ok', version: '0.1.0', mode: 'forward' });
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.headers).not.toHaveProperty('x-powered-by');
    expect(answer.headers).not.toHaveProperty('etag');
    expect((await call('HEAD /__patchgate/health')).status).toBe(200);
  });

  it('says what the trouble is', async () => {
    const { call } = await start({ health: () => ({ trouble: 'disk full' }) });
    expect((await call('GET /__patchgate/health')).json()).toEqual({
      status: 'degraded',
      trouble: 'disk full',
    });
  });

  it('answers a failure of its own without a stack', async () => {
    const { call } = await start({
      health: () => {
        throw new Error('out of order');
      },
    });
    const answer = await call('GET /__patchgate/health');
    expectProblem(answer, 500, 'internal');
    expect(answer.text).toContain('out of order');
  });
});

describe('POST validate', () => {
  const post = 'POST /__patchgate/validate';

  it('judges a request without sending it', async () => {
    const { call, judged } = await start();
    const input = { method: 'PATCH', url: '/api/v2/x', headers: { a: 'b' }, body: '{ "é" : 1 }' };
    const answer = await call(post, { body: JSON.stringify(input) });
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({ judged: true, ...BLOCK });
    expect(judged).toEqual([
      { method: 'PATCH', url: '/api/v2/x', headers: ['a', 'b'], body: Buffer.from(input.body) },
    ]);
    const passed = await call(post, { body: '{"method":"GET","url":"/"}' });
    expect(passed.json()).toMatchObject({ judged: false, outcome: 'pass' });
  });

  it('judges a body past the limit as too large', async () => {
    const { call, judged } = await start();
    const input = { method: 'PATCH', url: '/', body: '"'.repeat(1001) };
    expect((await call(post, { body: JSON.stringify(input) })).status).toBe(200);
    expect(judged[0]?.body).toBe('too-large');
  });

  it('refuses an input past its own limit', async () => {
    const { call } = await start();
    expectProblem(await call(post, { body: 'x'.repeat(100_000) }), 413, 'request-too-large');
  });

  it.each(['', '[]', '{"method":"PATCH"}'])('says what is wrong with the input %j', async (body) => {
    const { call, judged } = await start();
    const answer = await call(post, { body });
    expectProblem(answer, 400, 'bad-input');
    expect(answer.json()).toHaveProperty('hint');
    expect(judged).toEqual([]);
  });

  it('does not take an unknown content coding', async () => {
    const { call } = await start();
    expectProblem(await call(post, { headers: { 'content-encoding': 'x' }, body: '{}' }), 400, 'bad-input');
  });
});

describe('GET exchanges', () => {
  it('lists them, newest first', async () => {
    const { call, exchanges } = await start();
    expect((await call('GET /__patchgate/exchanges')).json()).toEqual({ exchanges: [] });
    exchanges.add(finished({ id: 1, verdict: BLOCK, answeredBy: 'gate' }));
    exchanges.add(finished({ id: 2, requestBody: Buffer.from('{"token":"hunter2"}') }));
    exchanges.add(finished({ id: 3 }));
    const ids = async (query: string) => {
      const answer = await call(`GET /__patchgate/exchanges${query}`);
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.text).not.toContain('hunter2');
      return (answer.json().exchanges as { id: number }[]).map(({ id }) => id);
    };
    expect(await ids('')).toEqual([3, 2, 1]);
    expect(await ids('?limit=2')).toEqual([3, 2]);
    expect(await ids('?limit=0')).toEqual([]);
    expect(await ids('?verdict=block')).toEqual([1]);
    expect(await ids('?verdict=pass&limit=1')).toEqual([3]);
  });

  it('lists those of one session', async () => {
    const { call, exchanges } = await start();
    exchanges.add(finished({ id: 1, session: 'a/b c' }));
    exchanges.add(finished({ id: 2 }));
    const list = async (query: string) =>
      (await call(`GET /__patchgate/exchanges?session=${query}`)).json().exchanges;
    expect(await list('a%2Fb%20c')).toMatchObject([{ id: 1, session: 'a/b c' }]);
    const [unnamed] = (await list('')) as object[];
    expect(unnamed).toMatchObject({ id: 2 });
    expect(unnamed).not.toHaveProperty('session');
  });

  it.each(['limit=x', 'limit=-1', 'limit=1&limit=2', 'verdict=maybe', 'lmit=1', 'session=a&session=b'])(
    'refuses ?%s',
    async (query) => {
      const { call } = await start();
      expectProblem(await call(`GET /__patchgate/exchanges?${query}`), 400, 'bad-input');
    },
  );

  it('gives one with its bodies', async () => {
    const { call, exchanges } = await start();
    exchanges.add(finished({ id: 12 }));
    expect((await call('GET /__patchgate/exchanges/12')).json()).toMatchObject({
      id: 12,
      request: { body: { json: { name: 'a' } } },
      verdict: { outcome: 'pass' },
    });
    for (const id of ['13', 'x', '-12', '1e1', '99999999999999999999'])
      expectProblem(await call(`GET /__patchgate/exchanges/${id}`), 404, 'not-found');
    expectProblem(await call('GET /__patchgate/exchanges/%zz'), 400, 'bad-input');
  });
});

describe('GET events', () => {
  async function subscribe(port: number, signal?: AbortSignal) {
    const request = httpRequest({ host: '127.0.0.1', port, path: '/__patchgate/events', signal });
    request.on('error', () => {});
    request.end();
    const [response] = await once(request, 'response');
    response.setEncoding('utf8').on('error', () => {});
    return response;
  }

  /** Resolves when the connection that comes next has ended. */
  async function nextConnectionClosed() {
    const [socket] = await once(server as Server, 'connection');
    await new Promise((resolve) => socket.once('close', resolve));
  }

  it('sends each exchange, redacted and without bodies', async () => {
    const { port, exchanges } = await start();
    exchanges.add(finished({ id: 1 }));
    const response = await subscribe(port);
    expect(response.headers['content-type']).toBe('text/event-stream');
    expect((await once(response, 'data'))[0]).toBe(':\n\n');
    exchanges.add(
      finished({ id: 2, request: { method: 'PATCH', url: '/\u2028?token=hunter2', headers: [] } }),
    );
    const [frame] = await once(response, 'data');
    const [, data] = /^event: exchange\nid: 2\ndata: ([^\n]*)\n\n$/.exec(frame) ?? [];
    expect(JSON.parse(data as string)).toMatchObject({ id: 2, request: { url: '/\u2028?token=[redacted]' } });
    expect(frame).not.toMatch(/hunter2|body/);
  });

  it('sends each exchange once, also to several and after one has left', async () => {
    const { port, exchanges } = await start();
    const leaver = new AbortController();
    const left = nextConnectionClosed();
    await subscribe(port, leaver.signal);
    leaver.abort();
    await left;
    const streams = [await subscribe(port), await subscribe(port)];
    for (const id of [1, 2]) exchanges.add(finished({ id }));
    for (const stream of streams) {
      let received = '';
      for await (const chunk of stream) {
        received += chunk;
        if (received.includes('id: 2\n')) break;
      }
      expect(received.match(/^id: .*$/gm)).toEqual(['id: 1', 'id: 2']);
    }
  });

  it('takes 64 subscribers, and another one when one has gone', async () => {
    const { port, call } = await start();
    const leaver = new AbortController();
    const left = nextConnectionClosed();
    await subscribe(port, leaver.signal);
    for (let i = 1; i < 64; i++) await subscribe(port);
    expectProblem(await call('GET /__patchgate/events'), 403, 'not-allowed');
    leaver.abort();
    await left;
    expect((await subscribe(port)).statusCode).toBe(200);
  });

  it('cuts off a subscriber that does not read', async () => {
    const { port, exchanges, call } = await start();
    const closed = nextConnectionClosed();
    const idle = connect(port, '127.0.0.1');
    idle.write('GET /__patchgate/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(idle, 'readable');
    const large = ['x', 'y'.repeat(60_000)];
    for (let id = 1; id <= 500; id++)
      exchanges.add(finished({ id, request: { method: 'GET', url: '/', headers: large } }));
    await closed;
    expect((await call('GET /__patchgate/health')).status).toBe(200);
    idle.destroy();
  });
});

describe('sessions', () => {
  const served = { method: 'GET', path: '/x', index: 3, recordedAt: '2026-11-20T12:00:00.000Z', times: 2 };

  it('are listed with the default one first', async () => {
    const sessions = new Sessions(0);
    const { call } = await start({ sessions });
    const one = sessions.enter('a/b', Date.UTC(2126, 0));
    sessions.leave(one, Date.UTC(2126, 1));
    sessions.enter('a/b', Date.UTC(2126, 2));
    const list = (await call('GET /__patchgate/sessions')).json().sessions;
    expect(list).toEqual([
      { name: '', requests: 0, startedAt: expect.any(String), lastUsedAt: expect.any(String) },
      { name: 'a/b', requests: 2, startedAt: expect.any(String), lastUsedAt: '2126-03-01T00:00:00.000Z' },
    ]);
  });

  it('show what was served to them', async () => {
    const sessions = new Sessions(0);
    const { call } = await start({
      sessions,
      servedTo: ({ name }) => ({ count: 2, exchanges: name === '' ? [] : [served], isCut: name === 'a/b' }),
    });
    sessions.enter('a/b');
    sessions.enter('c');
    expect((await call('GET /__patchgate/sessions')).json().sessions).toMatchObject([
      ...[{ served: 2 }, { served: 2 }, { served: 2 }],
    ]);
    const whole = (await call('GET /__patchgate/sessions/a%2Fb')).json();
    expect(whole).toMatchObject({ name: 'a/b', requests: 1, served: 2, exchanges: [served], cut: true });
    expect((await call('GET /__patchgate/sessions/c')).json()).not.toHaveProperty('cut');
    // The default one has no name that a path could hold.
    const asked = async (name: string) => (await call(`GET /__patchgate/sessions?session=${name}`)).json();
    expect(await asked('a/b')).toEqual({ sessions: [whole] });
    expect(await asked('')).toMatchObject({ sessions: [{ name: '', served: 2, exchanges: [] }] });
    expectProblem(await call('GET /__patchgate/sessions?session=b'), 404, 'not-found');
    expectProblem(await call('GET /__patchgate/sessions?name=c'), 400, 'bad-input');
    expectProblem(await call('GET /__patchgate/sessions/b'), 404, 'not-found');
    expectProblem(await call('GET /__patchgate/sessions/%zz'), 400, 'bad-input');
  });

  it('end by their names', async () => {
    const sessions = new Sessions(0);
    const { call } = await start({ sessions });
    sessions.enter('a/b c');
    expect((await call('DELETE /__patchgate/sessions/a%2Fb%20c')).json()).toEqual({ status: 'ended' });
    expect(sessions.get('a/b c')).toBeUndefined();
    expectProblem(await call('DELETE /__patchgate/sessions/a%2Fb%20c'), 404, 'not-found');
  });
});

describe('POST reset', () => {
  it('forgets the exchanges and ends all sessions', async () => {
    const ended: string[] = [];
    const sessions = new Sessions(0, { end: ({ name }) => ended.push(name) });
    const { call, exchanges } = await start({ sessions });
    exchanges.add(finished());
    sessions.leave(sessions.enter('a'));
    expect((await call('POST /__patchgate/reset')).json()).toEqual({ status: 'reset' });
    expect(ended).toEqual(['', 'a']);
    expect(exchanges.get(1)).toBeUndefined();
  });

  it('does so for one session alone', async () => {
    const ended: string[] = [];
    const sessions = new Sessions(0, { end: ({ name }) => ended.push(name) });
    const { call, exchanges } = await start({ sessions });
    exchanges.add(finished({ id: 1, session: 'a/b' }));
    exchanges.add(finished({ id: 2 }));
    for (const name of ['a/b', 'c']) sessions.leave(sessions.enter(name));
    for (const query of ['a%2Fb', 'never'])
      expect((await call(`POST /__patchgate/reset?session=${query}`)).status).toBe(200);
    expect(ended).toEqual(['a/b']);
    expect(exchanges.get(1)).toBeUndefined();
    expect(exchanges.get(2)).toBeDefined();
    expect((await call('POST /__patchgate/reset?session=')).status).toBe(200);
    expect(ended).toEqual(['a/b', '']);
    expect(exchanges.get(2)).toBeUndefined();
    for (const query of ['sesion=a', 'session=a&session=b'])
      expectProblem(await call(`POST /__patchgate/reset?${query}`), 400, 'bad-input');
    expect(sessions.get('c')).toBeDefined();
  });

  it('resets the session that the header names, as the requests of that session do', async () => {
    const ended: string[] = [];
    const sessions = new Sessions(0, { end: ({ name }) => ended.push(name) });
    const { call, exchanges } = await start({ sessions });
    for (const [id, name] of [...'abc'].entries()) {
      exchanges.add(finished({ id, session: name }));
      sessions.leave(sessions.enter(name));
    }
    const reset = (query: string, headers: Record<string, string | string[]>) =>
      call(`POST /__patchgate/reset${query}`, { headers });
    expect((await reset('', { 'patchgate-session': 'b' })).json()).toEqual({ status: 'reset' });
    expect(ended).toEqual(['b']);
    expect([0, 1, 2].map((id) => exchanges.get(id) !== undefined)).toEqual([true, false, true]);
    expect((await reset('?session=c', { 'patchgate-session': 'c' })).status).toBe(200);
    expect(ended).toEqual(['b', 'c']);
    for (const query of ['?session=b', '?session='])
      expectProblem(await reset(query, { 'patchgate-session': 'a' }), 400, 'bad-input');
    expectProblem(await reset('', { 'patchgate-session': ['a', 'a'] }), 400, 'malformed-request');
    expectProblem(await reset('', { 'patchgate-session': '' }), 400, 'malformed-request');
    expect(ended).toEqual(['b', 'c']);
  });
});

describe('whatever else', () => {
  it.each(['/__patchgate', '/__patchgate/', '/__patchgate/other', '/__patchgate/Health', '/other'])(
    'says what exists instead of %s',
    async (path) => {
      const { call } = await start();
      const answer = await call(`GET ${path}`);
      expectProblem(answer, 404, 'not-found');
      expect(answer.json().hint).toContain('GET /__patchgate/exchanges/:id');
    },
  );

  it.each([
    ['POST', 'health', 'GET, HEAD'],
    ['DELETE', 'exchanges', 'GET, HEAD'],
    ['PATCH', 'exchanges/1', 'GET, HEAD'],
    ['POST', 'events', 'GET, HEAD'],
    ['GET', 'validate', 'POST'],
    ['OPTIONS', 'validate', 'POST'],
    ['GET', 'reset', 'POST'],
    ['DELETE', 'sessions', 'GET, HEAD'],
    ['POST', 'sessions/a', 'GET, HEAD, DELETE'],
  ])('refuses %s %s', async (method, path, allow) => {
    const { call } = await start();
    const answer = await call(`${method} /__patchgate/${path}`);
    expectProblem(answer, 405, 'bad-usage');
    expect(answer.headers.allow).toBe(allow);
  });

  it('does not leave a HEAD of events open', async () => {
    const { call } = await start();
    expect((await call('HEAD /__patchgate/events')).status).toBe(200);
  });
});

describe('faults', () => {
  let gate: InProcess;

  beforeAll(async () => {
    gate = await startGate({}, 'fake');
  });

  const FAULTS = '/__patchgate/faults';

  async function call(line: string, body?: unknown, headers: Record<string, string> = {}) {
    const [method = '', path = ''] = line.split(' ');
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(gate.url + path, {
      method,
      headers,
      ...(body !== undefined && { body: text }),
    });
    return {
      status: response.status,
      allow: response.headers.get('allow'),
      json: (await response.json()) as Record<string, unknown>,
    };
  }

  const statusOf = async (headers: Record<string, string> = {}) =>
    (await fetch(`${gate.url}/api/v2/accounts/current/projects/42`, { headers })).status;

  it('puts faults in place, shows what was counted, and takes them away', async () => {
    expect((await call(`GET ${FAULTS}`)).json).toEqual({ faults: [] });
    const put = await call(`PUT ${FAULTS}`, {
      faults: ['GET status=503 count=1'],
    });
    expect([put.status, put.json]).toEqual([
      200,
      {
        faults: [{ fault: 'GET status=503 count=1', matched: 0, applied: 0 }],
      },
    ]);
    expect([await statusOf(), await statusOf()]).toEqual([503, 200]);
    expect((await call(`GET ${FAULTS}`)).json).toMatchObject({ faults: [{ matched: 2, applied: 1 }] });
    expect((await call(`DELETE ${FAULTS}`)).json).toEqual({ faults: [] });
  });

  it('does so for one session, which the query or the header names', async () => {
    const named = { 'Patchgate-Session': 'a' };
    expect((await call(`PUT ${FAULTS}?session=a`, ['status=500'])).json).toMatchObject({ session: 'a' });
    expect([await statusOf(named), await statusOf()]).toEqual([500, 200]);
    expect((await call(`GET ${FAULTS}`, undefined, named)).json).toMatchObject({
      session: 'a',
      faults: [{ applied: 1 }],
    });
    expect((await call(`DELETE ${FAULTS}`, undefined, named)).json).not.toHaveProperty('session');
    expect(await statusOf(named)).toBe(200);
  });

  it('takes them away with a reset', async () => {
    await call(`PUT ${FAULTS}`, { faults: 'status=500' });
    expect(await statusOf()).toBe(500);
    await fetch(`${gate.url}/__patchgate/reset`, { method: 'POST' });
    expect(await statusOf()).toBe(200);
  });

  it.each<[string, unknown, string]>([
    ['PUT', '{', 'the input is not a JSON text'],
    ['PUT', { faults: ['status=503 rate=2'] }, 'invalid value rate=2'],
    ['PUT', { faults: ['updateProjct reset'] }, 'the contract has no operation updateProjct'],
    ['PUT', { latency: '5ms' }, 'no list of faults'],
  ])('refuses %s %j', async (method, body, says) => {
    const { status, json } = await call(`${method} ${FAULTS}`, body);
    expect(status).toBe(400);
    expect(json.detail).toContain(says);
  });

  it('refuses other methods, and parameters', async () => {
    expect(await call(`POST ${FAULTS}`, {})).toMatchObject({ status: 405, allow: 'GET, HEAD, PUT, DELETE' });
    expect((await call(`PUT ${FAULTS}?sesion=a`, [])).status).toBe(400);
    expect((await call(`PUT ${FAULTS}?session=.`, [])).json.detail).toContain('no session of that name');
  });
});
