/** What may exist is announced, and only what the service has confirmed as gone is forgotten: on the built program. */

import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { startBinary } from '../support/binary.ts';
import { type Settings, startGate } from '../support/in-process.ts';
import { lossesIn, type Project, patch, project, type Service, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const THREE = project('1 Production', '2 Staging', '3 Development');
const TWO = project('1 Production', '2 Staging');
const PATH = '/api/v2/accounts/current/projects/42';
const AS_A = { authorization: 'Bearer a' };
const _AS_B = { authorization: 'Bearer b' };

let service: Service;
beforeEach(async () => {
  service = await startService();
  service.projects.set('42', THREE);
});

const start = async (settings: Settings = {}) =>
  (await startGate({ target: service.target.url, ...settings })).url;

const answer = (res: ServerResponse, body: unknown, headers: Record<string, string> = {}) =>
  res.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

async function ask(
  url: string,
  { path = PATH, method = 'GET', headers = AS_A as Record<string, string>, body = '' } = {},
) {
  const response = await fetch(url + path, { method, headers, ...(body !== '' && { body }) });
  await response.arrayBuffer();
  return response.status;
}

/** Approves of what a PATCH deletes. */
async function approve(url: string, body: unknown, sent: Record<string, string> = AS_A, query = '') {
  const path = `current/projects/42${query}`;
  const first = await patch(url, body, { path, headers: sent });
  expect(first.status).toBe(409);
  return patch(url, body, { path, headers: { ...sent, 'patchgate-approve': first.json.approve ?? '' } });
}

describe('an environment that an answer lacks is announced', () => {
  type Shows = (res: ServerResponse, shown: Project) => void;
  const _plain: Shows = (res) => answer(res, TWO);
  it('from a replica that is behind, though the gate reads the project itself', async () => {
    const url = await start({ readState: true, guard: 'strict' });
    await patch(url, THREE, { headers: AS_A });
    const four = project('1 Production', '2 Staging', '3 Development', '4 QA');
    expect((await patch(url, four, { headers: AS_A })).status).toBe(200);
    service.show = (_req, res) => answer(res, THREE);
    await ask(url);
    const blocked = await patch(url, THREE, { headers: AS_A });
    expect(lossesIn(blocked)).toEqual(['environment-deleted 4']);
    expect(blocked.json.corrected).toEqual(four);
    expect(service.deleted).toEqual([]);
  });

  const shownStill = JSON.stringify({ ...THREE, id: 42 });
  it.each([
    ['is a page of somebody before it', '<html>Sign in</html>'],
    ['is cut off', shownStill.slice(0, -3)],
    ['shows it still, after a mark of the byte order', `\uFEFF${shownStill}`],
    ['reports an error', '{"success":false}'],
    ['reports errors', '{"data":null,"errors":[{"message":"locked"}]}'],
  ])('an approved PATCH whose answer with 200 %s', async (_, text) => {
    const url = await start({ readState: false });
    await ask(url);
    service.next.push((_req, res) => res.writeHead(200).end(text));
    const { approve: token = '' } = (await patch(url, TWO, { headers: AS_A })).json;
    const headers = { ...AS_A, 'content-type': 'application/json', 'patchgate-approve': token };
    const request = { method: 'PATCH', headers, body: JSON.stringify(TWO) };
    expect(await ask(url, request)).toBe(200);
    expect(lossesIn(await patch(url, TWO, { headers: AS_A }))).toEqual(['environment-deleted 3']);
  });

  it('an approved PATCH whose answer shows it still', async () => {
    const url = await start({ readState: false });
    await ask(url);
    service.next.push((_req, res) => answer(res, { data: { attributes: THREE } }));
    expect((await approve(url, TWO)).status).toBe(200);
    expect(lossesIn(await patch(url, TWO, { headers: AS_A }))).toEqual(['environment-deleted 3']);
  });

  it('that a PATCH has created, and its answer does not show', async () => {
    const url = await start();
    service.answer = (res) => answer(res, TWO);
    await patch(url, THREE, { headers: AS_A });
    expect(lossesIn(await patch(url, TWO, { headers: AS_A }))).toEqual(['environment-deleted 3']);
  });
});

describe('an environment is known', () => {
  it.each([
    ['bare', (list: unknown) => list],
    ['wrapped', (list: unknown) => ({ _data: list, next: null })],
    ['wrapped twice', (list: unknown) => ({ data: { projects: list } })],
    ['beside a template', (list: unknown) => ({ items: list, template: project('1 Production') })],
    ['to SEARCH', (list: unknown) => list, 'SEARCH'],
  ])('from a list, %s', async (_, wrap, method = 'GET') => {
    const url = await start();
    service.show = (_req, res) =>
      answer(
        res,
        wrap([
          { id: 41, ...TWO },
          { id: 42, ...THREE },
        ]),
      );
    await ask(url, { path: '/api/v2/accounts/current/projects?limit=20', method });
    expect(lossesIn(await patch(url, TWO))).toEqual(['environment-deleted 3']);
    expect((await patch(url, TWO, { path: 'current/projects/41' })).status).toBe(200);
  });

  it.each<[string, string, (res: ServerResponse) => void]>([
    ['under two members', PATH, (res) => answer(res, { data: { id: '42', attributes: THREE } })],
    ['in a list', PATH, (res) => answer(res, [THREE])],
    ['with 206', PATH, (res) => res.writeHead(206).end(JSON.stringify(THREE))],
    ['with a mark of the byte order', PATH, (res) => res.end(`\uFEFF${JSON.stringify(THREE)}`)],
    [
      'below a base with a slash at its end',
      PATH.replace('/accounts', '//accounts'),
      (res) => answer(res, THREE),
    ],
  ])('from an answer that shows it %s', async (_, path, show) => {
    const url = await start();
    service.show = (_req, res) => show(res);
    await ask(url, { path });
    expect(lossesIn(await patch(url, TWO))).toEqual(['environment-deleted 3']);
  });

  it('whole from an answer that has numbers of other things', async () => {
    const url = await start({ readState: true, guard: 'strict' });
    service.show = (_req, res, shown) => answer(res, { ...shown, accountId: 887, goalCount: 17 });
    expect((await patch(url, THREE)).status).toBe(200);
  });

  it('from a creation', async () => {
    const url = await start();
    service.show = (_req, res) =>
      res.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ id: 42, ...THREE }));
    await ask(url, { path: '/api/v2/accounts/current/projects', method: 'POST', body: '{}' });
    expect(lossesIn(await patch(url, TWO))).toEqual(['environment-deleted 3']);
  });
});

describe('an environment is forgotten', () => {
  it('that an accepted PATCH has left out', async () => {
    const url = await start();
    await ask(url);
    expect((await approve(url, TWO)).status).toBe(200);
    expect((await patch(url, TWO, { headers: AS_A })).status).toBe(200);
    expect(service.deleted).toEqual(['42: 3 Development']);
  });

  it('with its project, not where the DELETE was only taken in', async () => {
    const url = await start({ readState: false });
    await ask(url);
    service.remove = (res) => res.writeHead(202).end();
    await ask(url, { method: 'DELETE' });
    expect(lossesIn(await patch(url, TWO))).toEqual(['environment-deleted 3']);
    service.remove = (res) => res.writeHead(204).end();
    await ask(url, { method: 'DELETE', path: `${PATH}?dryRun=true` });
    expect(lossesIn(await patch(url, TWO))).toEqual(['environment-deleted 3']);
    await ask(url, { method: 'DELETE' });
    expect((await patch(url, TWO)).status).toBe(200);
  });
});

describe('a project is named by its whole path', () => {
  it('so that what another one holds is not known of it', async () => {
    const { url } = await startBinary(['proxy', service.target.url, '--log', 'off']);
    const at = (base: string) => `${base}/accounts/current/projects/42`;
    const send = (base: string, body: unknown) =>
      fetch(url + at(base), {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    await ask(url, { path: at('/staging') });
    service.show = (_req, res) => answer(res, TWO);
    for (const base of ['/prod', '/staging/history/2024', '']) {
      await ask(url, { path: at(base) });
      expect((await send('/staging', TWO)).status).toBe(409);
      expect((await send(base, TWO)).status).toBe(200);
    }
  });

  it('also in the state file, and in that of a former version', async () => {
    const cwd = temporaryFolder();
    const file = join(cwd, 'state.json');
    const run = (base: string) =>
      startBinary(['proxy', service.target.url + base, '--log', 'off', '--state', file, '--no-read-state'], {
        cwd,
      });
    const old = {
      target: `${service.target.url}/staging`,
      accounts: { current: { projects: { 42: THREE } } },
    };
    writeFileSync(file, JSON.stringify(old));
    for (let i = 0; i < 2; i++) {
      const prod = await run('/prod');
      const one = project('1 Production');
      expect(
        (
          await fetch(`${prod.url}/accounts/current/projects/42`, {
            method: 'PATCH',
            body: JSON.stringify(one),
            headers: { 'content-type': 'application/json' },
          })
        ).status,
      ).toBe(200);
      await prod.stop();
      const staging = await run('/staging');
      const path = `${staging.url}/staging/accounts/current/projects/42`;
      const blocked = await fetch(path, {
        method: 'PATCH',
        body: JSON.stringify(TWO),
        headers: { 'content-type': 'application/json' },
      });
      expect(blocked.status).toBe(409);
      expect(((await blocked.json()) as { effects: unknown[] }).effects[0]).toMatchObject({
        id: 3,
        possibleSince: expect.any(String),
      });
      await staging.stop();
    }
  });
});

it('a state file of a former version holds for every path below its target', async () => {
  const cwd = temporaryFolder();
  const target = `${service.target.url}/api`;
  const file = join(cwd, 'state.json');
  writeFileSync(file, JSON.stringify({ target, accounts: { current: { projects: { 42: THREE } } } }));
  const { url } = await startBinary(['proxy', target, '--log', 'off', '--state', file], { cwd });
  expect(lossesIn(await patch(url, TWO))).toEqual(['environment-deleted 3']);
});

describe('--base-path', () => {
  it.each(['/api', '/', '/api/', '/api/v2', '/api/v2/accounts'])(
    '%s is a prefix by segments',
    async (base) => {
      const url = await start({ basePath: base });
      await ask(url);
      expect(lossesIn(await patch(url, TWO))).toEqual(['environment-deleted 3']);
      expect((await patch(url, { name: 'Checkout' })).status).toBe(422);
    },
  );

  it.each(['/api', '/api/v2', '/api/v2/accounts'])('%s holds beside a target with a path', async (base) => {
    const { url } = await startBinary([
      'proxy',
      `${service.target.url}/api/v2`,
      '--log',
      'off',
      '--base-path',
      base,
    ]);
    for (const path of ['/accounts/current/projects/42', PATH]) {
      const answered = await fetch(url + path, {
        method: 'PATCH',
        body: '{}',
        headers: { 'content-type': 'application/json' },
      });
      expect(answered.status).toBe(422);
    }
  });

  it.each(['//api/v2', '/api/../v2', '/api//v2', '/api;x', '/%61pi'])('%s stops the start', async (base) => {
    await expect(start({ basePath: base })).rejects.toMatchObject({
      hint: expect.stringContaining('a path in plain form'),
    });
  });

  it('that no request of the target is below stops the start', async () => {
    await expect(
      startBinary(['proxy', `${service.target.url}/api/v2`, '--base-path', '/v2']),
    ).rejects.toThrow('--base-path /v2 judges nothing');
  });

  it('that leaves out the first PATCH says so', async () => {
    const gate = await startBinary(['proxy', service.target.url, '--log', 'off', '--base-path', '/v2']);
    expect((await patch(gate.url, TWO)).status).toBe(200);
    await gate.said(/--base-path \/v2: the first PATCH of a record is not below it/, 'stderr');
  });
});
