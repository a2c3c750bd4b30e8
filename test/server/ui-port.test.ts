import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json/json.ts';
import { fileOf, makeCertificate } from '../support/certificates.ts';
import { BAD_PROJECT } from '../support/e2e-bodies.ts';
import { laterRefusal } from '../support/errors.ts';
import { exchange } from '../support/exchanges.ts';
import { PROJECT_URL } from '../support/gate.ts';
import {
  type InProcess,
  type Settings,
  startGate,
  startRecorder,
  startReplay,
} from '../support/in-process.ts';
import { RawConnection } from '../support/raw.ts';
import { recordAll } from '../support/recordings.ts';
import { patch, project, startService } from '../support/service.ts';
import { freePort, startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TOKEN = 'f00dcafe-f00dcafe-f00d';
const JSON_TYPE = { 'content-type': 'application/json' };

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  json: JsonObject;
}

/** The inspector of a gate, as its notice says. */
function inspectorOf({ notices }: InProcess) {
  const notice = notices.find((text) => text.startsWith('inspector: ')) ?? '';
  const [, url = '', token = TOKEN] =
    /^inspector: (\S+?)\/(?:#token=([\da-f]{32}))?(?: |$)/.exec(notice) ?? [];
  const bearer = { authorization: `Bearer ${token}` };
  /** @param line `GET /`, without a token; `GET health` with it, of the control API */
  const ask = async (line: string, headers: Record<string, string> = {}, body?: unknown): Promise<Answer> => {
    const [method, path = ''] = line.split(' ');
    const isControl = !path.startsWith('/');
    const given = { ...(isControl && bearer), ...headers };
    const asked = request(`${url}${isControl ? '/__patchgate/' : ''}${path}`, { method, headers: given });
    asked.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
    const [response] = await once(asked, 'response');
    const content = await text(response);
    const isJson = /json/.test(response.headers['content-type'] ?? '');
    const json = isJson && content ? JSON.parse(content) : {};
    return { status: response.statusCode, headers: response.headers, text: content, json };
  };
  return { url, token, notice, ask };
}

async function start(settings: Settings = {}, kind: 'proxy' | 'fake' = 'fake') {
  const gate = await startGate({ ui: 0, ...settings }, kind);
  return { gate, ...inspectorOf(gate) };
}

describe('the inspector', () => {
  it('is off unless it is asked for', async () => {
    expect((await startGate({}, 'fake')).notices).toEqual([]);
  });

  it('answers all with headers that keep other pages out', async () => {
    const { ask, url } = await start();
    const answers = [
      await ask('GET /nothing'),
      await ask('POST /'),
      await ask('GET /__patchgate/health'),
      await ask('GET health'),
      await ask('GET nothing'),
      await ask('GET health', { host: 'evil.example' }),
      await ask('GET health', { origin: 'http://evil.example' }),
      await ask('GET send'),
      await ask('POST send', {}, '{}'),
      await ask('GET /', { host: new URL(url).host, origin: 'null' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 405, 401, 200, 404, 421, 403, 405, 400, 403]);
    for (const { headers } of answers)
      expect(headers).toMatchObject({
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; /,
        ),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
      });
    for (const { headers } of answers) expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  it.each([
    '/index.html',
    '//',
    '/app.js/',
    '/../package.json',
    '/%2e%2e/main.cjs',
    '/constructor',
    '/api/v2',
  ])('has no %s', async (path) => expect((await (await start()).ask(`GET ${path}`)).status).toBe(404));

  it('forwards nothing', async () => {
    const target = await startTarget();
    const { ask } = await start({ target: target.url }, 'proxy');
    await ask(`PATCH ${PROJECT_URL}`, {}, {});
    await ask(`PATCH ${PROJECT_URL}`, { authorization: `Bearer ${TOKEN}` }, {});
    expect(target.received).toEqual([]);
  });

  it('makes a token for itself alone', async () => {
    const { gate, token, notice, ask } = await start();
    expect(notice).toMatch(/^inspector: http:\/\/127\.0\.0\.1:\d+\/#token=[\da-f]{32}$/);
    expect((await start()).token).not.toBe(token);
    expect((await ask('GET health')).json).toMatchObject({ status: 'ok', mode: 'fake' });
    const health = (headers = {}) => fetch(`${gate.url}/__patchgate/health`, { headers });
    expect((await health()).status).toBe(200);
    const asPage = { origin: gate.url, authorization: `Bearer ${token}` };
    expect((await health(asPage)).status).toBe(403);
  });

  it('takes the control token that is given, and does not show it', async () => {
    const { gate, notice, ask } = await start({ controlToken: TOKEN });
    expect(notice).toMatch(/^inspector: http:\/\/127\.0\.0\.1:\d+\/ \(it asks for the control token\)$/);
    expect((await ask('GET health')).status).toBe(200);
    expect((await ask('GET /__patchgate/health')).status).toBe(401);
    expect(gate.notices.join()).not.toContain(TOKEN);
  });

  it('has the probes for its token alone', async () => {
    const { ask } = await start();
    expect((await ask('GET /__patchgate/health/live')).status).toBe(401);
    expect((await ask('GET health/live')).status).toBe(200);
  });

  it('writes no token to the log', async () => {
    const { gate, token, ask } = await start({ log: 'json' });
    await ask('GET exchanges');
    await fetch(`${gate.url}${PROJECT_URL}`);
    await gate.gate.close();
    expect(gate.log.join('')).toContain(PROJECT_URL);
    expect(gate.log.join('')).not.toContain(token);
  });

  it('listens where the gate does once it has names, and says that others can read', async () => {
    const { gate, notice, ask } = await start({ host: '0.0.0.0', uiHosts: ['*.test', 'inspector.test'] });
    expect(notice).toMatch(/^inspector: http:\/\/inspector\.test:\d+\/#token=/);
    expect(gate.notices.join('\n')).toContain('others on the network can read what the inspector is sent');
    const { port } = new URL(notice.slice('inspector: '.length));
    const own = inspectorOf({ ...gate, notices: [notice.replace('inspector.test', '127.0.0.1')] });
    expect(own.url).toBe(`http://127.0.0.1:${port}`);
    expect((await own.ask('GET health', { host: 'inspector.test' })).status).toBe(200);
    expect((await own.ask('GET health', { host: 'other.example' })).status).toBe(421);
    expect(ask).toBeDefined();
  });

  it.each([
    ['0.0.0.0', ['*.test'], 'http://localhost:'],
    ['0.0.0.0', ['fd00::1'], 'http://[fd00::1]:'],
    ['127.0.0.1', ['*.test'], 'http://127.0.0.1:'],
  ])('on %s with the names %j is opened at %s', async (host, uiHosts, url) => {
    expect((await start({ host, uiHosts })).notice).toContain(`inspector: ${url}`);
  });

  it('speaks TLS where the gate does once it has names, and sends through it', async () => {
    const { cert, key } = await makeCertificate(['localhost']);
    const tls = { tlsCert: fileOf(cert), tlsKey: fileOf(key) };
    const plain = await start(tls);
    expect(plain.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    const input = JSON.stringify({ method: 'GET', url: PROJECT_URL });
    expect((await plain.ask('POST send', {}, input)).json).toMatchObject({ status: 200, exchange: 1 });
    const { gate, notice } = await start({
      ...tls,
      host: '0.0.0.0',
      uiHosts: ['localhost'],
      controlToken: TOKEN,
    });
    expect(gate.notices.join()).not.toContain('others on the network can read what the inspector');
    const [, port] = /^inspector: https:\/\/localhost:(\d+)\//.exec(notice) ?? [];
    const connection = await RawConnection.openSecure(Number(port), { ca: cert, servername: 'localhost' });
    connection.write(
      `GET /__patchgate/health HTTP/1.1\r\nHost: localhost\r\nOrigin: https://localhost\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`,
    );
    expect((await connection.response('GET')).status).toBe(200);
    connection.close();
  });

  it('stays on loopback without names', async () => {
    const { gate, url } = await start({ host: '0.0.0.0', controlToken: TOKEN });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect(gate.notices.join()).not.toContain('others on the network can read');
  });

  it('ends with the gate, streams of events too', async () => {
    const { gate, url, token } = await start();
    const headers = { authorization: `Bearer ${token}` };
    const events = await fetch(`${url}/__patchgate/events`, { headers });
    const told = events.text();
    await fetch(`${gate.url}${PROJECT_URL}`);
    await gate.gate.close();
    expect(await told).toContain('event: exchange\nid: 1\n');
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('says where its port is in use, and leaves nothing open', async () => {
    const target = await startTarget();
    const port = await freePort();
    const refused = startGate({ target: 'http://127.0.0.1:9', port, ui: target.port });
    expect(await laterRefusal('cannot-listen', refused)).toBe(
      `cannot listen on 127.0.0.1:${target.port}: the port is in use (end what uses it, or choose another with --ui (0 takes a free one))`,
    );
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('fetch failed');
  });
});

it('GET exchanges?bodies=false lists them without bodies', async () => {
  const { gate, ask } = await start();
  await patch(gate.url, BAD_PROJECT);
  const [whole] = (await ask('GET exchanges')).json.exchanges as JsonObject[];
  const [head] = (await ask('GET exchanges?bodies=false')).json.exchanges as JsonObject[];
  expect(whole).toHaveProperty('request.body');
  expect(head).toEqual(
    JSON.parse(JSON.stringify(whole, (name, value) => (name === 'body' ? undefined : value))),
  );
  expect((await ask('GET exchanges?bodies=true')).json.exchanges).toEqual([whole]);
  expect((await ask('GET exchanges?bodies=no')).status).toBe(400);
});

describe('GET recording', () => {
  it('is a 404 where there is none', async () => {
    expect((await (await start()).ask('GET recording')).status).toBe(404);
  });

  it('says what is recorded', async () => {
    const target = await startTarget();
    const gate = await startRecorder(temporaryFolder(), target.url, { ui: 0, recording: 'checkout' });
    await fetch(`${gate.url}/x`);
    expect((await inspectorOf(gate).ask('GET recording')).json).toEqual({
      name: 'checkout',
      mode: 'proxy',
      doing: expect.stringContaining('records "checkout"'),
      recorded: 1,
      waiting: 0,
      lost: 0,
      journalBytes: expect.any(Number),
    });
  });

  it('says what was not served, and what missed', async () => {
    const cwd = temporaryFolder();
    const recorded = ['/a', '/b'].map((path) => exchange({ method: 'GET', path, answer: { text: 'x' } }));
    await recordAll(join(cwd, 'recordings'), 'default', recorded);
    const gate = await startReplay(cwd, { ui: 0 });
    await fetch(`${gate.url}/a`);
    await fetch(`${gate.url}/c`);
    expect((await inspectorOf(gate).ask('GET recording')).json).toMatchObject({
      mode: 'replay',
      exchanges: 2,
      unserved: { total: 2, count: 1, exchanges: [{ method: 'GET', path: '/b' }] },
      misses: { count: 1, misses: [{ method: 'GET', url: '/c', count: 1 }] },
    });
  });
});

describe('POST send', () => {
  it('sends a request as any client does', async () => {
    const service = await startService();
    const { gate, ask } = await start({ target: service.target.url }, 'proxy');
    const body = JSON.stringify(project('1 Production', '2 Staging'));
    const headers = {
      ...JSON_TYPE,
      Authorization: 'Bearer typed',
      Cookie: '[redacted]',
      Host: 'evil.example',
      'Content-Length': '9999',
      'Transfer-Encoding': 'chunked',
      'Content-Encoding': 'gzip',
    };
    const sent = await ask('POST send', {}, { method: 'PATCH', url: `${PROJECT_URL}?x=1`, headers, body });
    expect(sent.status).toBe(200);
    expect(sent.json).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: { json: { ok: true } },
      exchange: 1,
    });
    const [received] = service.target.received;
    expect(received).toMatchObject({ method: 'PATCH', url: `${PROJECT_URL}?x=1` });
    expect(received?.body.toString()).toBe(body);
    expect(received?.headers).toEqual({
      host: new URL(service.target.url).host,
      ...JSON_TYPE,
      authorization: 'Bearer typed',
      'content-length': String(body.length),
      connection: expect.any(String),
    });
    const [shown] = [...gate.gate.exchanges()];
    expect(shown).toMatchObject({ id: 1, verdict: { outcome: 'pass' } });
  });

  it.each([
    ['', async () => ({})],
    [
      ' where the gate speaks TLS',
      async () => {
        const { cert, key } = await makeCertificate(['localhost']);
        return { tlsCert: fileOf(cert), tlsKey: fileOf(key) };
      },
    ],
    [
      ' where clients need a certificate',
      async () => {
        const { cert, key } = await makeCertificate(['localhost']);
        return { tlsCert: fileOf(cert), tlsKey: fileOf(key), clientCa: fileOf(cert) };
      },
    ],
  ])('is judged and guarded as any%s, and shows no token of an approval', async (_, tls) => {
    const service = await startService();
    const audit = join(temporaryFolder(), 'audit.ndjson');
    const { ask } = await start({ target: service.target.url, audit, ...(await tls()) }, 'proxy');
    const send = (body: unknown) =>
      ask(
        'POST send',
        {},
        { method: 'PATCH', url: PROJECT_URL, headers: JSON_TYPE, body: JSON.stringify(body) },
      );
    expect((await send(project('1 Production', '2 Staging'))).json).toMatchObject({
      status: 200,
      exchange: 1,
    });
    expect((await send(BAD_PROJECT)).json).toMatchObject({ status: 422, exchange: 2 });
    const blocked = await send(project('1 Production'));
    expect(blocked.json).toMatchObject({
      status: 409,
      body: { json: { approve: '[redacted]', effects: [{ kind: 'environment-deleted', id: 2 }] } },
      exchange: 3,
    });
    expect(service.deleted).toEqual([]);
    const lines = readFileSync(audit, 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).client)).toEqual(['127.0.0.1', '127.0.0.1']);
  });

  it('names its own exchange among others', async () => {
    const target = await startTarget((req, res) => void res.end(req.url));
    const { gate, ask } = await start({ target: target.url }, 'proxy');
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        await fetch(`${gate.url}/other/${i}`);
        return (await ask('POST send', {}, { method: 'GET', url: `/own/${i}` })).json;
      }),
    );
    const urls = new Map([...gate.gate.exchanges()].map(({ id, request }) => [id, request.url]));
    expect(answers.map(({ exchange }) => urls.get(exchange as number))).toEqual(
      answers.map((_, i) => `/own/${i}`),
    );
    expect(answers.map(({ body }) => body)).toEqual(
      answers.map((_, i) => ({ text: `/own/${i}`, size: `/own/${i}`.length })),
    );
  });

  it.each([
    ['no JSON', '{', 'the input is not a JSON text'],
    ['no object', [], 'the input is not a JSON object'],
    ['no method', { url: '/' }, 'the request has no method'],
    ['an unknown method', { method: 'NOPE', url: '/' }, '/method "NOPE" cannot be sent'],
    ['a tunnel', { method: 'CONNECT', url: '/' }, '/method "CONNECT" cannot be sent'],
    ['no path', { method: 'GET', url: 'x' }, '/url must be a path'],
    ['the control API', { method: 'POST', url: '/__patchgate/reset' }, '/url is one of the control API'],
    ['a hidden part of a URL', { method: 'GET', url: '/x?key=%5Bredacted%5D' }, '/url has [redacted] in it'],
    [
      'a hidden part of a body',
      { method: 'PUT', url: '/x', body: '{"pin":"[redacted]"}' },
      '/body has [redacted] in it',
    ],
  ])('refuses %s', async (_, input, says) => {
    const target = await startTarget();
    const { ask } = await start({ target: target.url }, 'proxy');
    const { status, json } = await ask('POST send', {}, input);
    expect(status).toBe(400);
    expect(json).toMatchObject({ type: 'urn:patchgate:problem:bad-input', hint: expect.any(String) });
    expect(json.detail).toContain(says);
    expect(target.received).toEqual([]);
  });

  it('refuses what is larger than any request that passes', async () => {
    const { ask } = await start({ bodyLimit: 1000 });
    expect((await ask('POST send', {}, 'x'.repeat(100_000))).status).toBe(413);
  });

  it('says so where there is no whole answer', async () => {
    const { ask } = await start({ faults: ['GET reset'] as never });
    const { status, json } = await ask('POST send', {}, { method: 'GET', url: PROJECT_URL });
    expect(status).toBe(502);
    expect(json.detail).toContain('the request got no whole answer');
  });

  it('is waited for by a stop, and cut off like any other', async () => {
    const target = await startTarget(() => undefined);
    const settings = { target: target.url, log: 'json', shutdownTimeout: 50 } as const;
    const { gate, ask } = await start(settings, 'proxy');
    const sent = ask('POST send', {}, { method: 'GET', url: '/slow' }).catch(() => undefined);
    await expect.poll(() => target.received).toHaveLength(1);
    await gate.gate.close();
    await sent;
    expect(gate.log.join()).toMatch(/"failure":"Patchgate was stopped/);
  });

  it('ends its request where the page is gone', async () => {
    let isGone: Promise<unknown> | undefined;
    const target = await startTarget((req, res) => {
      isGone = once(res, 'close');
      req.socket.emit('held');
    });
    const { url, token } = await start({ target: target.url }, 'proxy');
    const leaving = new AbortController();
    const asked = new Promise((resolve) =>
      target.server.on('connection', (socket) => socket.on('held', resolve)),
    );
    const sent = fetch(`${url}/__patchgate/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: '{"method":"GET","url":"/slow"}',
      signal: leaving.signal,
    }).catch((error: Error) => error.name);
    await asked;
    leaving.abort();
    expect(await sent).toBe('AbortError');
    await isGone;
  });
});
