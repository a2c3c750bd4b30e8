/** What people do beside the gate, and what networks do to it: no environment is lost unannounced. */
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startGate } from '../support/in-process.ts';
import { lossesIn, type Project, patch, project, type Service, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ALL = project('1 Production', '2 Staging', '5 QA');
const TWO = project('1 Production', '2 Staging');
const UNKNOWN = 'project.state-unknown';

async function start(settings: Parameters<typeof startGate>[0] = {}) {
  const service = await startService();
  service.projects.set('42', TWO);
  const gate = await startGate({ target: service.target.url, readState: true, ...settings });
  return { service, gate, url: gate.url };
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

describe('somebody changes the project in another way', () => {
  it('an environment that was made meanwhile is announced, also where a PATCH has passed before', async () => {
    const { service, url } = await start();
    expect((await patch(url, TWO)).status).toBe(200);
    service.projects.set('42', ALL);
    const blocked = await patch(url, TWO);
    expect(blocked.status).toBe(409);
    expect(lossesIn(blocked)).toEqual(['environment-deleted 5']);
    expect(blocked.json.corrected?.environments).toContainEqual(ALL.environments[2]);
    expect(service.deleted).toEqual([]);
  });

  it('an approval for another environment does not take one along that was made meanwhile', async () => {
    const { service, url } = await start();
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
    const { service, url } = await start({ [setting]: names });
    await patch(url, TWO);
    service.projects.set('42', project('1 Live', setting === 'protect' ? '2 Live' : '2 Scratch'));
    const answer = await patch(url, project('1 Live'));
    expect(answer.status).toBe(status);
    expect(answer.json.approve).toBeUndefined();
    expect(service.deleted).toEqual(deleted ? [deleted] : []);
  });

  it('--allow-delete does not go by a name that an environment had', async () => {
    const { service, url } = await start({ allowDelete: ['Scratch'] });
    service.projects.set('42', project('1 Production', '2 Scratch'));
    await patch(url, project('1 Production', '2 Scratch'));
    service.projects.set('42', project('1 Production', '2 Customers'));
    expect((await patch(url, project('1 Production'))).status).toBe(409);
  });

  it('names are the same that look the same', async () => {
    const { service, url } = await start({ protect: ['Café  one'] });
    service.projects.set('42', project('1 Production', '2  Cafe\u0301 one '));
    const answer = await patch(url, project('1 Production'));
    expect([answer.status, answer.json.approve]).toEqual([409, undefined]);
  });
});

it('what one caller is shown does not count for another', async () => {
  const { service, url } = await start();
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
    const { service, url } = await start();
    const headers = {
      Authorization: 'Bearer x',
      'X-Tenant': 'a',
      'If-Match': '"1"',
      Range: 'bytes=0-1',
      'Idempotency-Key': 'k',
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
    for (const name of [
      'if-match',
      'range',
      'idempotency-key',
      'content-type',
      'content-length',
      'patchgate-approve',
    ])
      expect(read?.headers).not.toHaveProperty(name);
  });

  it.each([
    ['a body that is no JSON', '{', 0],
    ['a body that is no object', [], 0],
    ['a body that fails its schema', { name: 'x' }, 1],
  ])('%s costs the reads that help', async (_, body, reads) => {
    const { service, url } = await start();
    expect((await patch(url, body)).status).toBeGreaterThanOrEqual(400);
    expect(service.target.received.map(({ method }) => method)).toEqual(Array(reads).fill('GET'));
  });

  it('no other request costs one', async () => {
    const { service, url } = await start();
    service.next.push((_req, res) => answers(200, {})(res));
    await patch(url, { name: 'x' }, { path: 'current/features/7' });
    await fetch(`${url}/api/v2/accounts/current/projects/42`);
    await fetch(`${url}/api/v2/accounts/current/projects/42`, { method: 'DELETE' });
    expect(service.target.received.map(({ method }) => method)).toEqual(['PATCH', 'GET', 'DELETE']);
  });

  it('--no-read-state sends none', async () => {
    const { service, url } = await start({ readState: false });
    const answer = await patch(url, TWO);
    expect(rulesIn(answer)).toContain(UNKNOWN);
    expect(service.target.received.map(({ method }) => method)).toEqual(['PATCH']);
  });

  it.each([
    ['bare', (one: Project) => one],
    ['under one member', (one: Project) => ({ _data: one })],
    ['under three', (one: Project) => ({ a: { b: { c: one } }, meta: { total: 3, next: null } })],
  ])('a record %s is known', async (_, wrap) => {
    const { service, url } = await start();
    service.show = (_req, res) => answers(200, wrap(ALL))(res);
    expect(lossesIn(await patch(url, TWO))).toEqual(['environment-deleted 5']);
  });
});

describe('a read that fails stops the PATCH, with the reason and without a token', () => {
  const json = { 'content-type': 'application/json' };
  const failing: [string, (res: ServerResponse) => void, string][] = [
    ['5xx', answers(503, {}), '503'],
    ['401', answers(401, {}), '401'],
    ['403', answers(403, {}), '403'],
    ['429', answers(429, {}), '429'],
    ['410', answers(410, {}), '410'],
    ['a redirect', (res) => res.writeHead(302, { location: '/login' }).end(), '302'],
    ['a login page', (res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<html>'), 'no JSON'],
    ['a reset', (res) => res.destroy(), 'without an answer'],
    ['no answer', () => undefined, 'within 200 ms'],
    [
      'an answer that stops',
      (res) => res.writeHead(200, { ...json, 'content-length': '99' }).write('{'),
      'longer than',
    ],
    ['a part', answers(206, TWO), '206'],
    [
      'a next page',
      (res) => res.writeHead(200, { ...json, link: '</x?page=2>; rel="next"' }).end(JSON.stringify(TWO)),
      'Link',
    ],
    ['a cache', (res) => res.writeHead(200, { ...json, age: '60' }).end(JSON.stringify(TWO)), 'Age'],
    ['a larger count', answers(200, { data: TWO, total: 3 }), 'more than it shows'],
    ['a cursor', answers(200, { ...TWO, nextCursor: 'x' }), 'more than it shows'],
    ['an error in a 200', answers(200, { error: 'no', data: TWO }), 'error'],
    ['another record', answers(200, { ...TWO, id: 43 }), 'project 43'],
    ['another shape', answers(200, { ok: true }), 'no whole project'],
    ['two records', answers(200, { before: TWO, after: TWO }), 'more than one'],
    ['a list', answers(200, [TWO]), 'no whole project'],
    ['201 with a body', answers(201, TWO), '201'],
    [
      'an environment without a name',
      answers(200, { ...TWO, environments: [{ id: 1 }] }),
      'no whole project',
    ],
  ];
  it.each(failing)('%s', async (_, show, why) => {
    const { service, url, gate } = await start({ timeout: why.endsWith('200 ms') ? 200 : 20_000 });
    service.show = (_req, res) => show(res);
    const answer = await patch(url, TWO);
    expect(answer.status).toBe(409);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.json.findings).toMatchObject([{ rule: UNKNOWN, severity: 'error' }]);
    expect(answer.json.detail).toContain(why);
    expect([answer.json.approve, answer.json.corrected]).toEqual([undefined, undefined]);
    expect(service.target.received.filter(({ method }) => method === 'PATCH')).toEqual([]);
    expect([...gate.gate.exchanges()][0]).toMatchObject({ verdict: { outcome: 'block' } });
  });

  it('a target that nobody answers at is told as such', async () => {
    const { service, url } = await start();
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
      const { service, url, gate } = await start({ audit, log: 'text' });
      service.show = (_req, res) => show(res);
      service.projects.set('42', ALL);
      const first = await patch(url, ALL);
      expect([first.status, rulesIn(first)]).toEqual([200, [UNKNOWN]]);
      expect([...gate.gate.exchanges()][0]).toMatchObject({ unguarded: true });
      expect(gate.log.join('')).toContain('UNGUARDED');
      expect(JSON.parse(readFileSync(audit, 'utf8'))).toMatchObject({ unguarded: true, verdict: 'pass' });
      expect(lossesIn(await patch(url, TWO))).toEqual(['environment-deleted 5']);
      const third = await patch(url, ALL);
      expect([third.status, rulesIn(third)]).toEqual([200, [UNKNOWN]]);
      expect([...gate.gate.exchanges()][0]).not.toHaveProperty('unguarded');
    },
  );
});

it.each([
  ['PUT', '42'],
  ['DELETE', '42'],
  ['DELETE', '%34%32'],
  ['PUT', '42//'],
  ['DELETE', '42;v=1'],
])('%s of project %s passes and says that it is unguarded', async (method, id) => {
  const { service, url, gate } = await start({ log: 'text' });
  service.show = (_req, res) => answers(200, {})(res);
  const response = await fetch(`${url}/api/v2/accounts/current/projects/${id}`, { method });
  await response.text();
  expect(response.headers.get('patchgate-findings')).toContain(UNKNOWN);
  expect([...gate.gate.exchanges()][0]).toMatchObject({ unguarded: true });
  expect(gate.log.join('')).toContain('UNGUARDED');
});

describe('a replica that lags', () => {
  /** Reads show the project as it was at first. */
  const lag = (service: Service, shown: Project) => {
    service.show = (_req, res) => answers(200, shown)(res);
  };

  it.each([
    ['200', 200],
    ['202', 202],
    ['408', 408],
    ['425', 425],
    ['429', 429],
    ['500', 500],
  ])('an environment that a PATCH answered with %s has created is known for a minute', async (_, status) => {
    const { service, url } = await start();
    lag(service, TWO);
    service.next.push((_req, res, apply) => {
      apply();
      answers(status, {})(res);
    });
    await patch(url, ALL);
    const blocked = await patch(url, TWO);
    expect([blocked.status, lossesIn(blocked)]).toEqual([409, ['environment-deleted 5']]);
    expect(blocked.json.corrected?.environments.map(({ id }) => id)).toEqual([1, 2, 5]);
  });

  it('no answer: the same', async () => {
    const { service, url } = await start();
    lag(service, TWO);
    service.next.push((_req, res, apply) => {
      apply();
      res.destroy();
    });
    await patch(url, ALL);
    expect(lossesIn(await patch(url, TWO))).toEqual(['environment-deleted 5']);
  });

  it.each([400, 404, 422])('a PATCH that was refused with %i has created nothing', async (status) => {
    const { service, url } = await start();
    service.next.push((_req, res) => answers(status, {})(res));
    await patch(url, ALL);
    expect((await patch(url, TWO)).status).toBe(200);
  });

  it('an approved PATCH that leaves it out ends that', async () => {
    const { service, url } = await start();
    lag(service, TWO);
    await patch(url, ALL);
    const { approve = '' } = (await patch(url, TWO)).json;
    expect((await patch(url, TWO, { headers: { 'Patchgate-Approve': approve } })).status).toBe(200);
    expect((await patch(url, TWO)).status).toBe(200);
    expect(service.deleted).toEqual(['42: 5 QA']);
  });

  it('a gate that is gone has left word of what it was creating', async () => {
    const state = join(temporaryFolder(), 'state.json');
    const { service, url } = await start({ state });
    lag(service, TWO);
    let arrived = () => {};
    const isThere = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    service.next.push((_req, _res, apply) => {
      apply();
      arrived();
    });
    const lost = patch(url, ALL).catch(() => undefined);
    await isThere;
    // As a kill leaves it: the file is there before the PATCH is.
    const copy = join(temporaryFolder(), 'state.json');
    const { writeFileSync } = await import('node:fs');
    writeFileSync(copy, readFileSync(state));
    const second = await startGate({ target: service.target.url, readState: true, state: copy });
    expect(lossesIn(await patch(second.url, TWO))).toEqual(['environment-deleted 5']);
    service.target.server.closeAllConnections();
    await lost;
  });
});

it('PATCHes of one project wait for one another, so that none deletes what another has just added', async () => {
  const { service, url } = await start();
  const adding = [5, 6, 7, 8].map((id) => patch(url, project('1 Production', '2 Staging', `${id} E${id}`)));
  const results = await Promise.all(adding);
  expect(results.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  expect(service.deleted).toEqual([]);
});

it.each(['environments', 'id', '/environments/*/id'])(
  'what redaction hides (%s) is judged by all the same, as remembered and as created a moment ago',
  async (redact) => {
    const { service, url } = await start({ redact: [redact] });
    service.show = (_req, res) => answers(200, TWO)(res);
    await patch(url, ALL);
    expect((await patch(url, TWO)).status).toBe(409);
    service.show = (_req, res) => answers(404, {})(res);
    expect((await patch(url, project('1 Production', '5 QA'))).status).toBe(409);
    expect(service.deleted).toEqual([]);
  },
);

it('a PATCH by the number of another account makes nothing forgotten', async () => {
  const { service, url } = await start();
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
    const { service, url } = await start();
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
    const { service, url } = await start();
    await patch(url, TWO);
    service.show = (_req, res) => answers(404, {})(res);
    expect((await patch(url, { name: 'x' })).json).not.toHaveProperty('corrected');
  });
});

describe('approvals', () => {
  it('a record that changed ends its pending approvals at once', async () => {
    const { url } = await start();
    const { approval } = (await patch(url, project('1 Production'))).json;
    await patch(url, ALL);
    const shown = await fetch(`${url}/__patchgate/approvals/${approval}`);
    expect(await shown.json()).toMatchObject({
      status: 'expired',
      reason: expect.stringContaining('changed'),
    });
  });

  it('the 409 is for people: indented, the token and the corrected body first', async () => {
    const { url } = await start();
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
});
