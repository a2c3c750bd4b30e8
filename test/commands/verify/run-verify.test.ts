import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/model/exchange.ts';
import { openStore } from '../../../src/recordings/store/open-store.ts';
import { laterRefusal } from '../../support/errors.ts';
import { exchange } from '../../support/exchanges.ts';
import { holdTimers } from '../../support/held-timers.ts';
import { at, writeRecording } from '../../support/recorded-folder.ts';
import { filesBelow, recordAll } from '../../support/recordings.ts';
import { project, startService } from '../../support/service.ts';
import { freePort, startTarget } from '../../support/target.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Live, startLive, verify } from '../../support/verify.ts';

const get = (path: string, answer: unknown, parts = {}) =>
  exchange({ method: 'GET', path, answer: { json: answer as never }, ...parts });

/** A folder with the recording `x`. */
function recorded(...exchanges: Exchange[]): string {
  const folder = temporaryFolder();
  writeRecording(join(folder, 'x'), exchanges);
  return folder;
}

describe('what differs', () => {
  it('is reported where the recorded value stands, and fails the run', async () => {
    const folder = recorded(
      get('/a', { name: 'a', on: true }, { query: 'q=1' }),
      get('/a', { name: 'c' }, { query: 'q=2', recordedAt: at(1) }),
      get('/b', { n: 1 }, { recordedAt: at(2) }),
    );
    const target = await startLive({
      '/a?q=1': { body: { name: 'b' } },
      '/a?q=2': { body: { name: 'd' } },
      '/b': { body: { n: 1 } },
    });
    const { code, found, report, shown } = await verify(folder, target.url);
    expect(code).toBe(1);
    expect(shown).toEqual(['sent 1 request', 'sent 2 requests', 'sent 3 requests', '']);
    expect(found).toEqual([
      'warn drift.value-changed /name',
      'error drift.removed /on',
      'warn drift.value-changed /name',
    ]);
    expect(report.summary).toMatchObject({ judged: 3, errors: 1, warnings: 2 });
    const [file] = report.files;
    expect(file?.file).toBe(`${folder}/x/a/GET.json`);
    expect(file?.subjects[0]?.findings[0]).toMatchObject({ line: 20, column: 21 });
    expect(file?.subjects[1]?.findings[0]).toMatchObject({ line: 46, column: 21 });
    expect(target.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /a?q=1',
      'GET /a?q=2',
      'GET /b',
    ]);
  });

  it('has the severities of the config, and where these warn the exit code is 0', async () => {
    const folder = recorded(get('/accounts/1/x', { a: 1, b: 1 }));
    const target = await startLive({ '/accounts/1/x': { body: { a: 2, c: 1 } } });
    const rules = { 'drift.removed': 'warn', 'drift.added': 'off' };
    const warned = await verify(folder, target.url, { rules });
    expect([warned.code, warned.found]).toEqual([
      0,
      ['warn drift.value-changed /a', 'warn drift.removed /b'],
    ]);
    expect((await verify(folder, target.url, { rules, failOn: 'warn' })).code).toBe(1);
    const overrides = [{ paths: '/accounts/*/x', rules: { 'drift.value-changed': 'off' } }];
    expect((await verify(folder, target.url, { rules, overrides })).found).toEqual(['warn drift.removed /b']);
  });

  it('can be suppressed, and ignored', async () => {
    const folder = recorded(get('/a', { a: 1, b: [1, 2] }));
    const target = await startLive({ '/a': { body: { a: 2, b: [2, 1] } } });
    const suppressions = [{ rule: 'drift.value-changed', pointer: '/a', reason: 'it counts' }];
    const { report } = await verify(folder, target.url, { suppressions, failOn: 'warn', ignoreDrift: '/b' });
    expect(report.summary).toMatchObject({ warnings: 0, suppressed: 1 });
    expect((await verify(folder, target.url, { ignoreDrift: '/a,/b/*' })).found).toEqual([]);
    const unknown = [{ rule: 'drift.valu-changed', pointer: '/a', reason: 'x' }];
    expect(await laterRefusal('bad-config', verify(folder, target.url, { suppressions: unknown }))).toContain(
      'there is no rule "drift.valu-changed"',
    );
  });

  it('is told at most a hundred times of one answer, errors first', async () => {
    const names = Array.from({ length: 150 }, (_, i) => `m${i}`);
    const folder = recorded(get('/a', Object.fromEntries([...names.map((name) => [name, 1]), ['z', 1]])));
    const target = await startLive({ '/a': { body: Object.fromEntries(names.map((name) => [name, 2])) } });
    const { found, report } = await verify(folder, target.url);
    expect([found[0], found.length]).toEqual(['error drift.removed /z', 100]);
    expect(report.summary).toMatchObject({ errors: 1, warnings: 99, omitted: 51 });
  });

  it('quotes no secret', async () => {
    const folder = recorded(get('/a', { note: 'x', apiKey: '[redacted]' }));
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const target = await startLive({ '/a': { body: { note: token, apiKey: 'k-12345678' } } });
    const { report, found } = await verify(folder, target.url);
    expect(found).toEqual(['warn drift.value-changed /note']);
    expect(JSON.stringify(report)).not.toContain(token);
  });

  it('is what redaction of today leaves of both', async () => {
    const folder = recorded(get('/a', { pin: '1' }));
    const target = await startLive({ '/a': { body: { pin: '2' } } });
    expect((await verify(folder, target.url, { redact: 'pin' })).found).toEqual([]);
    expect((await verify(folder, target.url)).found).toHaveLength(1);
  });

  it('is told of what waits in the journal, too, and of bodies that are texts, bytes and coded', async () => {
    const folder = temporaryFolder();
    const png = Buffer.alloc(9000, 0xfe);
    const store = await openStore(folder, 'x', { writable: true });
    await store.close();
    await recordAll(folder, 'x', [
      exchange({ method: 'GET', path: '/t', answer: { text: '{"a": 1,\n "b": 2}' } }),
      exchange({ method: 'GET', path: '/p', answer: { base64: png.toString('base64') }, headers: {} }),
    ]);
    const answers = {
      '/t': {
        body: gzipSync('{"a":1,"b":3}'),
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      },
      '/p': { body: png, headers: { 'x-other': '1' } },
    };
    const target = await startLive(answers);
    const { found, report } = await verify(folder, target.url);
    expect(found).toEqual(['warn drift.value-changed /b']);
    const { line, column } =
      report.files.find(({ file }) => file.includes('/t/'))?.subjects[0]?.findings[0] ?? {};
    expect([line, column]).toEqual([19, 40]);
    png[0] = 0xfd;
    expect((await verify(folder, target.url)).found).toContain('warn drift.body');
  });
});

describe('what is sent', () => {
  it('is the request as it was, with the headers that are given, below the path of the target', async () => {
    const folder = recorded(
      get('/a', {}, { query: 'x=1&y', requestHeaders: { accept: 'text/x', 'content-encoding': 'gzip' } }),
    );
    const target = await startLive({ '/api/v2/a?x=1&y': { body: {} } });
    const headers = ['Authorization', 'Bearer abc', 'Accept', 'application/json'];
    expect((await verify(folder, `${target.url}/api/v2`, {}, { headers })).code).toBe(0);
    const [received] = target.received;
    expect(received?.headers).toMatchObject({ authorization: 'Bearer abc', accept: 'application/json' });
    expect(received?.headers).not.toHaveProperty('content-encoding');
  });

  it('follows no redirect, and takes a location within the target as it was recorded', async () => {
    const type = { 'content-type': 'text/plain' };
    const folder = recorded(
      exchange({ method: 'GET', path: '/a', status: 302, headers: { ...type, location: '/b' } }),
      exchange({ method: 'HEAD', path: '/c', headers: type }),
      exchange({ method: 'OPTIONS', path: '/d', status: 204, headers: {} }),
    );
    const answers: Record<string, Live> = {
      '/c': { headers: { ...type, 'content-length': '5' } },
      '/d': { status: 204, headers: { allow: 'GET' } },
    };
    const target = await startLive(answers);
    answers['/a'] = { status: 302, headers: { ...type, location: `${target.url}/b` }, body: '' };
    expect((await verify(folder, target.url)).found).toEqual([]);
    expect(target.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /a',
      'HEAD /c',
      'OPTIONS /d',
    ]);
    expect(target.received[0]?.headers['user-agent']).toMatch(/^patchgate\//);
  });

  it('is each read once, which is held against the nearest of its answers', async () => {
    const folder = recorded(get('/a', { n: 1 }), get('/a', { n: 2, m: 1 }), get('/a', { n: 3 }));
    const target = await startLive({ '/a': { body: { n: 2, m: 1 } } });
    expect((await verify(folder, target.url)).found).toEqual([]);
    expect(target.received).toHaveLength(1);
  });

  it('is what is selected', async () => {
    const folder = recorded(get('/a', {}), get('/b', {}));
    const target = await startLive({ '/b': { body: {} } });
    expect(
      (await verify(folder, target.url, {}, { selection: { path: '/b*' } })).report.summary,
    ).toMatchObject({
      judged: 1,
    });
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
    const { report } = await verify(folder, target.url);
    expect(report.summary).toMatchObject({ judged: 0, unjudged: 5 });
    const { report: unsafe } = await verify(
      folder,
      target.url,
      {},
      { isUnsafe: true, selection: { method: 'DELETE' } },
    );
    expect(unsafe.summary).toMatchObject({ judged: 0, unjudged: 1 });
    const headers = ['X-HTTP-Method-Override', 'DELETE'];
    const { report: turned } = await verify(recorded(get('/a', {})), target.url, {}, { headers });
    expect(turned.summary).toMatchObject({ judged: 0, unjudged: 1 });
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
    const { report, code } = await verify(folder, target.url);
    expect(report.files.flatMap(({ skipped = [] }) => skipped.map(({ why }) => why))).toEqual([
      'its path or query had a secret, which the recording does not have',
      'its body had a secret, which the recording does not have',
      'a header had a secret, which the recording does not have: give it with --header',
      'its answer is to a condition or range, which recordings keep only with --match-headers',
      'its answer is a stream of events, which need not end',
      'its path or query has a character that no request can have',
    ]);
    expect([code, target.received.length]).toEqual([0, 0]);
    const { report: given } = await verify(folder, target.url, {}, { headers: ['X-Key', 'k'] });
    expect([given.summary.judged, target.received[0]?.headers['x-key']]).toEqual([1, 'k']);
  });

  it('is what is chosen, however often others have asked the same since', async () => {
    const chosen = [1, 2].map((n) => get('/a', { n }, { session: 'one' }));
    const folder = recorded(...chosen, ...Array(200).fill(get('/a', { n: 3 }, { session: 'two' })));
    const target = await startLive({ '/a': { body: { n: 2 } } });
    const of = (session: string) => verify(folder, target.url, {}, { selection: { session } });
    expect((await of('one')).found).toEqual([]);
    expect((await of('two')).found).toEqual(['warn drift.value-changed /n']);
  });
});

describe('with --unsafe', () => {
  const PATH = '/api/v2/accounts/current/projects/42';
  const BEFORE = project('1 Production', '2 Staging');
  const AFTER = project('1 Production', '2 Staging', '3 Dev');
  const walk = (sent: object) => [
    get(PATH, BEFORE, { recordedAt: at(0) }),
    exchange({ body: { json: sent as never }, answer: { json: { ok: true } }, recordedAt: at(1) }),
    get(PATH, sent, { recordedAt: at(2) }),
  ];

  it('PATCHes go in the order of recording, and each answer is held against that of its place', async () => {
    const service = await startService();
    service.projects.set('42', BEFORE);
    const { found, code } = await verify(
      recorded(...walk(AFTER)),
      service.target.url,
      {},
      { isUnsafe: true },
    );
    expect([code, found]).toEqual([0, []]);
    expect(service.target.received.map(({ method }) => method)).toEqual(['GET', 'PATCH', 'GET']);
  });

  it('none goes that would delete, by what the reads of this run have shown', async () => {
    const service = await startService();
    service.projects.set('42', AFTER);
    const folder = recorded(...walk(BEFORE));
    const { found, code, report } = await verify(folder, service.target.url, {}, { isUnsafe: true });
    expect(code).toBe(1);
    expect(found).toContain('error project.environment-deleted /environments');
    expect(report.summary).toMatchObject({ blocked: 1 });
    expect(service.target.received.map(({ method }) => method)).toEqual(['GET', 'GET']);
    await verify(folder, service.target.url, { allowDelete: 'Dev' }, { isUnsafe: true });
    expect(service.deleted).toEqual(['42: 3 Dev']);
  });

  it('none goes that would delete what is hidden from people', async () => {
    const service = await startService();
    service.projects.set('42', BEFORE);
    const patch = (sent: object, second: number) =>
      exchange({ body: { json: sent as never }, answer: { json: { ok: true } }, recordedAt: at(second) });
    const folder = recorded(get(PATH, BEFORE, { recordedAt: at(0) }), patch(AFTER, 1), patch(BEFORE, 2));
    const flags = { redact: 'environments' };
    const { found } = await verify(folder, service.target.url, flags, { isUnsafe: true });
    expect(found).toContain('error project.environment-deleted /environments');
    expect(service.deleted).toEqual([]);
  });

  it('none goes that no operation of the contract judges', async () => {
    const service = await startService();
    const elsewhere = exchange({ path: '/api/v2/accounts/current/users/7', body: { json: { name: 'x' } } });
    const { report } = await verify(recorded(elsewhere), service.target.url, {}, { isUnsafe: true });
    expect(report.summary).toMatchObject({ judged: 0, unjudged: 1 });
    expect(service.target.received).toEqual([]);
  });

  it('what nothing is known of is read first, and where it cannot be read nothing goes', async () => {
    const service = await startService();
    service.projects.set('42', AFTER);
    const folder = recorded(exchange({ body: { json: BEFORE as never }, answer: { json: {} } }));
    const { found } = await verify(folder, service.target.url, {}, { isUnsafe: true });
    expect(found).toContain('error project.environment-deleted /environments');
    service.projects.clear();
    const unknown = await verify(folder, service.target.url, {}, { isUnsafe: true });
    expect(unknown.found).toContain('error project.state-unknown');
    expect(service.target.received.map(({ method }) => method)).toEqual(['GET', 'GET']);
  });

  it('one that was not answered may have been applied: none goes that would delete what it may have made', async () => {
    const service = await startService();
    service.projects.set('42', BEFORE);
    service.next.push((req, _res, apply) => {
      apply();
      req.socket.destroy();
    });
    const patch = (sent: object, second: number) =>
      exchange({ body: { json: sent as never }, answer: { json: { ok: true } }, recordedAt: at(second) });
    const folder = recorded(get(PATH, BEFORE, { recordedAt: at(0) }), patch(AFTER, 1), patch(BEFORE, 2));
    const { found } = await verify(folder, service.target.url, {}, { isUnsafe: true });
    expect(found).toContain('error drift.no-answer');
    expect(found).toContain('error project.environment-deleted /environments');
    expect(service.deleted).toEqual([]);
  });
});

describe('a target in trouble', () => {
  it('that is down, or breaks off again and again, ends the run', async () => {
    const folder = recorded(get('/a', {}), get('/b', {}), get('/c', {}), get('/d', {}));
    const down = `http://127.0.0.1:${await freePort()}`;
    expect(await laterRefusal('target-unreachable', verify(folder, down))).toContain('refused');
    const target = await startLive({
      '/b': { breaks: true },
      '/c': { breaks: true },
      '/d': { breaks: true },
    });
    await laterRefusal('target-unreachable', verify(folder, target.url));
    await laterRefusal('target-unreachable', verify(folder, target.url, {}, { selection: { path: '/b' } }));
  });

  it('that breaks off, or falls silent, now and then is a finding', { tags: 'slow' }, async () => {
    const folder = recorded(get('/a', {}), get('/b', {}), get('/c', {}), get('/d', {}));
    const target = await startLive({
      ...{ '/a': { breaks: true }, '/b': { breaks: true }, '/c': { body: {} }, '/d': { stalls: true } },
    });
    const { code, report } = await verify(folder, target.url, { timeout: '2s' }, { updates: true });
    const said = report.files.flatMap(({ subjects }) => subjects.flatMap(({ findings }) => findings));
    expect([code, said.map(({ rule }) => rule)]).toEqual([1, Array(3).fill('drift.no-answer')]);
    expect(said[2]?.message).toBe(`the answer of the target ${target.url} stopped half way`);
  });

  it('that closes a connection just when it is used again is asked again', async () => {
    const folder = recorded(get('/a', {}), get('/b', {}, { recordedAt: at(1) }));
    const target = await startTarget((req, res) => {
      if (target.received.length === 2) req.socket.destroy();
      else res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    const { found, report } = await verify(folder, target.url);
    expect([found, report.summary.judged]).toEqual([[], 2]);
    expect(target.received.map(({ url }) => url)).toEqual(['/a', '/b', '/b']);
  });

  it('that never comes to an end is not waited for', async () => {
    const folder = recorded(get('/a', {}), get('/b', {}));
    const target = await startTarget((req, res) => {
      res.setHeader('content-type', 'application/json');
      const isLong = req.url === '/a';
      const more = () => res.write('x'.repeat(isLong ? 1_000_000 : 1));
      const timer = setInterval(more, 2);
      res.on('close', () => clearInterval(timer));
    });
    // Ten times the silence that it may keep.
    const longest = holdTimers(60_000);
    const verified = verify(folder, target.url, { timeout: 6000 }, { updates: true });
    await expect.poll(() => target.received.at(-1)?.url).toBe('/b');
    longest.goOff();
    const { report } = await verified;
    const said = report.files.flatMap(({ subjects }) => subjects.flatMap(({ findings }) => findings));
    expect(said.map(({ message }) => message)).toEqual([
      'the body was not compared: it is longer than the 16 MiB that recordings keep',
      `the answer of the target ${target.url} was not whole after 60000 ms`,
    ]);
  });

  it('and a choice of what is not recorded', async () => {
    const target = await startLive({});
    const chosen = verify(recorded(get('/a', {})), target.url, {}, { selection: { path: '/b' } });
    expect(await laterRefusal('bad-usage', chosen)).toContain('x holds no such exchange');
  });

  it('and a recording that is not there, and a run that is stopped', async () => {
    const folder = recorded(get('/a', {}));
    const target = await startLive({});
    expect(await laterRefusal('bad-usage', verify(folder, target.url, { recording: 'y' }))).toContain(
      'there is no recording "y"',
    );
    const stopped = AbortSignal.abort();
    await laterRefusal('interrupted', verify(folder, target.url, {}, { stopped, updates: true }));
    // Nothing holds the recording any more.
    await verify(folder, target.url, {}, { updates: true });
  });
});

describe('with --update', () => {
  it('what drifted is taken over, all else keeps every byte, and the next run is clean', async () => {
    const folder = recorded(
      get('/a', { n: 1, at: 1 }),
      get('/a', { n: 1 }, { query: 'x' }),
      get('/b', { n: 1, token: '[redacted]' }),
      exchange({ path: '/a' }),
    );
    const before = filesBelow(folder);
    const target = await startLive({
      '/a': { body: { n: 2, at: 2, token: 'abcdefgh' } },
      '/a?x': { body: { n: 1 } },
      '/b': { body: { n: 1, token: 'other' } },
    });
    const flags = { ignoreDrift: '/at', failOn: 'warn' };
    const { code, report } = await verify(folder, target.url, flags, { updates: true });
    expect([code, report.summary.updated]).toEqual([0, 2]);
    const after = filesBelow(folder);
    expect(Object.keys(before).filter((file) => after[file] !== before[file])).toEqual(['x/a/GET.json']);
    const [first, second] = JSON.parse(after['x/a/GET.json'] ?? '').exchanges;
    expect(first.response.body).toEqual({ json: { n: 2, token: '[redacted]', at: 1 } });
    expect(first.meta.recordedAt).toBe(JSON.parse(before['x/a/GET.json'] ?? '').exchanges[0].meta.recordedAt);
    expect(second).toEqual(JSON.parse(before['x/a/GET.json'] ?? '').exchanges[1]);
    const again = await verify(folder, target.url, flags, { updates: true });
    expect([again.code, again.found]).toEqual([0, []]);
    expect(filesBelow(folder)).toEqual(after);
  });

  it('all recorded answers like the nearest are replaced, and no other of that request', async () => {
    const folder = recorded(get('/a', { n: 1 }), get('/a', { x: 1, y: 2 }), get('/a', { n: 1 }));
    const target = await startLive({ '/a': { body: { n: 2 } } });
    const { report } = await verify(folder, target.url, {}, { updates: true });
    expect(report.remarks?.map(({ message }) => message)).toEqual([
      'wrote 2 answers to 1 file of the recording "x"',
      '1 request had several answers in the recording; the nearest of each was replaced, the others stay',
    ]);
    const { exchanges } = JSON.parse(filesBelow(folder)['x/a/GET.json'] ?? '');
    expect(exchanges.map((one: Exchange) => one.response?.body)).toEqual([
      { json: { n: 2 } },
      { json: { x: 1, y: 2 } },
      { json: { n: 2 } },
    ]);
    expect((await verify(folder, target.url)).found).toEqual([]);
  });

  it.each([401, 403, 429, 500, 503])('no answer is replaced by a %i', async (status) => {
    const folder = recorded(get('/a', { n: 1 }));
    const before = filesBelow(folder);
    const target = await startLive({ '/a': { status, body: {} } });
    const { code, found, report } = await verify(folder, target.url, {}, { updates: true });
    expect([code, found]).toEqual([1, ['error drift.status']]);
    expect(filesBelow(folder)).toEqual(before);
    const said = status < 404 ? ['the target refused 1 request with 401 or 403'] : undefined;
    expect(report.remarks?.map(({ message }) => message)).toEqual(said);
  });

  it('nothing is replaced where all that succeeded fails: that is another target', async () => {
    const folder = recorded(get('/a', { n: 1 }), get('/b', { n: 1 }), get('/c', {}, { status: 404 }));
    const before = filesBelow(folder);
    const target = await startLive({});
    expect(await laterRefusal('bad-usage', verify(folder, target.url, {}, { updates: true }))).toContain(
      'all 2 requests that succeeded when they were recorded fail today, or give no JSON any more; nothing was changed',
    );
    expect(filesBelow(folder)).toEqual(before);
    await verify(folder, target.url, {}, { updates: true, selection: { path: '/a' } });
    expect(filesBelow(folder)).not.toEqual(before);
  });

  it('nor where one page answers all that was JSON', async () => {
    const folder = recorded(get('/a', { n: 1 }), get('/b', { n: 1 }));
    const before = filesBelow(folder);
    const page = { headers: { 'content-type': 'text/html' }, body: '<h1>Log in</h1>' };
    const target = await startLive({ '/a': page, '/b': page });
    await laterRefusal('bad-usage', verify(folder, target.url, {}, { updates: true }));
    expect(filesBelow(folder)).toEqual(before);
  });

  it('a file that somebody has changed meanwhile stays', async () => {
    const folder = recorded(get('/a', { n: 1 }));
    const changed = join(folder, 'x/a/GET.json');
    const target = await startLive({
      '/a': {
        get body() {
          writeFileSync(changed, readFileSync(changed, 'utf8').replace('"n": 1', '"n": 3'));
          return { n: 2 };
        },
      },
    });
    expect(await laterRefusal('bad-recording', verify(folder, target.url, {}, { updates: true }))).toContain(
      'was changed while its requests were sent',
    );
    expect(readFileSync(changed, 'utf8')).toContain('"n": 3');
  });

  it('no report takes the place of what is read', async () => {
    const folder = recorded(get('/a', {}));
    const target = await startLive({});
    const outputs = [{ format: 'json' as const, file: 'x/a/GET.json' }];
    expect(await laterRefusal('bad-usage', verify(folder, target.url, {}, { outputs }))).toContain(
      'x/a/GET.json is read by this run',
    );
  });

  it('leaves a recording alone that somebody else records into, and says where a file is broken', async () => {
    const folder = recorded(get('/a', {}));
    const target = await startLive({ '/a': { body: {} } });
    const store = await openStore(folder, 'x', { writable: true });
    const said = await laterRefusal('recording-in-use', verify(folder, target.url, {}, { updates: true }));
    expect(said).toContain('is in use: this process has been writing to it since');
    expect(said).toContain('close it first, or verify without --update, which only reads');
    expect((await verify(folder, target.url)).code).toBe(0);
    await store.close();
    const file = join(folder, 'x/b/GET.json');
    mkdirSync(dirname(file));
    writeFileSync(file, '{');
    expect(await laterRefusal('bad-recording', verify(folder, target.url))).toContain('GET.json:1:2');
  });
});
