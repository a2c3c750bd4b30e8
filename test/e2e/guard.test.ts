/** The guard in front of a service that really deletes: what it has not announced must not be gone. */
import { readFileSync, writeFileSync } from 'node:fs';
import { type ClientRequest, request, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Config } from '../../src/settings/config.ts';
import { cleanUpLater } from '../support/clean-up.ts';
import { laterRefusal } from '../support/errors.ts';
import { type HeldTimers, holdTimers } from '../support/held-timers.ts';
import { startGate } from '../support/in-process.ts';
import { RawConnection, requestBytes } from '../support/raw.ts';
import { lossesIn, type Project, patch, project, type Service, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let service: Service;
let timers: HeldTimers;
beforeEach(async () => {
  service = await startService();
});

const start = (settings: Partial<Config> = {}) => startGate({ target: service.target.url, ...settings });
const approved = (approve: string | undefined) => ({ headers: { 'Patchgate-Approve': approve ?? '' } });

const BOTH = project('1 Production', '2 Staging');
const ONE = project('1 Production');
const TYPO = project('11 Production', '2 Staging');

describe('what is known', () => {
  it('is what an accepted PATCH has sent', async () => {
    const { url } = await start();
    expect((await patch(url, BOTH)).status).toBe(200);
    const blocked = await patch(url, ONE);
    expect(blocked.status).toBe(409);
    expect(blocked.headers.get('patchgate-blocked')).toBe('destructive-change');
    expect(blocked.json).toMatchObject({
      type: 'urn:patchgate:problem:destructive-change',
      effects: [{ kind: 'environment-deleted', id: 2, name: 'Staging' }],
      corrected: BOTH,
      findings: expect.arrayContaining([
        expect.objectContaining({ rule: 'project.environment-deleted', severity: 'error' }),
      ]),
    });
    expect(service.deleted).toEqual([]);
    expect((await patch(url, blocked.json.corrected)).status).toBe(200);
    expect(service.projects.get('42')).toEqual(BOTH);
  });

  it('is not what was blocked or refused', async () => {
    const { url } = await start();
    await patch(url, BOTH);
    await patch(url, { ...project('1 Production', '2 Staging', '3 QA'), languages: ['COBOL'] });
    service.next.push((_req, res) => res.writeHead(422).end('{}'));
    await patch(url, project('1 Production', '2 Staging', '4 QA'));
    expect((await patch(url, BOTH)).status).toBe(200);
  });

  it.each<[string, Service['next'][number]]>([
    ['a 5xx', (_req, res, apply) => [apply(), res.writeHead(503).end('{}')]],
    ['a reset', (req, _res, apply) => [apply(), req.socket.destroy()]],
    ['a timeout', (_req, _res, apply) => [apply(), timers.goOff()]],
  ])('is both states after %s', async (_, answer) => {
    timers = holdTimers(54_321);
    const { url } = await start({ timeout: 54_321 });
    await patch(url, BOTH);
    service.next.push(answer);
    expect((await patch(url, project('1 Production', '2 Staging', '3 QA'))).status).toBeGreaterThan(499);
    const blocked = await patch(url, ONE);
    expect(blocked.json.effects).toMatchObject([{ id: 2 }, { id: 3, name: 'QA' }]);
    expect(service.deleted).toEqual([]);
  });

  it('is what an answer shows, wrapped and compressed', async () => {
    const { url } = await start();
    const shown = { status: 'ok', _data: project('1 Production', '2 Staging', '7 Hidden') };
    service.answer = (res) =>
      res
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip, br' })
        .end(brotliCompressSync(gzipSync(JSON.stringify(shown))));
    await patch(url, BOTH);
    expect(lossesIn(await patch(url, BOTH))).toEqual(['environment-deleted 7']);
  });

  it('is what a GET shows, and nothing after a DELETE', async () => {
    const { url } = await start();
    service.projects.set('42', BOTH);
    const path = `${url}/api/v2/accounts/current/projects/42`;
    await (await fetch(path)).text();
    expect(lossesIn(await patch(url, ONE))).toEqual(['environment-deleted 2']);
    await fetch(path, { method: 'DELETE' });
    expect((await patch(url, ONE)).status).toBe(200);
  });

  it.each([
    ['current', '5'],
    ['5', 'current'],
  ])('under %s is held against a PATCH under %s', async (first, second) => {
    const { url } = await start();
    await patch(url, BOTH, { path: `${first}/projects/42` });
    expect(lossesIn(await patch(url, ONE, { path: `${second}/projects/42` }))).toEqual([
      'environment-deleted 2',
    ]);
    // The number of another account forgets nothing.
    expect((await patch(url, ONE, { path: '6/projects/42' })).status).toBe(409);
  });

  it('stays after a reset, whatever the session', async () => {
    const { url } = await start();
    await patch(url, BOTH, { headers: { 'Patchgate-Session': 'a' } });
    await fetch(`${url}/__patchgate/reset`, { method: 'POST' });
    expect((await patch(url, ONE, { headers: { 'Patchgate-Session': 'b' } })).status).toBe(409);
  });
});

describe('an approval', () => {
  it('lets the very request pass, once, and is told to nobody', async () => {
    const { url } = await start();
    await patch(url, BOTH);
    const { approve = '' } = (await patch(url, ONE)).json;
    const { status, headers } = await patch(url, ONE, approved(approve));
    expect(status).toBe(200);
    expect(headers.get('patchgate-findings')).toContain('"project.environment-deleted","severity":"warn"');
    expect(service.deleted).toEqual(['42: 2 Staging']);
    const sent = service.target.received.at(-1);
    expect(sent?.rawHeaders.filter((text) => /patchgate/i.test(text) || text === approve)).toEqual([]);
    const again = await patch(url, ONE, approved(approve));
    expect(again.status).toBe(409);
    expect(again.json.detail).toContain('used already');
    const shown = await (await fetch(`${url}/__patchgate/exchanges`)).text();
    expect(shown).toContain('"approve":"[redacted]"');
    expect(shown).toContain('"patchgate-approve":"[redacted]"');
    expect(shown).not.toContain(approve);
  });

  it('does not let pass what is wrong besides', async () => {
    const { url } = await start();
    await patch(url, BOTH);
    const bad = { ...ONE, languages: ['COBOL'] };
    const { status, json } = await patch(url, bad);
    expect([status, json.approve]).toEqual([422, undefined]);
    expect(json.findings.map(({ rule }) => rule)).toContain('project.environment-deleted');
  });

  it('is not asked for to leave a project empty', async () => {
    const { url } = await startReading();
    service.projects.set('42', project());
    expect((await patch(url, project())).status).toBe(200);
  });

  it('lets an empty list pass of which nothing is known', async () => {
    const { url } = await start();
    service.projects.set('42', BOTH);
    const { json } = await patch(url, project());
    expect(json.corrected).toBeUndefined();
    expect((await patch(url, project(), approved(json.approve))).status).toBe(200);
  });
});

describe('settings', () => {
  it('--no-guard only warns of what a GET has shown', async () => {
    const { url } = await start({ guard: 'off' });
    await patch(url, BOTH);
    await fetch(`${url}/api/v2/accounts/current/projects/42`);
    const { status, headers } = await patch(url, ONE);
    expect(status).toBe(200);
    expect(headers.get('patchgate-findings')).toContain('project.environment-deleted');
  });

  it('--guard=strict stops what nobody knows', async () => {
    const { url } = await start({ guard: 'strict' });
    const blocked = await patch(url, BOTH);
    expect(blocked.status).toBe(409);
    expect(blocked.json.findings).toMatchObject([{ rule: 'project.state-unknown', pointer: '' }]);
    expect((await patch(url, BOTH, approved(blocked.json.approve))).status).toBe(200);
    expect((await patch(url, BOTH)).status).toBe(200);
  });

  it.each(['warn', 'off'] as const)('--validation %s leaves the guard as it is', async (validation) => {
    const { url } = await start({ validation });
    await patch(url, { ...BOTH, languages: ['COBOL'] });
    expect((await patch(url, ONE)).status).toBe(409);
    expect((await patch(url, { name: 'Checkout' })).status).toBe(409);
    expect((await patch(url, TYPO)).json.findings.map(({ rule }) => rule)).toContain(
      'project.environment-replaced',
    );
    expect(service.deleted).toEqual([]);
  });
});

it.each(['X-HTTP-Method-Override', 'X-Method-Override', 'X-HTTP-Method', 'X-Original-URL', 'X-Rewrite-URL'])(
  'a DELETE that %s makes another request is no reason to forget',
  async (name) => {
    const { url } = await start();
    await patch(url, BOTH);
    service.next.push((_req, res) => res.writeHead(204).end());
    const headers = { [name]: name.endsWith('URL') ? '/health' : 'OPTIONS' };
    await fetch(`${url}/api/v2/accounts/current/projects/42`, { method: 'DELETE', headers });
    const answered = await patch(url, ONE);
    expect([answered.status, lossesIn(answered)]).toEqual([409, ['environment-deleted 2']]);
  },
);

describe('what is protected', () => {
  const [ALL, WITHOUT_PRODUCTION] = [
    project('1 Production', '2 Staging', '3 QA'),
    project('2 Staging', '3 QA'),
  ];
  const WITHOUT_STAGING = project('1 Production', '3 QA');
  beforeEach(() => void service.projects.set('42', ALL));

  it('gets no token, and none lets it go that was given for less', async () => {
    const { url } = await start({ protect: ['Prod*'], readState: true });
    const asked = await patch(url, WITHOUT_STAGING);
    const blocked = await patch(url, WITHOUT_PRODUCTION);
    expect([blocked.status, blocked.json.hint]).toEqual([409, 'send `corrected` to keep them']);
    expect(blocked.json).not.toHaveProperty('approve');
    expect((await patch(url, WITHOUT_PRODUCTION, approved(asked.json.approve))).status).toBe(409);
    expect(service.deleted).toEqual([]);
    expect((await patch(url, WITHOUT_STAGING, approved(asked.json.approve))).status).toBe(200);
    expect(service.deleted).toEqual(['42: 2 Staging']);
  });

  it('stays where nothing is known of the project, until it has been read', async () => {
    const { url } = await start({ protect: ['*'] });
    expect((await patch(url, ALL)).json).toMatchObject({
      status: 409,
      hint: 'no approval lets it pass',
      findings: [{ rule: 'project.state-unknown', severity: 'error' }],
    });
    await fetch(`${url}/api/v2/accounts/current/projects/42`);
    expect((await patch(url, ALL)).status).toBe(200);
  });

  it('needs the guard', async () => {
    const starting = start({ protect: ['Production'], guard: 'off' });
    expect(await laterRefusal('bad-usage', starting)).toContain('--no-guard');
  });
});

describe('PATCHes at the same moment', () => {
  const send = (port: number): ClientRequest => {
    const headers = { 'content-type': 'application/json' };
    const asked = request({ port, path: '/api/v2/accounts/current/projects/42', method: 'PATCH', headers });
    return asked
      .on('error', () => undefined)
      .end(JSON.stringify(project('1 Production', '2 Staging', '3 QA')));
  };
  const told = (url: string, text: string) =>
    expect.poll(async () => (await fetch(`${url}/__patchgate/exchanges`)).text()).toContain(text);
  /** Sends a PATCH that the service has, and does not take before it is told to. */
  const begin = async (port: number, isAnswering: boolean) => {
    const leaving = send(port);
    const take = await new Promise<() => void>((resolve) => {
      service.next.push((_req, res, apply) => {
        if (isAnswering) res.writeHead(200, { 'content-type': 'application/json' }).write(' ');
        resolve(() => {
          apply();
          if (isAnswering) res.end('{}');
          else service.answer(res, BOTH);
        });
      });
    });
    if (isAnswering) await new Promise((resolve) => leaving.once('response', resolve));
    return { take, leave: () => leaving.destroy() };
  };

  it.each([false, true])('wait for one whose client is gone (answer begun: %s)', async (isAnswering) => {
    const gate = await start();
    await patch(gate.url, BOTH);
    const { take, leave } = await begin(gate.port, isAnswering);
    leave();
    await told(gate.url, 'the client went away');
    const waiting = patch(gate.url, project('1 Production', '2 Staging', '3 QA', '4 Demo'));
    // It has come to the gate, and would have come to the service.
    await (await fetch(`${gate.url}/api/v2/accounts/current/projects/42`)).text();
    take();
    expect((await waiting).status).toBe(200);
    expect(service.deleted).toEqual([]);
    expect(service.projects.get('42')?.environments).toHaveLength(4);
  });
});

// What people do beside the gate, and what networks do to it.

const ALL = project('1 Production', '2 Staging', '5 QA');
const TWO = project('1 Production', '2 Staging');
const UNKNOWN = 'project.state-unknown';

/** Reads the project before each PATCH. */
async function startReading(settings: Parameters<typeof startGate>[0] = {}) {
  service.projects.set('42', TWO);
  const gate = await startGate({ target: service.target.url, readState: true, ...settings });
  return { gate, url: gate.url };
}

function rulesIn({ json, headers }: Awaited<ReturnType<typeof patch>>): string[] {
  const passed = headers.get('patchgate-findings');
  const findings = passed ? (JSON.parse(passed) as { rule: string }[]) : (json.findings ?? []);
  return findings.map(({ rule }) => rule);
}

const answers = (status: number, body: unknown) => (res: ServerResponse) =>
  res
    .writeHead(status, { 'content-type': 'application/json' })
    .end(typeof body === 'string' ? body : JSON.stringify(body));

it('names that are to be hidden stand in no log, audit, list or approval', async () => {
  const audit = join(temporaryFolder(), 'audit.ndjson');
  const { gate, url } = await startReading({ redact: ['name'], log: 'json', audit });
  await patch(url, project('1 Prod-renamed', '2 Staging'));
  expect(lossesIn(await patch(url, ONE))).toEqual(['environment-deleted 2']);
  const shown = ['exchanges', 'approvals'].map((path) => fetch(`${url}/__patchgate/${path}`));
  const texts = await Promise.all(shown.map(async (response) => (await response).text()));
  const all = [...texts, gate.log.join(''), readFileSync(audit, 'utf8')].join('');
  expect(all).toContain('environment 2 ([redacted])');
  expect(all).not.toMatch(/Prod-renamed|Staging/);
});

describe('somebody changes the project in another way', () => {
  it('an environment that was made meanwhile is announced, also where a PATCH has passed before', async () => {
    const { url } = await startReading();
    expect((await patch(url, TWO)).status).toBe(200);
    service.projects.set('42', ALL);
    const blocked = await patch(url, TWO);
    expect(blocked.status).toBe(409);
    expect(lossesIn(blocked)).toEqual(['environment-deleted 5']);
    expect(blocked.json.corrected?.environments).toContainEqual(ALL.environments[2]);
    expect(service.deleted).toEqual([]);
  });

  it('an approval for another environment does not take one along that was made meanwhile', async () => {
    const { url } = await startReading();
    const one = project('1 Production');
    const { approve = '' } = (await patch(url, one)).json;
    service.projects.set('42', ALL);
    const refused = await patch(url, one, { headers: { 'Patchgate-Approve': approve } });
    expect(refused.status).toBe(409);
    expect(lossesIn(refused).sort()).toEqual(['environment-deleted 2', 'environment-deleted 5']);
    expect(service.deleted).toEqual([]);
  });

  it.each([
    ['protect', ['Live'], 409, undefined],
    ['allowDelete', ['Scratch'], 200, '42: 2 Scratch'],
  ] as const)('--%s goes by the name of now', async (setting, names, status, deleted) => {
    const { url } = await startReading({ [setting]: names });
    await patch(url, TWO);
    service.projects.set('42', project('1 Live', setting === 'protect' ? '2 Live' : '2 Scratch'));
    const answer = await patch(url, project('1 Live'));
    expect(answer.status).toBe(status);
    expect(answer.json.approve).toBeUndefined();
    expect(service.deleted).toEqual(deleted ? [deleted] : []);
  });

  it('--allow-delete does not go by a name that an environment had', async () => {
    const { url } = await startReading({ allowDelete: ['Scratch'] });
    service.projects.set('42', project('1 Production', '2 Scratch'));
    await patch(url, project('1 Production', '2 Scratch'));
    service.projects.set('42', project('1 Production', '2 Customers'));
    expect((await patch(url, project('1 Production'))).status).toBe(409);
  });

  it('names are the same that look the same', async () => {
    const { url } = await startReading({ protect: ['Café  one'] });
    service.projects.set('42', project('1 Production', '2  Cafe\u0301 one '));
    const answer = await patch(url, project('1 Production'));
    expect([answer.status, answer.json.approve]).toEqual([409, undefined]);
  });
});

it('what one caller is shown does not count for another', async () => {
  const { url } = await startReading();
  service.projects.set('42', ALL);
  service.show = (req, res) => answers(200, req.headers.authorization === 'all' ? ALL : TWO)(res);
  await fetch(`${url}/api/v2/accounts/current/projects/42`, { headers: { authorization: 'part' } });
  await patch(url, TWO, { headers: { authorization: 'all' } });
  expect(service.deleted).toEqual([]);
  expect(lossesIn(await patch(url, TWO, { headers: { authorization: 'all' } }))).toEqual([
    'environment-deleted 5',
  ]);
});

describe('the gate reads by one GET before a PATCH of a project', () => {
  it('with the headers of the client, without what is about the PATCH alone', async () => {
    const { url } = await startReading();
    const headers = {
      Authorization: 'Bearer x',
      'X-Tenant': 'a',
      'If-Match': '"1"',
      Range: 'bytes=0-1',
      Prefer: 'return=minimal',
      'Idempotency-Key': 'k',
      'X-Idempotency-Key': 'k',
      'Patchgate-Approve': 'none',
      Accept: 'text/html',
    };
    await patch(url, TWO, { path: 'current/projects/42?x=1', headers });
    const [read, sent, ...others] = service.target.received;
    expect(others).toEqual([]);
    expect(read).toMatchObject({ method: 'GET', url: '/api/v2/accounts/current/projects/42' });
    expect(sent).toMatchObject({ method: 'PATCH', url: '/api/v2/accounts/current/projects/42?x=1' });
    expect(read?.headers).toMatchObject({
      authorization: 'Bearer x',
      'x-tenant': 'a',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'cache-control': 'no-cache',
    });
    const names = Object.keys(read?.headers ?? {}).join(' ');
    expect(names).not.toMatch(/if-match|range|prefer|idempotency|content-|patchgate/);
  });

  it.each([
    ['a body that is no JSON', '{', 0],
    ['a body that is no object', [], 0],
    ['a body that fails its schema', { name: 'x' }, 1],
  ])('%s costs the reads that help', async (_, body, reads) => {
    const { url } = await startReading();
    expect((await patch(url, body)).status).toBeGreaterThanOrEqual(400);
    expect(service.target.received.map(({ method }) => method)).toEqual(Array(reads).fill('GET'));
  });

  it('no other request costs one', async () => {
    const { url } = await startReading();
    service.next.push((_req, res) => answers(200, {})(res));
    await patch(url, { name: 'x' }, { path: 'current/features/7' });
    await fetch(`${url}/api/v2/accounts/current/projects/42`);
    await fetch(`${url}/api/v2/accounts/current/projects/42`, { method: 'DELETE' });
    expect(service.target.received.map(({ method }) => method)).toEqual(['PATCH', 'GET', 'DELETE']);
  });

  it('--no-read-state sends none', async () => {
    const { url } = await startReading({ readState: false });
    const answer = await patch(url, TWO);
    expect(rulesIn(answer)).toContain(UNKNOWN);
    expect(service.target.received.map(({ method }) => method)).toEqual(['PATCH']);
  });

  it.each([
    ['bare', (one: Project) => one],
    ['under one member', (one: Project) => ({ _data: one })],
    ['under three', (one: Project) => ({ a: { b: { c: one } }, meta: { total: 3, next: null } })],
  ])('a record %s is known', async (_, wrap) => {
    const { url } = await startReading();
    service.show = (_req, res) => answers(200, wrap(ALL))(res);
    expect(lossesIn(await patch(url, TWO))).toEqual(['environment-deleted 5']);
  });
});

describe('a read that fails stops the PATCH, with the reason and without a token', () => {
  const json = { 'content-type': 'application/json' };
  const showing = (headers: Record<string, string>) => (res: ServerResponse) =>
    res.writeHead(200, { ...json, ...headers }).end(JSON.stringify(TWO));
  const failing: [string, (res: ServerResponse) => void, string][] = [
    ['5xx', answers(503, {}), '503'],
    ['401', answers(401, {}), '401'],
    ['403', answers(403, {}), '403'],
    ['429', answers(429, {}), '429'],
    ['410', answers(410, {}), '410'],
    ['a redirect', (res) => res.writeHead(302, { location: '/login' }).end(), '302'],
    ['a login page', (res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<html>'), 'no JSON'],
    ['a reset', (res) => res.destroy(), 'closed the connection'],
    ['no answer', () => undefined, 'within 200 ms'],
    [
      'an answer that stops',
      (res) => res.writeHead(200, { ...json, 'content-length': '99' }).write('{'),
      'longer than 200 ms',
    ],
    ['a part', answers(206, TWO), '206'],
    ['a next page', showing({ link: '</x?page=2>; rel="next"' }), 'Link'],
    ['a cache', showing({ age: '60' }), 'Age'],
    ['a cache without an age', showing({ 'X-Cache-Status': 'HIT' }), 'x-cache-status'],
    ['pages', showing({ 'X-Total-Pages': '2' }), 'x-total-pages'],
    ['a page of several', showing({ 'X-Next-Page': '3' }), 'x-next-page'],
    ['a sign that there is more', showing({ 'X-Has-More': 'true' }), 'x-has-more'],
    ['a larger count', answers(200, { data: TWO, total: 3 }), 'more than it shows'],
    ['a larger count elsewhere', answers(200, { data: TWO, meta: { total: 3 } }), 'more than it shows'],
    ['a cursor', answers(200, { ...TWO, nextCursor: 'x' }), 'more than it shows'],
    ['a link of OData', answers(200, { ...TWO, '@odata.nextLink': '/x' }), 'more than it shows'],
    ['a sign that it ends later', answers(200, { data: TWO, done: false }), 'more than it shows'],
    ['a link', answers(200, { ...TWO, links: [{ rel: 'next', href: '/x' }] }), 'more than it shows'],
    [
      'a longer list beside it',
      answers(200, { name: 'x', _embedded: { environments: ALL.environments }, old: TWO }),
      'more than it shows',
    ],
    ...['nextPageToken', 'next_page_url', 'moreAvailable', 'isTruncated'].map((name): (typeof failing)[0] => [
      name,
      answers(200, { data: TWO, [name]: 'x' }),
      'more than it shows',
    ]),
    ['an error in a 200', answers(200, { error: 'no', data: TWO }), 'error'],
    ['another record', answers(200, { ...TWO, id: 43 }), 'project 43'],
    ['another shape', answers(200, { ok: true }), 'no whole project'],
    ['two records', answers(200, { before: TWO, after: TWO }), 'more than one'],
    ['two, one of them deeper', answers(200, { before: TWO, data: { after: TWO } }), 'more than one'],
    ['a former copy in a broken one', answers(200, { ...ALL, name: 1, old: TWO }), 'no whole project'],
    ['a list', answers(200, [TWO]), 'no whole project'],
    ['201 with a body', answers(201, TWO), '201'],
    [
      'an environment without a name',
      answers(200, { ...TWO, environments: [{ id: 1 }] }),
      'no whole project',
    ],
  ];
  it.each(failing)('%s', async (_, show, why) => {
    const { url, gate } = await startReading({ timeout: why.endsWith('200 ms') ? 200 : 20_000 });
    service.show = (_req, res) => show(res);
    const answer = await patch(url, TWO);
    expect(answer.status).toBe(409);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.json.findings).toMatchObject([{ rule: UNKNOWN, severity: 'error' }]);
    expect(answer.json.detail).toContain(why);
    expect([answer.json.approve, answer.json.corrected]).toEqual([undefined, undefined]);
    expect(service.target.received.filter(({ method }) => method === 'PATCH')).toEqual([]);
    expect([...gate.gate.exchanges.list()][0]).toMatchObject({ verdict: { outcome: 'block' } });
  });

  it('a target that nobody answers at is told as such', async () => {
    const { url } = await startReading();
    await service.target.close();
    expect((await patch(url, TWO)).status).toBe(502);
  });
});

describe('a service without such a GET', () => {
  const NONE: [string, (res: ServerResponse) => void][] = [
    ['404', answers(404, {})],
    ['405', answers(405, {})],
    ['501', answers(501, {})],
    ['204', (res) => res.writeHead(204).end()],
    ['an empty 200', (res) => res.writeHead(200).end()],
  ];
  it.each(NONE)(
    '%s: the first PATCH passes and says that it is unguarded, the second is judged by that',
    async (_, show) => {
      const audit = join(temporaryFolder(), 'audit.ndjson');
      const { url, gate } = await startReading({ audit, log: 'text' });
      service.show = (_req, res) => show(res);
      service.projects.set('42', ALL);
      const first = await patch(url, ALL);
      expect([first.status, rulesIn(first)]).toEqual([200, [UNKNOWN]]);
      expect([...gate.gate.exchanges.list()][0]).toMatchObject({ unguarded: true });
      expect(gate.log.join('')).toContain('UNGUARDED');
      expect(JSON.parse(readFileSync(audit, 'utf8'))).toMatchObject({ unguarded: true, verdict: 'pass' });
      expect(lossesIn(await patch(url, TWO))).toEqual(['environment-deleted 5']);
      const third = await patch(url, ALL);
      expect([third.status, rulesIn(third)]).toEqual([200, [UNKNOWN]]);
      expect([...gate.gate.exchanges.list()][0]?.unguarded).toBeUndefined();
    },
  );
});

it.each<[string, string, Record<string, string>?]>([
  ['PUT', '42'],
  ['DELETE', '42'],
  ['DELETE', '%34%32'],
  ['PUT', '42//'],
  ['DELETE', '42;v=1'],
  ['POST', '42?_method=DELETE'],
  ['POST', '42', { 'X-HTTP-Method-Override': 'PUT' }],
])('%s of project %s passes and says that it is unguarded', async (method, id, headers = {}) => {
  const { url, gate } = await startReading({ log: 'text' });
  service.show = (_req, res) => answers(200, {})(res);
  const response = await fetch(`${url}/api/v2/accounts/current/projects/${id}`, { method, headers });
  await response.text();
  expect(response.headers.get('patchgate-findings')).toContain(UNKNOWN);
  expect([...gate.gate.exchanges.list()][0]).toMatchObject({ unguarded: true });
  expect(gate.log.join('')).toContain('UNGUARDED');
});

it.each<[string, unknown]>([
  ['members of other meaning', { ...TWO, nextReview: '2027-01-01', count: 7, continuousDelivery: true }],
  ['the limits of a client', { data: TWO, meta: { rateLimit: { total: 500 } } }],
  ['other counts', { data: { ...TWO, landingPages: 3, allowPartial: 1 }, usage: { total: 9 } }],
  ['no languages', { ...TWO, languages: null, hasMore: 'false' }],
  ['a template beside it', { template: TWO, data: { project: { ...TWO, id: 42 } } }],
  ['an older copy deeper in it', { data: { ...TWO, id: 42 }, history: { before: { ...ALL, id: 42 } } }],
  ['a byte order mark', `\ufeff${JSON.stringify(TWO)}`],
])('an answer with %s shows the whole project', async (_, body) => {
  const { url } = await startReading();
  service.show = (_req, res) => answers(200, body)(res);
  expect((await patch(url, TWO)).status).toBe(200);
});

it('an answer that breaks off while a fault delays it ends its own request alone', async () => {
  const { url } = await startReading({ fault: ['PATCH latency=100ms'] });
  service.next.push((_req, res) => res.writeHead(200).write('{', () => res.destroy()));
  await expect(patch(url, TWO)).rejects.toThrow();
  expect((await patch(url, TWO)).status).toBe(200);
});

it('a client takes none of the headers away that the gate reads with', async () => {
  const { url } = await startReading();
  const connection = await RawConnection.open(Number(new URL(url).port));
  const path = '/api/v2/accounts/current/projects/42';
  const headers: [string, string][] = [
    ['Content-Type', 'application/json'],
    ['Connection', 'cache-control, keep-alive, x-hop'],
    ['X-Hop', '1'],
  ];
  connection.write(requestBytes({ method: 'PATCH', path, headers, body: JSON.stringify(TWO) }));
  expect((await connection.response()).status).toBe(200);
  connection.close();
  const [read] = service.target.received;
  expect(read?.headers).toMatchObject({ 'cache-control': 'no-cache' });
  expect(read?.headers).not.toHaveProperty('x-hop');
});

describe('a replica that lags', () => {
  /** Reads show the project as it was at first. */
  const lag = (shown: Project) => {
    service.show = (_req, res) => answers(200, shown)(res);
  };

  it.each([200, 202, 408, 425, 429, 500])(
    'an environment that a PATCH answered with %i has created is known for a minute',
    async (status) => {
      const { url } = await startReading();
      lag(TWO);
      service.next.push((_req, res, apply) => {
        apply();
        answers(status, {})(res);
      });
      await patch(url, ALL);
      const blocked = await patch(url, TWO);
      expect([blocked.status, lossesIn(blocked)]).toEqual([409, ['environment-deleted 5']]);
      expect(blocked.json.corrected?.environments.map(({ id }) => id)).toEqual([1, 2, 5]);
    },
  );

  it('an approved PATCH that leaves it out ends that', async () => {
    const { url } = await startReading();
    lag(TWO);
    await patch(url, ALL);
    const { approve = '' } = (await patch(url, TWO)).json;
    expect((await patch(url, TWO, { headers: { 'Patchgate-Approve': approve } })).status).toBe(200);
    expect((await patch(url, TWO)).status).toBe(200);
    expect(service.deleted).toEqual(['42: 5 QA']);
  });

  it('a creation that is sent again counts for a minute from then', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    cleanUpLater(() => vi.useRealTimers());
    const { url } = await startReading();
    lag(TWO);
    service.next.push((_req, res) => answers(500, {})(res));
    expect((await patch(url, ALL)).status).toBe(500);
    vi.setSystemTime(Date.now() + 55_000);
    expect((await patch(url, ALL)).status).toBe(200);
    vi.setSystemTime(Date.now() + 10_000);
    expect(lossesIn(await patch(url, TWO))).toEqual(['environment-deleted 5']);
  });

  it('one that the service gives another id goes by that', async () => {
    const { url } = await startReading();
    lag(TWO);
    service.next.push((_req, res) => answers(200, project('1 Production', '2 Staging', '700 QA'))(res));
    await patch(url, ALL);
    expect(lossesIn(await patch(url, TWO))).toEqual(['environment-deleted 700']);
  });

  it('one that was deleted and is created again is known, however far a read is behind', async () => {
    const { url } = await startReading();
    service.projects.set('42', ALL);
    lag(ALL);
    const { approve } = (await patch(url, TWO)).json;
    expect((await patch(url, TWO, approved(approve))).status).toBe(200);
    expect((await patch(url, ALL)).status).toBe(200);
    lag(TWO);
    expect(lossesIn(await patch(url, TWO))).toEqual(['environment-deleted 5']);
  });

  it('one that was renamed goes by both names', async () => {
    const { url } = await startReading({ allowDelete: ['preview-*'] });
    service.projects.set('42', project('1 Production', '2 preview-1'));
    lag(project('1 Production', '2 preview-1'));
    expect((await patch(url, project('1 Production', '2 Live'))).status).toBe(200);
    expect(lossesIn(await patch(url, ONE))).toEqual(['environment-deleted 2']);
    expect(service.deleted).toEqual([]);
  });

  it('one that is protected cannot be renamed and then deleted', async () => {
    const { url } = await startReading({ protect: ['Production'], allowDelete: ['old-*'] });
    service.projects.set('42', TWO);
    expect((await patch(url, project('1 old-1', '2 Test'))).status).toBe(200);
    const { status, json } = await patch(url, project('2 Test'));
    expect([status, json.approve]).toEqual([409, undefined]);
  });

  it('an approved PATCH that the service did not take ends nothing', async () => {
    const { url } = await startReading();
    lag(TWO);
    await patch(url, ALL);
    const { approve } = (await patch(url, TWO)).json;
    service.next.push((_req, res) => answers(200, { success: false })(res));
    expect((await patch(url, TWO, approved(approve))).status).toBe(200);
    expect(lossesIn(await patch(url, TWO))).toEqual(['environment-deleted 5']);
  });

  it('a DELETE by the number of another account ends nothing', async () => {
    const { url } = await startReading();
    lag(TWO);
    await patch(url, ALL, { path: '7/projects/42' });
    await fetch(`${url}/api/v2/accounts/8/projects/42`, { method: 'DELETE' });
    expect(lossesIn(await patch(url, TWO, { path: '7/projects/42' }))).toEqual(['environment-deleted 5']);
  });

  it('a gate that is gone has left word of what it was creating, and 10,000 others do not push that out', async () => {
    const state = join(temporaryFolder(), 'state.json');
    const { url } = await startReading({ state });
    lag(TWO);
    const isThere = new Promise<void>((resolve) =>
      service.next.push((_req, _res, apply) => {
        apply();
        resolve();
      }),
    );
    const lost = patch(url, ALL).catch(() => undefined);
    await isThere;
    // As a kill leaves it: the file is there before the PATCH is.
    const copy = join(temporaryFolder(), 'state.json');
    const { records, ...kept } = JSON.parse(readFileSync(state, 'utf8'));
    for (let id = 1000; id < 11_000; id++) records[`project ${id}`] = { account: 'current' };
    writeFileSync(copy, JSON.stringify({ ...kept, records }));
    const second = await startGate({ target: service.target.url, readState: true, state: copy });
    await fetch(`${second.url}/api/v2/accounts/current/projects/999`);
    expect(lossesIn(await patch(second.url, TWO))).toEqual(['environment-deleted 5']);
    service.target.server.closeAllConnections();
    await lost;
  });
});

it('PATCHes of one project wait for one another, so that none deletes what another has just added', async () => {
  const { url } = await startReading();
  const adding = [5, 6, 7, 8].map((id) => patch(url, project('1 Production', '2 Staging', `${id} E${id}`)));
  const results = await Promise.all(adding);
  expect(results.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  expect(service.deleted).toEqual([]);
});

it.each(['environments', 'id', '/environments/*/id'])(
  'what redaction hides (%s) is judged by all the same, as remembered and as created a moment ago',
  async (redact) => {
    const { url } = await startReading({ redact: [redact] });
    service.show = (_req, res) => answers(200, TWO)(res);
    await patch(url, ALL);
    expect((await patch(url, TWO)).status).toBe(409);
    service.show = (_req, res) => answers(404, {})(res);
    expect((await patch(url, project('1 Production', '5 QA'))).status).toBe(409);
    expect(service.deleted).toEqual([]);
  },
);

it('a PATCH by the number of another account makes nothing forgotten', async () => {
  const { url } = await startReading();
  const refuse = answers(404, {});
  service.show = (req, res) => (req.url?.includes('/999/') ? refuse : answers(200, TWO))(res);
  await patch(url, ALL, { path: '1/projects/42' });
  service.next.push((_req, res) => refuse(res));
  await patch(url, project('7 Other'), { path: '999/projects/42' });
  service.next.length = 0;
  expect(lossesIn(await patch(url, TWO, { path: '1/projects/42' }))).toEqual(['environment-deleted 5']);
});

describe('an answer to a body that fails its schema', () => {
  it('has the full body, where this request has read the project', async () => {
    const { url } = await startReading();
    service.projects.set('42', ALL);
    const { status, json } = await patch(url, { name: 'x' });
    expect([status, json.corrected]).toEqual([422, { ...ALL, name: 'x' }]);
    const partly = await patch(url, { ...ALL, environments: [{ id: 1 }, { id: '2', name: 'Test' }, 7] });
    expect(partly.json.corrected?.environments).toEqual([
      ALL.environments[0],
      { id: 2, name: 'Test', isEnabled: false },
      ALL.environments[2],
    ]);
  });

  it('has none from what is only remembered', async () => {
    const { url } = await startReading();
    await patch(url, TWO);
    service.show = (_req, res) => answers(404, {})(res);
    expect((await patch(url, { name: 'x' })).json).not.toHaveProperty('corrected');
  });
});

it('the 409 is for people: indented, the token and the corrected body first', async () => {
  const { url } = await startReading();
  const response = await fetch(`${url}/api/v2/accounts/current/projects/42`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(project('1 Production')),
  });
  const text = await response.text();
  expect(text).toMatch(/^\{\n {2}"type"/);
  const names = Object.keys(JSON.parse(text) as object);
  expect(names.indexOf('approve')).toBeLessThan(names.indexOf('corrected'));
  expect(names.indexOf('corrected')).toBeLessThan(names.indexOf('findings'));
});

it.each([
  ['replay', {}],
  ['proxy', { record: 'once' }],
] as const)('a recording has nothing to lose: %s %j', async (kind, settings) => {
  const recordings = join(temporaryFolder(), 'recordings');
  const recorder = await start({ record: 'all', recordings });
  expect((await patch(recorder.url, BOTH)).status).toBe(200);
  await recorder.gate.close();
  const target = service.target.url;
  const { url, gate } = await startGate({ guard: 'strict', recordings, target, ...settings }, kind);
  const { status, headers } = await patch(url, BOTH);
  expect([status, headers.get('patchgate-findings'), gate.guard]).toEqual([200, null, 'off']);
  expect(service.projects.get('42')).toEqual(BOTH);
});
