import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/model/exchange.ts';
import { laterRefusal } from '../../support/errors.ts';
import { exchange } from '../../support/exchanges.ts';
import { at, writeRecording } from '../../support/recorded-folder.ts';
import { recordAll } from '../../support/recordings.ts';
import { project, startService } from '../../support/service.ts';
import { freePort } from '../../support/target.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startLive, verify } from '../../support/verify.ts';

const get = (path: string, answer: unknown, parts = {}) =>
  exchange({ method: 'GET', path, answer: { json: answer as never }, ...parts });

/** A folder with the recording `x`. */
function recorded(...exchanges: Exchange[]): string {
  const folder = temporaryFolder();
  writeRecording(join(folder, 'x'), exchanges);
  return folder;
}

describe('what differs', () => {
  it('is printed by request, and fails the run', async () => {
    const folder = recorded(
      get('/a', { name: 'a', on: true }, { query: 'q=1' }),
      get('/a', { name: 'c' }, { query: 'q=2', recordedAt: at(1) }),
      get('/b', { n: 1 }, { recordedAt: at(2) }),
    );
    const target = await startLive({
      '/a?q=1': { body: { name: 'b' } },
      '/a?q=2': { status: 404, body: {} },
      '/b': { body: { n: 1 } },
    });
    const { code, text, shown } = await verify(folder, target.url);
    expect([code, text]).toEqual([
      1,
      `GET /a?q=1
  /name is "b", recorded "a"
  /on is gone, recorded true

GET /a?q=2
  the status is 404, recorded 200

2 answers differ: 3 requests of "x" sent
`,
    ]);
    expect(shown).toEqual(['sent 1 request', 'sent 2 requests', 'sent 3 requests', '']);
    expect(target.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /a?q=1',
      'GET /a?q=2',
      'GET /b',
    ]);
  });

  it('is nothing at places that matching ignores, and what redaction of today leaves of both', async () => {
    const folder = recorded(get('/a', { at: 1, pin: '1' }));
    const target = await startLive({ '/a': { body: { at: 2, pin: '2' } } });
    expect((await verify(folder, target.url, { ignorePointers: '/at', redact: 'pin' })).code).toBe(0);
    expect((await verify(folder, target.url)).text).toMatch(/\/at is 2, recorded 1\n {2}\/pin is "2"/);
  });

  it('quotes no secret', async () => {
    const folder = recorded(get('/a', { note: 'x', apiKey: '[redacted]' }));
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const target = await startLive({ '/a': { body: { note: token, apiKey: 'k-12345678' } } });
    const { text } = await verify(folder, target.url);
    expect(text).toContain('/note is "[redacted]", recorded "x"');
    expect(text).not.toContain('apiKey');
  });

  it('is that of what waits in the journal, too, and of bodies that are texts, bytes and coded', async () => {
    const folder = temporaryFolder();
    const png = Buffer.alloc(9000, 0xfe);
    await recordAll(folder, 'x', [
      exchange({ method: 'GET', path: '/t', answer: { text: '{"a": 1,\n "b": 2}' } }),
      exchange({ method: 'GET', path: '/p', answer: { base64: png.toString('base64') }, headers: {} }),
    ]);
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const target = await startLive({
      '/t': { body: gzipSync('{"a":1,"b":3}'), headers },
      '/p': { body: png, headers: { 'x-other': '1' } },
    });
    expect((await verify(folder, target.url)).text).toContain('GET /t\n  /b is 3, recorded 2\n\n1 answer');
    png[0] = 0xfd;
    expect((await verify(folder, target.url)).text).toContain('the bytes differ');
  });
});

describe('what is sent', () => {
  it('is the request as it was, with the headers that are given, below the path of the target', async () => {
    const requestHeaders = { accept: 'text/x', 'content-encoding': 'gzip' };
    const folder = recorded(get('/a', {}, { query: 'x=1&y', requestHeaders }));
    const target = await startLive({ '/api/v2/a?x=1&y': { body: {} } });
    const headers = ['Authorization', 'Bearer abc', 'Accept', 'application/json'];
    expect((await verify(folder, `${target.url}/api/v2`, {}, { headers })).code).toBe(0);
    const [received] = target.received;
    expect(received?.headers).toMatchObject({ authorization: 'Bearer abc', accept: 'application/json' });
    expect(received?.headers['user-agent']).toMatch(/^patchgate\//);
    expect(received?.headers).not.toHaveProperty('content-encoding');
  });

  it('is each read once, which is held against the nearest of its answers', async () => {
    const folder = recorded(get('/a', { n: 1 }), get('/a', { n: 2, m: 1 }), get('/a', { n: 3 }));
    const target = await startLive({ '/a': { body: { n: 2, m: 1 } } });
    expect((await verify(folder, target.url)).code).toBe(0);
    expect(target.received).toHaveLength(1);
  });

  it('is nothing that changes something, by its method, a header or its query', async () => {
    const folder = recorded(
      exchange({ method: 'PATCH' }),
      exchange({ method: 'DELETE' }),
      exchange({ method: 'POST', path: '/a' }),
      get('/b', {}, { requestHeaders: { 'x-http-method-override': 'delete' } }),
      get('/c', {}, { query: '_method=PUT' }),
    );
    const target = await startLive({});
    const { text } = await verify(folder, target.url);
    for (const left of ['1 PATCH', '1 DELETE', '1 POST', '2 GET']) expect(text).toContain(left);
    const headers = ['X-HTTP-Method-Override', 'DELETE'];
    const turned = await verify(recorded(get('/a', {})), target.url, {}, { headers });
    expect(turned.text).toContain('since they change something: 1 GET');
    expect(target.received).toEqual([]);
  });

  it('is nothing of which a part is missing', async () => {
    const folder = recorded(
      get('/a', {}, { query: 'token=[redacted]' }),
      exchange({ method: 'GET', path: '/b', body: { text: 'a [redacted]' } }),
      get('/c', {}, { requestHeaders: { 'x-key': '[redacted]' } }),
      get('/d', {}, { status: 304 }),
      get('/e', {}, { headers: { 'content-type': 'text/event-stream' } }),
      get('/g h', {}),
    );
    const target = await startLive({ '/c': { body: {} } });
    const { text, code } = await verify(folder, target.url);
    expect(text.match(/(?<=^not sent: GET \S+( h)?: ).*/gm)).toEqual([
      'its path or query had a secret, which the recording does not have',
      'its body had a secret, which the recording does not have',
      'a header had a secret, which the recording does not have: give it with --header',
      'its answer is to a condition or range, which recordings keep only with --match-headers',
      'its answer is a stream of events, which need not end',
      'its path or query has a character that no request can have',
    ]);
    expect([code, target.received.length]).toEqual([0, 0]);
    await verify(folder, target.url, {}, { headers: ['X-Key', 'k'] });
    expect(target.received[0]?.headers['x-key']).toBe('k');
  });
});

describe('PATCHes that are named', () => {
  const PATH = '/api/v2/accounts/current/projects/42';
  const NAMED = { patches: [PATH] };
  const BEFORE = project('1 Production', '2 Staging');
  const AFTER = project('1 Production', '2 Staging', '3 Dev');
  const patch = (sent: object, second: number) =>
    exchange({ body: { json: sent as never }, answer: { json: { ok: true } }, recordedAt: at(second) });
  const walk = (sent: object) => [
    get(PATH, BEFORE, { recordedAt: at(0) }),
    patch(sent, 1),
    get(PATH, sent, { recordedAt: at(2) }),
  ];

  it('go in the order of recording, with the reads between them', async () => {
    const service = await startService();
    service.projects.set('42', BEFORE);
    expect((await verify(recorded(...walk(AFTER)), service.target.url, {}, NAMED)).code).toBe(0);
    expect(service.target.received.map(({ method }) => method)).toEqual(['GET', 'PATCH', 'GET']);
  });

  it('do not go if they would delete, by what the reads of this run have shown', async () => {
    const service = await startService();
    service.projects.set('42', AFTER);
    const folder = recorded(...walk(BEFORE));
    const { text, code } = await verify(folder, service.target.url, { redact: 'environments' }, NAMED);
    expect([code, text]).toEqual([1, expect.stringContaining('not sent, since the gate blocks it:')]);
    expect(service.target.received.map(({ method }) => method)).toEqual(['GET', 'GET']);
    await verify(folder, service.target.url, { allowDelete: 'Dev' }, NAMED);
    expect(service.deleted).toEqual(['42: 3 Dev']);
  });

  it('do not go if nothing is known of the project, or no operation of the contract judges them', async () => {
    const service = await startService();
    const elsewhere = '/api/v2/accounts/current/users/7';
    const users = exchange({ path: elsewhere, body: { json: { name: 'x' } } });
    const patches = [PATH, elsewhere];
    const { text } = await verify(recorded(patch(BEFORE, 0), users), service.target.url, {}, { patches });
    expect(text).toContain('not sent, since the gate blocks it:');
    expect(text).toContain('since they change something: 1 PATCH');
    expect(service.target.received).toEqual([]);
  });

  it('end the run if they are not answered: they may have been applied', async () => {
    const service = await startService();
    service.projects.set('42', BEFORE);
    service.next.push((req, _res, apply) => {
      apply();
      req.socket.destroy();
    });
    const folder = recorded(...walk(AFTER), patch(BEFORE, 3));
    await laterRefusal('target-unreachable', verify(folder, service.target.url, {}, NAMED));
    expect(service.deleted).toEqual([]);
  });

  it('must be in the recording', async () => {
    const run = verify(recorded(get('/a', {})), 'http://127.0.0.1:1', {}, { patches: ['/a'] });
    expect(await laterRefusal('bad-usage', run)).toContain('the recording has no PATCH of /a');
  });
});

describe('a target in trouble', () => {
  it('that is down, or breaks off again and again, ends the run', async () => {
    const folder = recorded(get('/a', {}), get('/b', {}), get('/c', {}), get('/d', {}));
    const down = `http://127.0.0.1:${await freePort()}`;
    expect(await laterRefusal('target-unreachable', verify(folder, down))).toContain('refused');
    const broken = { breaks: true } as const;
    const target = await startLive({ '/b': broken, '/c': broken, '/d': broken });
    await laterRefusal('target-unreachable', verify(folder, target.url));
  });

  it('that breaks off, or falls silent, now and then is drift', { tags: 'slow' }, async () => {
    const folder = recorded(get('/a', {}), get('/b', {}), get('/c', {}), get('/d', {}));
    const target = await startLive({
      '/a': { body: {} },
      '/b': { breaks: true },
      '/c': { body: {} },
      '/d': { stalls: true },
    });
    const { text, code } = await verify(folder, target.url, { timeout: '200ms' });
    expect([code, text]).toEqual([1, expect.stringMatching(/^GET \/b\n.*\n\nGET \/d\n.*stopped half way/)]);
  });

  it('that asks for credentials is told with what to give', async () => {
    const target = await startLive({ '/a': { status: 401, body: {} } });
    const { text } = await verify(recorded(get('/a', {})), target.url);
    expect(text).toContain('refused with 401 or 403: 1; give credentials with --header');
  });
});

it('ends where it is told to stop, and says where a file is broken', async () => {
  const folder = recorded(get('/a', {}));
  const target = await startLive({ '/a': { body: {} } });
  await laterRefusal('interrupted', verify(folder, target.url, {}, { stopped: AbortSignal.abort() }));
  const file = join(folder, 'x/b/GET.json');
  mkdirSync(dirname(file));
  writeFileSync(file, '{');
  expect(await laterRefusal('bad-recording', verify(folder, target.url))).toContain('GET.json:1:2');
});
