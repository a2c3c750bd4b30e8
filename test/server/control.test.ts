import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import { BAD_PROJECT, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { type InProcess, startGate } from '../support/in-process.ts';
import { patch } from '../support/service.ts';

let gate: InProcess;
beforeEach(async () => {
  gate = await startGate({}, 'fake');
});

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  json: Record<string, unknown>;
}

interface Sent {
  headers?: Record<string, string | string[]>;
  body?: unknown;
}

/** @param line `GET health` */
async function call(line: string, { headers, body }: Sent = {}): Promise<Answer> {
  const [method, path] = line.split(' ');
  const asked = httpRequest(`${gate.url}/__patchgate${path ? `/${path}` : ''}`, { method, headers });
  asked.end(typeof body === 'string' ? body : JSON.stringify(body));
  const [response] = await once(asked, 'response');
  const content = await text(response);
  return { status: response.statusCode, headers: response.headers, json: content ? JSON.parse(content) : {} };
}

async function refused(line: string, sent: Sent = {}): Promise<string> {
  const { status, headers, json } = await call(line, sent);
  expect(headers).toMatchObject({ 'content-type': 'application/problem+json', 'cache-control': 'no-store' });
  expect(json).toMatchObject({ status, hint: expect.any(String) });
  expect(JSON.stringify(json)).not.toMatch(/node_modules|\.ts:/);
  return `${status} ${json.detail}`;
}

const get = (path: string, session?: string) =>
  fetch(gate.url + path, session === undefined ? {} : { headers: { 'Patchgate-Session': session } });

it('says that all is well, and what runs', async () => {
  const { status, headers, json } = await call('GET health');
  expect(status).toBe(200);
  expect(json).toMatchObject({ status: 'ok', mode: 'fake', validation: 'enforce', guard: 'off' });
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  for (const name of ['x-powered-by', 'etag']) expect(headers).not.toHaveProperty(name);
  expect((await call('HEAD health')).status).toBe(200);
});

it.each([
  'GET ',
  'GET other',
  'GET Health',
  'POST health',
  'DELETE exchanges',
  'POST validate',
  'GET sessions',
])('says what exists instead of %s', async (line) => {
  expect(await refused(line)).toMatch(/^404 the control API has no /);
  expect((await call(line)).json.hint).toContain('GET exchanges/:id');
});

it('refuses an input that is too large, or no JSON', async () => {
  expect(await refused('PUT faults', { body: `"${'x'.repeat(6_000_000)}"` })).toMatch(
    /^413 the input is too large/,
  );
  expect(await refused('PUT faults', { body: '{' })).toMatch(/^400 the request cannot be read/);
});

describe('GET exchanges', () => {
  beforeEach(async () => {
    await patch(gate.url, BAD_PROJECT);
    await get(`${PROJECT_PATH}?token=hunter2`, 'a/b c');
    await get('/other');
  });

  it.each([
    ['', [3, 2, 1]],
    ['?limit=2', [3, 2]],
    ['?limit=0', []],
    ['?verdict=block', [1]],
    ['?verdict=pass&limit=1', []],
    ['?session=a%2Fb%20c', [2]],
    ['?session=', [3, 1]],
  ])('lists those that are asked for, newest first: %s', async (query, expected) => {
    const { headers, json } = await call(`GET exchanges${query}`);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.stringify(json)).not.toContain('hunter2');
    expect((json.exchanges as { id: number }[]).map(({ id }) => id)).toEqual(expected);
  });

  it('gives one with its bodies, or all without', async () => {
    const { json } = await call('GET exchanges/1');
    expect(json).toMatchObject({
      id: 1,
      verdict: { outcome: 'block' },
      request: { body: { json: BAD_PROJECT } },
    });
    expect(JSON.stringify((await call('GET exchanges?bodies=false')).json)).not.toContain('"body"');
    for (const id of ['13', 'x', '-1', '99999999999999999999'])
      expect(await refused(`GET exchanges/${id}`)).toMatch(/^404 /);
    expect((await call('GET exchanges/%zz')).status).toBe(400);
  });

  it.each([
    'limit=x',
    'limit=-1',
    'limit=1&limit=2',
    'verdict=maybe',
    'lmit=1',
    'session=a&session=b',
    'bodies=no',
  ])('refuses ?%s', async (query) =>
    expect(await refused(`GET exchanges?${query}`)).toMatch(/^400 wrong parameter/),
  );
});

describe('GET events', () => {
  async function subscribe(signal?: AbortSignal) {
    const asked = httpRequest(`${gate.url}/__patchgate/events`, { signal });
    asked.on('error', () => undefined).end();
    const [response] = await once(asked, 'response');
    return response.setEncoding('utf8').on('error', () => undefined);
  }

  it('sends each exchange once to all, redacted and without bodies', async () => {
    await patch(gate.url, BAD_PROJECT);
    const received = ['', ''];
    for (const i of received.keys())
      (await subscribe()).on('data', (chunk: string) => {
        received[i] += chunk;
      });
    for (const token of ['hunter2', 'hunter3']) await get(`/\u2028?token=${token}`);
    await expect.poll(() => received.every((text) => text.includes('id: 3\n'))).toBe(true);
    for (const text of received) {
      expect(text.match(/^id: .*$/gm)).toEqual(['id: 2', 'id: 3']);
      expect(text).toMatch(/^:\n\nevent: exchange\nid: 2\ndata: \{.*token=\[redacted\]/);
      expect(text).not.toMatch(/hunter|"body"/);
    }
  });
});

it('a reset forgets exchanges, state and faults: of all, or of one session', async () => {
  const nameIn = async (session: string) =>
    ((await (await get(PROJECT_PATH, session)).json()) as { name: string }).name;
  const reset = async (query: string, headers: Sent['headers'] = {}) =>
    (await call(`POST reset${query}`, { headers })).status;
  const change = async (session: string) => {
    const body = {
      name: 'changed',
      languages: ['GO'],
      environments: [{ id: 1, name: 'P', isEnabled: true }],
    };
    expect((await patch(gate.url, body, { headers: { 'Patchgate-Session': session } })).status).toBe(200);
  };
  for (const session of ['a/b', 'c']) await change(session);
  // A session that the query names is no reset of all.
  for (const query of ['?sesion=a', '?session=c']) expect(await reset(query)).toBe(400);
  for (const name of [['c', 'c'], '', '\u00e4', '.', '..'])
    expect(await reset('', { 'Patchgate-Session': name })).toBe(400);
  expect(await reset('', { 'Patchgate-Session': 'a/b' })).toBe(200);
  expect([await nameIn('a/b'), await nameIn('c')]).toEqual(['Checkout', 'changed']);
  expect(await reset('', { 'Patchgate-Session': 'c' })).toBe(200);
  expect([...gate.gate.exchanges.list({ session: 'c' })]).toEqual([]);
  expect(await nameIn('c')).toBe('Checkout');
  await change('c');
  await call('PUT faults', { body: ['status=500'] });
  expect(await reset('')).toBe(200);
  expect([...gate.gate.exchanges.list()]).toEqual([]);
  expect(await nameIn('c')).toBe('Checkout');
});

describe('faults', () => {
  const status = async () => (await get(PROJECT_PATH)).status;

  it('are put in place, counted, and taken away', async () => {
    expect((await call('GET faults')).json).toEqual({ faults: [] });
    const put = await call('PUT faults', { body: { faults: ['GET status=503 count=1'] } });
    expect(put.json).toEqual({ faults: [{ fault: 'GET status=503 count=1', matched: 0, applied: 0 }] });
    expect([await status(), await status()]).toEqual([503, 200]);
    expect((await call('GET faults')).json).toMatchObject({ faults: [{ matched: 2, applied: 1 }] });
    expect((await call('DELETE faults')).json).toEqual({ faults: [] });
  });

  it('are of all sessions, and say so', async () => {
    for (const method of ['GET', 'PUT', 'DELETE'])
      expect(await refused(`${method} faults?session=a`, { body: ['status=500'] })).toContain(
        'wrong parameter session',
      );
  });
});
