/** The audit, in front of a service that really deletes. */
import { mkdirSync, readFileSync, renameSync, rmdirSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Entry } from '../../src/server/entry.ts';
import { startBinary } from '../support/binary.ts';
import { laterRefusal } from '../support/errors.ts';
import { type Settings, startGate } from '../support/in-process.ts';
import { patch, project, type Service, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let service: Service;
let cwd: string;
let file: string;
beforeEach(async () => {
  service = await startService();
  service.projects.set('42', BOTH);
  cwd = temporaryFolder();
  file = join(cwd, 'logs', 'audit.jsonl');
});

const BOTH = project('1 Production', '2 Staging');
const ONE = project('1 Production');
const WRONG = { ...BOTH, languages: ['COBOL'] };
const PROJECT = '/api/v2/accounts/current/projects/42';

const start = (settings: Settings = {}) =>
  startGate({ target: service.target.url, audit: file, readState: true, ...settings });
const linesIn = (name = file) =>
  readFileSync(name, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Entry);

describe('a line', () => {
  it('says who asked for what, what the gate said, and what came of it', async () => {
    const { url } = await start();
    const { json } = await patch(url, ONE);
    await patch(url, ONE, { headers: { 'Patchgate-Approve': json.approve as string } });
    const [blocked, approved, ...others] = linesIn();
    const effects = [{ kind: 'environment-deleted', id: 2, name: 'Staging' }];
    const common = {
      audit: 1,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      client: '127.0.0.1',
      method: 'PATCH',
      path: PROJECT,
      operation: 'updateProject',
      record: { base: '/api/v2', account: 'current', kind: 'project', id: '42' },
      effects,
    };
    const finding = {
      rule: 'project.environment-deleted',
      pointer: '/environments',
      message: 'environment 2 (Staging) is left out: it is deleted permanently',
    };
    expect(blocked).toEqual({
      ...common,
      verdict: 'block',
      findings: [{ ...finding, severity: 'error' }],
      approved: false,
      approval: json.approval,
      forwarded: false,
      answeredBy: 'gate',
      status: 409,
    });
    expect(approved).toEqual({
      ...common,
      verdict: 'pass',
      findings: [{ ...finding, severity: 'warn' }],
      approved: true,
      approval: json.approval,
      forwarded: true,
      answeredBy: 'target',
      status: 200,
    });
    expect(others).toEqual([]);
  });

  it.each<[string, Settings, unknown, Partial<Entry> | undefined]>([
    ['nothing of what changes nothing', {}, BOTH, undefined],
    ['what is wrong', {}, WRONG, { verdict: 'block', forwarded: false, status: 422 }],
    ['what is no JSON', {}, '{', { verdict: 'block', forwarded: false, status: 400 }],
    ['what may go', { allowDelete: ['Stag*'] }, ONE, { verdict: 'pass', forwarded: true, approved: false }],
    ['what enforcing would block', { validation: 'warn' }, WRONG, { verdict: 'pass', status: 200 }],
    ['what the guard only warns of', { guard: 'off' }, ONE, { verdict: 'pass', status: 200 }],
    ['what is lost unjudged', { guard: 'off', validation: 'off' }, ONE, { verdict: 'pass', findings: [] }],
    ['nothing of what is only wrong, unjudged', { guard: 'off', validation: 'off' }, WRONG, undefined],
    [
      'what a fault answers',
      { fault: 'PATCH status=503' as never, guard: 'off' },
      ONE,
      { forwarded: false, answeredBy: 'fault', status: 503, fault: 'PATCH status=503' },
    ],
  ])('tells %s', async (_what, settings, body, told) => {
    const { url } = await start(settings);
    if (settings.guard === 'off') await fetch(`${url}${PROJECT}`);
    await patch(url, body).catch(() => undefined);
    expect(linesIn()).toEqual(told ? [expect.objectContaining(told)] : []);
    if (told && !/block/.test(told.verdict ?? ''))
      expect(linesIn()[0]?.forwarded).toBe(told.fault === undefined);
  });

  it('says how the target failed', async () => {
    const { url } = await start({ guard: 'off' });
    await fetch(`${url}${PROJECT}`);
    service.next.push((_req, res) => res.destroy());
    expect((await patch(url, ONE)).status).toBe(502);
    // Nobody knows what became of it.
    await fetch(`${url}${PROJECT}`);
    service.next.push((_req, res) => res.writeHead(500, { 'content-type': 'application/json' }).end('{}'));
    expect((await patch(url, ONE)).status).toBe(500);
    expect(linesIn()).toMatchObject([
      { forwarded: true, answeredBy: 'gate', status: 502, failure: expect.stringContaining('target') },
      { forwarded: true, answeredBy: 'target', status: 500 },
    ]);
  });

  it('names who was gone before there was an answer', async () => {
    const { url, port } = await start({ guard: 'off' });
    const asked = new Promise<void>((resolve) => service.next.push(() => resolve()));
    await fetch(`${url}${PROJECT}`);
    const body = JSON.stringify(ONE);
    const socket = createConnection(port, '127.0.0.1').on('error', () => undefined);
    socket.write(
      `PATCH ${PROJECT} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await asked;
    socket.destroy();
    await expect
      .poll(() => linesIn())
      .toMatchObject([
        { client: '127.0.0.1', forwarded: true, failure: expect.stringContaining('client went away') },
      ]);
    expect(linesIn()[0]).not.toHaveProperty('status');
  });

  it('has its session, and no secrets', async () => {
    const { url } = await start({ redact: ['pin'] });
    const token = `ghp_${'a1B2'.repeat(9)}`;
    await patch(url, project('1 Production', `3 ${token}`), {
      path: 'current/projects/42?pin=4711&note=x',
      headers: { 'Patchgate-Session': 'one', authorization: `Bearer ${token}` },
    });
    await patch(url, { ...WRONG, languages: [token] });
    const text = readFileSync(file, 'utf8');
    expect(linesIn()).toMatchObject([{ session: 'one', path: PROJECT }, { verdict: 'block' }]);
    expect(linesIn()[0]?.query).toMatch(/note=x/);
    expect([token, '4711'].filter((secret) => text.includes(secret))).toEqual([]);
  });
});

it('is there before the client has the answer, and follows the file that is moved away', async () => {
  const { url } = await start();
  await patch(url, WRONG);
  renameSync(file, `${file}.1`);
  await patch(url, ONE);
  expect([linesIn(`${file}.1`), linesIn()]).toMatchObject([[{ status: 422 }], [{ status: 409 }]]);
});

describe('a file that cannot be written', () => {
  it('stops the start', async () => {
    mkdirSync(file, { recursive: true });
    expect(await laterRefusal('cannot-write', start())).toMatch(
      /^cannot write .*audit\.jsonl: EISDIR.* \(correct the permissions, or name another file with --audit\)$/,
    );
  });

  it('is told once, keeps its lines, and has them when it can be written again', async () => {
    const { url, notices } = await start();
    renameSync(file, `${file}.1`);
    mkdirSync(file);
    expect((await patch(url, WRONG)).status).toBe(422);
    expect((await patch(url, ONE)).status).toBe(409);
    expect(notices).toEqual([expect.stringMatching(/^THE AUDIT CANNOT BE WRITTEN: cannot write .* until/)]);
    expect(
      ((await (await fetch(`${url}/__patchgate/health`)).json()) as { trouble: string }).trouble,
    ).toContain(file);
    rmdirSync(file);
    expect((await patch(url, WRONG)).status).toBe(422);
    expect(linesIn().map(({ status }) => status)).toEqual([422, 409, 422]);
    expect(notices.slice(1)).toEqual(['the audit is written again: nothing is missing']);
  });

  it('says how many lines are missing where it ends so', async () => {
    const { url, gate, notices } = await start();
    renameSync(file, `${file}.1`);
    mkdirSync(file);
    await patch(url, WRONG);
    await gate.close();
    expect(notices.at(-1)).toBe('1 line of the audit could not be written');
  });
});

describe('the program', () => {
  const args = () => ['proxy', service.target.url, '--audit', file, '--read-state'];

  it('has written what a client was told, when it is killed', async () => {
    const running = await startBinary(args(), { cwd });
    const answers: number[] = [];
    const clients = [1, 2, 3, 4].map(async () => {
      for (;;) {
        const { status } = await patch(running.url, WRONG);
        answers.push(status);
        if (answers.length === 40) void running.stop('SIGKILL');
      }
    });
    await Promise.allSettled(clients);
    await running.ended;
    expect(answers.length).toBeGreaterThanOrEqual(40);
    expect(linesIn().length).toBeGreaterThanOrEqual(answers.length);
    expect(linesIn().length).toBeLessThanOrEqual(answers.length + 4);
  });
});
