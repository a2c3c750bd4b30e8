/** The guard in front of a service that really deletes: what it has not announced must not be gone. */
import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/settings/config.ts';
import { laterRefusal } from '../support/errors.ts';
import { type HeldTimers, holdTimers } from '../support/held-timers.ts';
import { startGate } from '../support/in-process.ts';
import { lossesIn, patch, project, type Service, startService } from '../support/service.ts';

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

  it.each([
    ['bare', (shown: unknown) => shown],
    ['wrapped', (shown: unknown) => ({ status: 'ok', _data: shown })],
  ])('is what an answer shows, %s', async (_, wrap) => {
    const { url } = await start();
    service.answer = (res) =>
      res
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(wrap(project('1 Production', '2 Staging', '7 Hidden'))));
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

  it('that nobody has given out is no matter where nothing is lost', async () => {
    const { url } = await start();
    expect((await patch(url, BOTH, approved('x'))).status).toBe(200);
    expect(service.target.received[0]?.headers['patchgate-approve']).toBeUndefined();
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
  const told = async (url: string, text: string) => {
    while (!(await (await fetch(`${url}/__patchgate/exchanges`)).text()).includes(text));
  };
  /** Sends a PATCH that the service has, and does not take before it is told to. */
  const begin = async (port: number) => {
    let leaving: ClientRequest | undefined;
    const take = await new Promise<() => void>((resolve) => {
      service.next.push((_req, res, apply) =>
        resolve(() => {
          apply();
          service.answer(res, BOTH);
        }),
      );
      leaving = send(port);
    });
    return { take, leave: () => leaving?.destroy() };
  };

  it('wait for one whose client is gone: the service may be at work on it', async () => {
    const gate = await start();
    await patch(gate.url, BOTH);
    const { take, leave } = await begin(gate.port);
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

  it('are over when their clients go away while they wait', async () => {
    const { url, port } = await start();
    await patch(url, BOTH);
    const { leave } = await begin(port);
    const waiting = send(port);
    await once(waiting, 'finish');
    await (await fetch(`${url}/api/v2/accounts/current/projects/42`)).text();
    waiting.destroy();
    await told(url, 'the client broke off');
    expect(service.target.received.filter(({ method }) => method === 'PATCH')).toHaveLength(2);
    leave();
  });
});
