/** Approvals in front of a service that really deletes: who says yes, and what a restart knows. */
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Approval } from '../../src/model/approval.ts';
import { type Running, startBinary } from '../support/binary.ts';
import { fileOf, makeCertificate } from '../support/certificates.ts';
import { type InProcess, type Settings, startGate } from '../support/in-process.ts';
import { runHere } from '../support/run-here.ts';
import { patch, project, type Service, startService } from '../support/service.ts';
import { freePort, startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let service: Service;
beforeEach(async () => {
  service = await startService();
});

const BOTH = project('1 Production', '2 Staging');
const ONE = project('1 Production');
const APPROVERS = ['anna=t0ken-of-anna', 'ben=t0ken-of-ben'];
const ANNA = { Authorization: 'Bearer t0ken-of-anna' };
const BEN = { Authorization: 'Bearer t0ken-of-ben' };

const start = (settings: Settings = {}) => startGate({ target: service.target.url, ...settings });
const withToken = (approve: string | undefined) => ({ headers: { 'Patchgate-Approve': approve ?? '' } });

interface Answer<T> {
  status: number;
  json: T;
}

async function control<T>(gate: { url: string }, path: string, init: RequestInit = {}): Promise<Answer<T>> {
  const response = await fetch(`${gate.url}/__patchgate/${path}`, init);
  return { status: response.status, json: (await response.json()) as T };
}

const list = async (gate: InProcess) =>
  (await control<{ approvals: Approval[]; approvers: boolean }>(gate, 'approvals')).json.approvals;
const one = async (gate: { url: string }, id: string | undefined) =>
  (await control<Approval>(gate, `approvals/${id}`)).json;
const decide = (
  gate: { url: string },
  id: string | undefined,
  decision: object | string,
  headers: Record<string, string> = {},
) =>
  control<Approval & { type?: string; detail?: string }>(gate, `approvals/${id}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(typeof decision === 'string' ? { decision } : decision),
  });

async function blocked(gate: InProcess, body: object = ONE, more: Parameters<typeof patch>[2] = {}) {
  const answered = await patch(gate.url, body, more);
  expect(answered.status).toBe(409);
  return answered.json;
}

describe('the resource', () => {
  it('shows what a 409 asks for, and what became of it', async () => {
    const gate = await start();
    await patch(gate.url, BOTH);
    const { approve, approval } = await blocked(gate, ONE, {
      path: 'current/projects/42?token=s3cret',
      headers: { 'Patchgate-Session': 'nightly' },
    });
    const { status, json } = await control(gate, 'approvals');
    expect([status, json]).toEqual([
      200,
      {
        approvers: false,
        approvals: [
          {
            id: approval,
            status: 'pending',
            requestedAt: expect.stringMatching(/Z$/),
            expiresAt: expect.stringMatching(/Z$/),
            method: 'PATCH',
            url: '/api/v2/accounts/current/projects/42?token=[redacted]',
            operation: 'updateProject',
            record: { account: 'current', kind: 'project', id: '42' },
            client: '127.0.0.1',
            session: 'nightly',
            effects: [{ kind: 'environment-deleted', id: 2, name: 'Staging' }],
            exchange: 2,
          },
        ],
      },
    ]);
    const { requestedAt, expiresAt, ...shown } = await one(gate, approval);
    expect(Date.parse(expiresAt) - Date.parse(requestedAt)).toBe(600_000);
    expect((await control(gate, 'exchanges/2')).json).toMatchObject({
      id: shown.exchange,
      verdict: { outcome: 'block' },
    });
    await patch(gate.url, ONE, {
      path: 'current/projects/42?token=s3cret',
      headers: { 'Patchgate-Session': 'nightly', 'Patchgate-Approve': approve as string },
    });
    expect(await one(gate, approval)).toMatchObject({ status: 'used' });
    expect(JSON.stringify(await list(gate))).not.toContain(approve);
  });

  it('makes none for a PATCH that loses nothing, whatever its token', async () => {
    const gate = await start();
    await patch(gate.url, BOTH);
    const { approve } = await blocked(gate);
    expect((await patch(gate.url, ONE, withToken(approve))).status).toBe(200);
    const again = await blocked(gate, ONE, withToken(approve));
    expect(again.approve).toBeUndefined();
    expect(JSON.stringify(again)).toContain('send it without the header');
    expect(JSON.stringify(again)).not.toContain('send the same request again');
    expect(await list(gate)).toMatchObject([{ status: 'used' }]);
  });

  it('refuses what is no decision', async () => {
    const gate = await start();
    await patch(gate.url, BOTH);
    const { approval } = await blocked(gate);
    const long = { decision: 'decline', reason: 'x'.repeat(501) };
    for (const odd of [
      'yes',
      [],
      { decision: 'decline', reason: 1 },
      long,
      { decision: 'decline', by: 'ben' },
    ])
      expect((await decide(gate, approval, odd)).status).toBe(400);
    expect((await decide(gate, 'x', 'approve')).status).toBe(404);
    expect((await control(gate, 'approvals/x')).status).toBe(404);
    expect((await one(gate, approval)).status).toBe('pending');
    for (const query of ['limit=x', 'status=held', 'other=1'])
      expect((await control(gate, `approvals?${query}`)).status).toBe(400);
  });

  it('tells of each in the stream of events', async () => {
    const gate = await start();
    await patch(gate.url, BOTH);
    const events = await fetch(`${gate.url}/__patchgate/events`);
    const { approve, approval } = await blocked(gate);
    await decide(gate, approval, { decision: 'approve', reason: 'agreed' });
    await patch(gate.url, ONE, withToken(approve));
    let text = '';
    const told = () =>
      [...text.matchAll(/event: approval\ndata: (.*)\n\n/g)].map(([, data]) => JSON.parse(data as string));
    for await (const chunk of events.body as ReadableStream<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      if (told().length === 3) break;
    }
    expect(told()).toMatchObject([
      { id: approval, status: 'pending' },
      { id: approval, status: 'approved', reason: 'agreed' },
      { id: approval, status: 'used' },
    ]);
  });
});

describe('a PATCH that deletes very much', () => {
  const many = (count: number) =>
    project('1 Production', ...Array.from({ length: count }, (_, i) => `${i + 2} ${'e'.repeat(250)}${i}`));

  it('is asked for with every environment that it deletes, and leaves out only what is not lost', async () => {
    const audit = join(temporaryFolder(), 'audit.jsonl');
    const gate = await start({ audit });
    await patch(gate.url, many(150));
    const { approve, approval, effects } = await blocked(gate, { ...ONE, name: 'Other' });
    expect(effects).toHaveLength(100);
    const shown = await one(gate, approval);
    expect(shown.effects.map((effect) => ('id' in effect ? effect.id : effect.kind))).toEqual(
      Array.from({ length: 150 }, (_, i) => i + 2),
    );
    expect(shown.effects[0]).toMatchObject({ name: `${'e'.repeat(200)}…` });
    expect(shown.effectsOmitted).toBe(1);
    await decide(gate, approval, 'approve');
    await patch(gate.url, { ...ONE, name: 'Other' }, withToken(approve));
    const [, ...lines] = readFileSync(audit, 'utf8').trimEnd().split('\n');
    const named = lines
      .map((line) => JSON.parse(line))
      .map((line) => [line.effects.length, line.effectsOmitted]);
    expect(named).toEqual([
      [150, 1],
      [150, 1],
      [150, 1],
    ]);
  });

  it('has no approval where that could not name all of them', async () => {
    const gate = await start();
    await patch(gate.url, many(1001));
    const { approve, approval, hint } = await blocked(gate);
    expect([approve, approval]).toEqual([undefined, undefined]);
    expect(hint).toBe('send `corrected` to keep them');
    expect(await list(gate)).toEqual([]);
  });
});

describe('without approvers', () => {
  it('a token works at once, and a decline voids it', async () => {
    const gate = await start();
    await patch(gate.url, BOTH);
    const first = await blocked(gate);
    expect(first.hint).toMatch(/, or send the same request again with `Patchgate-Approve: <token>`$/);
    const declined = await decide(gate, first.approval, {
      decision: 'decline',
      reason: 'not today, password=hunter2',
    });
    expect(declined.json).toMatchObject({ status: 'declined', reason: 'not today, password=[redacted]' });
    const refused = await blocked(gate, ONE, withToken(first.approve));
    expect(refused.detail).toContain(`the approval ${first.approval} was declined: not today`);
    expect(refused.approve).toBeUndefined();
    expect(service.deleted).toEqual([]);
    const second = await blocked(gate);
    expect((await patch(gate.url, ONE, withToken(second.approve))).status).toBe(200);
  });
});

describe('with approvers', () => {
  const settings = { approvers: APPROVERS };

  it('a token works only after one of them has approved it', async () => {
    const gate = await start(settings);
    await patch(gate.url, BOTH);
    const { approve, approval, hint } = await blocked(gate);
    expect(hint).toContain(`have an approver approve ${approval}, then send the same request again`);
    const early = await blocked(gate, ONE, withToken(approve));
    expect(early).toMatchObject({ approve, approval });
    expect(early.detail).toContain(`no approver has approved ${approval} yet`);
    for (const headers of [{}, { Authorization: 'Bearer other' }]) {
      const refused = await decide(gate, approval, 'approve', headers);
      expect([refused.status, refused.json.type]).toEqual([403, 'urn:patchgate:problem:not-allowed']);
    }
    expect((await blocked(gate, ONE, withToken(approve))).approval).toBe(approval);
    const { json } = await decide(gate, approval, 'approve', BEN);
    expect(json).toMatchObject({ id: approval, status: 'approved', decidedBy: 'ben' });
    expect((await decide(gate, approval, 'approve', BEN)).status).toBe(200);
    expect((await decide(gate, approval, 'approve', ANNA)).status).toBe(409);
    expect((await patch(gate.url, ONE, withToken(approve))).status).toBe(200);
    expect((await blocked(gate, project(), withToken(approve))).detail).toContain('another body');
    expect(service.deleted).toEqual(['42: 2 Staging']);
    expect((await control(gate, 'approvals')).json).toMatchObject({ approvers: true });
  });

  it('their tokens are as good as the control token', async () => {
    const gate = await start({ ...settings, controlToken: 'c0ntrol' });
    const ask = (headers: Record<string, string>) => control(gate, 'approvals', { headers });
    const page = { Origin: 'http://page.test', ...ANNA };
    expect([(await ask({})).status, (await ask(ANNA)).status, (await ask(page)).status]).toEqual([
      401, 200, 200,
    ]);
    await patch(gate.url, BOTH);
    const { approval } = await blocked(gate);
    expect((await decide(gate, approval, 'approve', { Authorization: 'Bearer c0ntrol' })).status).toBe(403);
  });
});

describe('after a restart', () => {
  /** Another gate by the files as they are now: those of a process that was killed, or that has ended. */
  async function restarted(gate: InProcess, state: string, how: string, more: Settings): Promise<InProcess> {
    if (how === 'a stop') {
      await gate.gate.close();
      expect(readdirSync(dirname(state)).sort()).toEqual(['.gitignore', 'state.json']);
      return start({ state, ...more });
    }
    const copy = join(temporaryFolder(), '.patchgate', 'state.json');
    cpSync(dirname(state), dirname(copy), { recursive: true });
    rmSync(`${copy}.lock`, { force: true });
    return start({ state: copy, ...more });
  }
  const newFile = () => join(temporaryFolder(), '.patchgate', 'state.json');

  it.each([
    ['a pending one waits on', 'a stop', undefined, 'no approver has approved'],
    ['an approved one passes', 'a stop', 'approve', undefined],
    ['an approved one passes', 'a kill', 'approve', undefined],
    ['a declined one never passes', 'a kill', 'decline', 'was declined by anna'],
    ['a used one is used', 'a kill', 'use', 'was used already'],
  ])('%s after %s', async (_, how, act, refused) => {
    const state = newFile();
    const gate = await start({ state, approvers: APPROVERS });
    await patch(gate.url, BOTH);
    const { approve = '', approval = '' } = await blocked(gate);
    if (act) await decide(gate, approval, act === 'use' ? 'approve' : act, ANNA);
    service.next.push((_req, res) => res.writeHead(422).end('{}'));
    if (act === 'use') await patch(gate.url, ONE, withToken(approve));
    else service.next.pop();
    const { exchange: _exchange, ...before } = await one(gate, approval);
    expect(readFileSync(state, 'utf8')).not.toContain(approve);
    const next = await restarted(gate, state, how, { approvers: APPROVERS });
    expect(await one(next, approval)).toEqual(before);
    const answered = await patch(next.url, ONE, withToken(approve));
    if (refused === undefined) expect(answered.status).toBe(200);
    else expect([answered.status, answered.json.detail]).toEqual([409, expect.stringContaining(refused)]);
    expect(service.deleted).toEqual(refused === undefined ? ['42: 2 Staging'] : []);
  });

  it('the state is what it was: with a redacted name, a doubtful environment, and in a session', async () => {
    const state = newFile();
    const gate = await start({ state });
    const secret = '2 sk_live_4eC39HqLyjWDarjtT1zdp7dc';
    const headers = { 'Patchgate-Session': 'nightly' };
    // Another session is begun first, so that the number of this one is another after the restart.
    await patch(gate.url, project('1 Production', secret), { headers: { 'Patchgate-Session': 'first' } });
    service.next.push((_req, res) => res.writeHead(503).end('{}'));
    await patch(gate.url, project('1 Production', secret, '4 New'), { headers });
    const { approve = '', approval } = await blocked(gate, ONE, { headers });
    const next = await restarted(gate, state, 'a kill', {});
    expect((await one(next, approval)).effects).toContainEqual({
      ...{ kind: 'environment-deleted', id: 2, name: '[redacted]' },
    });
    expect(readFileSync(state, 'utf8')).not.toContain('sk_live');
    const again = await patch(next.url, ONE, { headers: { ...headers, 'Patchgate-Approve': approve } });
    expect(again.status).toBe(200);
  });
});

it('two people, and a gate that is killed between them, and again once the token is on its way', {
  tags: 'slow',
}, async () => {
  const cwd = temporaryFolder();
  const args = ['proxy', service.target.url, '--approvers', APPROVERS.join()];
  const run = () => startBinary(args, { cwd });
  const first = await run();
  await patch(first.url, BOTH);
  const { approve, approval } = (await patch(first.url, ONE)).json;
  await first.stop('SIGKILL');

  const second = await run();
  expect((await decide(second, approval, 'approve', ANNA)).status).toBe(200);
  const reached = new Promise<void>((resolve) => service.next.push(() => resolve()));
  const cut = expect(patch(second.url, ONE, withToken(approve))).rejects.toThrow();
  await reached;
  await second.stop('SIGKILL');
  await cut;

  const third = await run();
  expect(await one(third, approval)).toMatchObject({ status: 'used', decidedBy: 'anna' });
  const { status, json } = await patch(third.url, ONE, withToken(approve));
  expect([status, json.detail]).toEqual([409, expect.stringContaining('was used already')]);
  expect(service.deleted).toEqual([]);
  expect((await third.stop('SIGTERM')).code).toBe(0);
});

it('the audit names the approval that was asked for, decided and used', async () => {
  const audit = join(temporaryFolder(), 'audit.jsonl');
  const gate = await start({ audit, approvers: APPROVERS });
  await patch(gate.url, BOTH);
  const { approve, approval } = await blocked(gate);
  await decide(gate, approval, { decision: 'approve', reason: 'agreed' }, ANNA);
  await decide(gate, approval, { decision: 'approve', reason: 'agreed' }, ANNA);
  await patch(gate.url, ONE, withToken(approve));
  const lines = readFileSync(audit, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const decided = { event: 'decision', approval, decision: 'approve', by: 'anna', reason: 'agreed' };
  expect(lines).toMatchObject([
    { verdict: 'pass', unguarded: true },
    { verdict: 'block', approved: false, approval },
    { ...decided, operation: 'updateProject', effects: [{ kind: 'environment-deleted', id: 2 }] },
    { verdict: 'pass', approved: true, approval },
  ]);
});

// From the terminal.

const REQUEST = 'PATCH /api/v2/accounts/current/projects/42';
const LOST = '    - environment 2 "Staging" will be deleted permanently\n';
const TOKEN = 't0ken-of-anna';

async function startProgram(env: Record<string, string>) {
  const gate = await startBinary(['proxy', service.target.url, '--no-state'], { env });
  await patch(gate.url, BOTH);
  return gate;
}

/** As somebody types it who has that token. */
const type = ({ url }: Pick<Running, 'url'>, words: string, token?: string) =>
  runHere([...words.split(' '), '--gate', url], {
    env: token === undefined ? {} : { PATCHGATE_CONTROL_TOKEN: token },
  });

const send = ({ url }: { url: string }, approve?: string) =>
  patch(url, ONE, approve === undefined ? {} : withToken(approve));

it('one asks, another one approves, and the token works', async () => {
  const gate = await startProgram({ ANNA: TOKEN, PATCHGATE_APPROVERS: 'anna=env:ANNA' });
  expect((await type(gate, 'approvals list', TOKEN)).stdout).toBe('nothing waits for a decision\n');
  const { approval = '', approve } = (await send(gate)).json;
  const listed = await type(gate, 'approvals list', TOKEN);
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toMatch(new RegExp(`^${approval} +(?:9m|10m) +127.0.0.1 +${REQUEST}$`, 'm'));
  expect(listed.stdout).toContain(LOST);
  expect(listed.stdout).toContain(
    'only approvers decide, each with their own token in PATCHGATE_CONTROL_TOKEN',
  );

  const unnamed = await type(gate, `approvals approve ${approval}`);
  expect(unnamed).toMatchObject({ code: 2, stdout: '' });
  expect(unnamed.stderr).toMatch(
    /only an approver .*\n {2}give the token of an approver in PATCHGATE_CONTROL_TOKEN\n$/,
  );
  expect((await send(gate, approve)).status).toBe(409);

  const approved = await type(gate, `approvals approve ${approval} --reason agreed`, TOKEN);
  expect(approved).toMatchObject({ code: 0, stderr: '' });
  expect(approved.stdout).toMatch(
    new RegExp(
      `^approved ${approval}: ${REQUEST}\\n${LOST}its client can send the PATCH again .*, for \\d+m\\n$`,
    ),
  );
  expect((await send(gate, approve)).status).toBe(200);
  expect(service.deleted).toEqual(['42: 2 Staging']);
  const all = JSON.parse((await type(gate, 'approvals list --format json', TOKEN)).stdout);
  expect(all).toMatchObject({
    approvers: true,
    approvals: [{ id: approval, status: 'used', decidedBy: 'anna', reason: 'agreed' }],
  });
  expect(JSON.stringify(all)).not.toContain(approve);
});

it('what cannot be done says why: exit code 2', async () => {
  const gate = await startProgram({ PATCHGATE_CONTROL_TOKEN: 'c0ntrol' });
  const { approval } = (await send(gate)).json;
  await type(gate, `approvals decline ${approval}`, 'c0ntrol');
  const other = await startTarget((_req, res) => res.end('{}'));
  const nowhere = { url: `http://127.0.0.1:${await freePort()}` };
  const cases: [words: string, at: Pick<Running, 'url'>, token: string | undefined, said: string][] = [
    ['approvals list', gate, undefined, 'token'],
    ['approvals list', gate, 'other', 'token'],
    ['approvals approve zzzzzzzz', gate, 'c0ntrol', 'there is no approval zzzzzzzz'],
    [
      `approvals approve ${approval}`,
      gate,
      'c0ntrol',
      `the approval ${approval} is not pending: it was declined`,
    ],
    ['approvals approve ../events', gate, 'c0ntrol', '"../events" is no id of an approval'],
    ['approvals list', nowhere, undefined, 'no gate answers at http://127.0.0.1:'],
    ['approvals list', other, 'c0ntrol', 'is no gate with approvals'],
    ['approvals list', { url: `${gate.url}/api` }, 'c0ntrol', 'without a path'],
    ['approvals list', { url: gate.url.replace('http', 'https') }, 'c0ntrol', 'is it http://?'],
    ['approvals list', gate, 'two words', 'the token has spaces'],
  ];
  for (const [words, at, token, said] of cases) {
    const { code, stdout, stderr } = await type(at, words, token);
    expect({ words, code, stdout }).toEqual({ words, code: 2, stdout: '' });
    expect(stderr).toContain(said);
    expect(stderr).toMatch(/^patchgate: .*\n {2}.*\n$/);
  }
});

it('trusts the authority that it is given', async () => {
  const { cert, key } = await makeCertificate(['127.0.0.1']);
  const tls = { tlsCert: fileOf(cert), tlsKey: fileOf(key) };
  const { url } = await start(tls);
  expect(await type({ url }, `approvals list --ca ${fileOf(cert)}`)).toMatchObject({
    ...{ code: 0, stdout: 'nothing waits for a decision\n', stderr: '' },
  });
  const { code, stderr } = await type({ url }, 'approvals list');
  expect(code).toBe(2);
  expect(stderr).toContain('give the file of its authority: --ca FILE');
});

it('what comes from a gate steers no terminal', async () => {
  const evil = '\u001b[2J\u202ex\n';
  const one = {
    id: evil,
    url: evil,
    method: evil,
    client: evil,
    status: 'pending',
    requestedAt: '',
    expiresAt: '',
  };
  const effects = [{ kind: 'environment-deleted', id: 1, name: evil }];
  const gate = await startTarget((_req, res) =>
    res.end(JSON.stringify({ approvals: [{ ...one, effects }] })),
  );
  for (const format of ['text', 'json']) {
    const { code, stdout } = await runHere(['approvals', 'list', '--gate', gate.url, '--format', format]);
    expect(code).toBe(0);
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
});
