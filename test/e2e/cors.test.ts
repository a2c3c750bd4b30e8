/** Pages of another origin: what the gate answers itself can be read where the target, or a recording, lets the page ask. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Running, startBinary } from '../support/binary.ts';
import { BAD_PROJECT, GOOD_PROJECT, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { startGate } from '../support/in-process.ts';
import { startTarget, type Target } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PAGE = 'http://localhost:3000';
const SHORTER = { ...GOOD_PROJECT, environments: GOOD_PROJECT.environments.slice(1) };

/** Lets `PAGE` ask, as most libraries for servers do: below `/open/` any page. */
function answer(req: IncomingMessage, res: ServerResponse): void {
  const { origin } = req.headers;
  if (req.method !== 'OPTIONS') {
    res.setHeader('Content-Type', 'application/json').end(JSON.stringify(GOOD_PROJECT));
    return;
  }
  const asked = (req.headers['access-control-request-headers'] ?? '').split(',').filter(Boolean);
  // Some refuse all, for a single name that they do not know.
  const isKnown = asked.every((name) => /^ *(?:content-type|authorization) *$/i.test(name));
  if (req.url?.startsWith('/open/')) res.setHeader('Access-Control-Allow-Origin', '*');
  else if (origin === PAGE && isKnown) {
    res.setHeader('Access-Control-Allow-Origin', origin);
    res.setHeader('Access-Control-Allow-Credentials', 'true');
    res.setHeader('Vary', 'Origin');
  }
  res.setHeader('Access-Control-Allow-Methods', 'GET, PATCH, PUT');
  res.setHeader('Access-Control-Allow-Headers', 'Content-Type, Authorization');
  res.writeHead(204).end();
}

let target: Target;
beforeAll(async () => {
  target = await startTarget(answer);
});

interface Page {
  url: string;
  method?: string;
  origin?: string;
  headers?: string[];
}

function preflight({ url, method = 'PATCH', origin = PAGE, headers = ['content-type'] }: Page) {
  return fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': headers.join(),
    },
  });
}

function patch(url: string, body: unknown, headers: Record<string, string> = {}) {
  return fetch(url, {
    method: 'PATCH',
    headers: { origin: PAGE, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

/** What the answer lets pages do. */
function allowed({ headers }: Response): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
}

const READABLE = {
  'access-control-allow-origin': PAGE,
  'access-control-allow-credentials': 'true',
  'access-control-expose-headers': 'Patchgate-Blocked, Patchgate-Findings, Patchgate-Fault',
};

describe('in front of a service', () => {
  let gate: Running;
  let url: string;
  beforeAll(async () => {
    gate = await startBinary(['proxy', target.url, '--fault', 'PATCH /down/** status=503']);
    url = gate.url + PROJECT_PATH;
  });

  it('what the gate answers itself cannot be read before the service has let the page ask', async () => {
    expect(allowed(await patch(url, BAD_PROJECT))).toEqual({});
  });

  it('what it answers itself can be read then: a 422, a 409, a 503, a 400', async () => {
    expect(allowed(await preflight({ url }))).toMatchObject({
      'access-control-allow-headers': 'Content-Type, Authorization',
    });
    const invalid = await patch(url, BAD_PROJECT);
    expect(invalid.status).toBe(422);
    expect(allowed(invalid)).toEqual(READABLE);
    expect((await patch(url, GOOD_PROJECT)).status).toBe(200);
    const destructive = await patch(url, SHORTER);
    expect(destructive.status).toBe(409);
    expect(allowed(destructive)).toEqual(READABLE);
    const down = `${gate.url}/down/x`;
    await preflight({ url: down });
    const fault = await patch(down, {});
    expect(fault.status).toBe(503);
    expect(allowed(fault)).toEqual(READABLE);
    const wrong = await patch(url, GOOD_PROJECT, { 'Patchgate-Session': 'a'.repeat(1000) });
    expect(wrong.status).toBe(400);
    expect(allowed(wrong)).toEqual(READABLE);
  });

  it.each<[string, Partial<Page>]>([
    ['another origin', { origin: 'http://evil.example' }],
    ['another method', { method: 'DELETE' }],
    ['another header', { headers: ['x-other'] }],
    ['no preflight', { method: '' }],
  ])('it cannot be for %s', async (_, page) => {
    const own = `${gate.url}/api/v2/accounts/current/projects/77`;
    await preflight({ url: own, ...page });
    const { origin } = { origin: PAGE, ...page };
    expect(allowed(await patch(own, BAD_PROJECT, { origin }))).toEqual({});
  });

  it('it cannot be at another path, for another page or once the service has thought better of it', async () => {
    const own = `${gate.url}/api/v2/accounts/current/projects/78`;
    await preflight({ url: own });
    expect(allowed(await patch(own, BAD_PROJECT))).toEqual(READABLE);
    expect(allowed(await patch(`${own}9`, BAD_PROJECT))).toEqual({});
    expect(allowed(await patch(own, BAD_PROJECT, { origin: 'http://evil.example' }))).toEqual({});
    await preflight({ url: own, headers: ['x-other'] });
    expect(allowed(await patch(own, BAD_PROJECT))).toEqual({});
  });

  it('it can be by any page where any may ask', async () => {
    const own = `${gate.url}/open/accounts/current/projects/42`;
    await preflight({ url: own, origin: 'null' });
    const { 'access-control-allow-origin': origin, ...more } = allowed(
      await patch(own, BAD_PROJECT, { origin: 'null' }),
    );
    expect(origin).toBe('*');
    expect(Object.keys(more)).toEqual(['access-control-expose-headers']);
  });

  it('a page may send what is for the gate, of which the service hears nothing', async () => {
    const asked = ['content-type', 'patchgate-approve', 'patchgate-session'];
    expect(allowed(await preflight({ url, headers: asked }))).toMatchObject({
      'access-control-allow-origin': PAGE,
      'access-control-allow-headers': 'Content-Type, Authorization, patchgate-approve, patchgate-session',
    });
    expect(target.received.at(-1)?.headers['access-control-request-headers']).toBe('content-type');
    await preflight({ url, headers: ['Patchgate-Approve'] });
    expect(target.received.at(-1)?.headers).not.toHaveProperty('access-control-request-headers');
    const refused = await preflight({ url, origin: 'http://evil.example', headers: asked });
    expect(refused.headers.get('access-control-allow-headers')).toBe('Content-Type, Authorization');
  });
});

it('in a replay, what the recording let a page do counts', async () => {
  const cwd = temporaryFolder();
  const recordings = `${cwd}/recordings`;
  const recorder = await startGate({ target: target.url, record: 'all', recordings });
  await preflight({ url: recorder.url + PROJECT_PATH });
  await patch(recorder.url + PROJECT_PATH, GOOD_PROJECT);
  await recorder.gate.close();
  const { url } = await startBinary(['replay'], { cwd });
  const other = { ...GOOD_PROJECT, name: 'Other' };
  expect(allowed(await patch(url + PROJECT_PATH, other))).toEqual({});
  const answer = await preflight({ url: url + PROJECT_PATH, headers: ['content-type', 'patchgate-session'] });
  expect(answer.headers.get('access-control-allow-headers')).toContain(', patchgate-session');
  const missed = await patch(url + PROJECT_PATH, other, { 'patchgate-session': 'a' });
  expect(missed.status).toBe(501);
  expect(allowed(missed)).toEqual(READABLE);
  expect(allowed(await patch(url + PROJECT_PATH, GOOD_PROJECT))).toEqual({});
  const inSession = `${url}/__patchgate/session/b${PROJECT_PATH}`;
  await preflight({ url: inSession });
  expect(allowed(await patch(inSession, BAD_PROJECT))).toEqual(READABLE);
});

describe('pages that may ask for all', () => {
  const asked = { headers: ['content-type', 'patchgate-approve', 'x-own'] };

  it('get the leave from the gate, and can read every answer', async () => {
    const before = target.received.length;
    const gate = await startGate({ target: target.url, cors: [PAGE] });
    const url = gate.url + PROJECT_PATH;
    const leave = await preflight({ url, ...asked });
    expect(leave.status).toBe(204);
    expect(allowed(leave)).toEqual({
      ...READABLE,
      'access-control-allow-methods': 'PATCH',
      'access-control-allow-headers': asked.headers.join(),
      'access-control-max-age': '600',
    });
    expect(target.received).toHaveLength(before);
    for (const [body, status] of [
      [BAD_PROJECT, 422],
      [GOOD_PROJECT, 200],
      [SHORTER, 409],
    ] as const) {
      const answer = await patch(url, body);
      expect([answer.status, allowed(answer)]).toEqual([status, READABLE]);
    }
  });

  it('are those of the origins that are named, and no others', async () => {
    const gate = await startGate({ target: target.url, cors: ['https://app.example'] });
    const url = `${gate.url}/other`;
    expect(allowed(await patch(url, {}))).toEqual({});
    expect((await preflight({ url, ...asked })).headers.get('access-control-allow-origin')).toBeNull();
  });

  it('are all, without credentials, where any origin may ask', async () => {
    const gate = await startGate({ target: target.url, cors: ['*'] });
    const { 'access-control-expose-headers': _, ...more } = allowed(
      await patch(gate.url + PROJECT_PATH, BAD_PROJECT),
    );
    expect(more).toEqual({ 'access-control-allow-origin': '*' });
  });
});
