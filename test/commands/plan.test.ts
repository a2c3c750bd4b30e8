import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runSource } from '../support/run-here.ts';
import { freePort, startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PRODUCTION = { id: 1, name: 'Production', isEnabled: true };
const STAGING = { id: 2, name: 'Staging', isEnabled: false };
const PROJECT = { name: 'Checkout', languages: ['NODEJS', 'GO'], environments: [PRODUCTION, STAGING] };
const WITHOUT_STAGING = { ...PROJECT, environments: [PRODUCTION] };
const STAGING_DELETED = { kind: 'environment-deleted', id: 2, name: 'Staging' };
const PATH = '/accounts/current/projects/42';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
  mkdirSync(join(cwd, '.patchgate'));
  write('body.json', WITHOUT_STAGING);
});

const write = (file: string, content: unknown) =>
  writeFileSync(join(cwd, file), typeof content === 'string' ? content : JSON.stringify(content));

/** What the proxy knows of project 42. */
const know = (record: unknown, more: object = {}) =>
  write('.patchgate/state.json', {
    ...{ formatVersion: 1, target: 'https://staging.example.com', approvals: {} },
    records: { 'project 42': { account: '7', record, ...more } },
  });

const run = (...args: string[]) => runSource(['plan', 'body.json', '--project', '42', ...args], { cwd });

async function planned(...args: string[]) {
  const { code, stdout, stderr } = await run(...args, '--format', 'json');
  if (stdout === '') throw new Error(stderr);
  return { code, stderr, ...JSON.parse(stdout) };
}

describe('the exit code', () => {
  it('is 0 where no environment is lost', async () => {
    know(PROJECT);
    write('body.json', { ...PROJECT, languages: ['GO'] });
    expect(await planned()).toEqual({
      ...{ code: 0, stderr: '', known: true },
      effects: [{ kind: 'language-removed', name: 'NODEJS' }],
    });
  });

  it('is 3 where one is deleted or replaced, with the body that keeps it', async () => {
    know(PROJECT);
    expect(await planned()).toEqual({
      ...{ code: 3, stderr: '', known: true, effects: [STAGING_DELETED], corrected: PROJECT },
    });
    write('body.json', { ...PROJECT, environments: [PRODUCTION, { ...STAGING, id: 7 }] });
    expect(await planned()).toMatchObject({
      code: 3,
      effects: [{ kind: 'environment-replaced', id: 2, newId: 7 }],
      corrected: PROJECT,
    });
  });

  it('is 0 where those that are lost may go', async () => {
    know(PROJECT);
    const shown = await planned('--allow-delete', 'Stag*');
    expect(shown).toMatchObject({ code: 0, effects: [{ ...STAGING_DELETED, allowed: true }] });
    expect(shown).not.toHaveProperty('corrected');
  });

  it('is 2 where nothing is known, with the reason and what to do', async () => {
    const { code, stdout } = await run();
    expect(code).toBe(2);
    expect(stdout).toContain('Nothing is known of project 42 in .patchgate/state.json, which does not exist');
    expect((await planned()).stderr).toMatch(/nothing is known of project 42 in .*\n {2}.*--from-target/);
  });

  it('is 2 where only a part is known and nothing of that is lost, 3 where something is', async () => {
    know(PROJECT, { isPart: true });
    expect(await planned()).toMatchObject({ code: 3, known: false, effects: [STAGING_DELETED] });
    write('body.json', PROJECT);
    expect(await planned()).toMatchObject({ code: 2, known: false, effects: [] });
  });
});

describe('the body', () => {
  it.each([
    ['{\n"name": }', 'body.json:2:9: the body is no JSON'],
    ['{"name": "a",\n "name": "b", "languages": [], "environments": []}', 'body.json:2:2: '],
    ['{"\u009b2J": 1, "\u009b2J": 2}', 'body.json:1:'],
    ['{"formatVersion": 1, "exchanges": []}', 'a file of a recording or an archive, not a body'],
  ])('that readers could understand differently is not planned: %j', async (body, message) => {
    know(PROJECT);
    write('body.json', body);
    const { code, stdout, stderr } = await run();
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('\u009b');
  });

  it('that the gate would block has its effects all the same, and the reasons', async () => {
    know(PROJECT);
    write('body.json', { environments: [PRODUCTION], name: 7 });
    expect(await planned()).toMatchObject({
      ...{ code: 3, effects: expect.arrayContaining([STAGING_DELETED]) },
      findings: [{ rule: 'schema.required', pointer: '/languages', line: 1 }, { rule: 'schema.type' }],
    });
    // A token suppresses no other finding.
    expect((await run()).stdout).not.toContain('Patchgate-Approve');
  });

  it.each(['042', '4.2', '2147483648', 'x'])('is of no project %j', async (project) => {
    const { code, stderr } = await runSource(['plan', 'body.json', '--project', project], { cwd });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--project 42') });
  });
});

describe('what the project holds', () => {
  it('is known from the state, for the service of the config', async () => {
    know(PROJECT);
    expect((await run()).stdout).toMatch(
      /^Project 42 "Checkout", as known from \.patchgate\/state\.json \(written \d{4}-.*, about https:\/\/staging\.example\.com\)\n\n {4}- environment 2 "Staging" will be deleted/,
    );
    write('.patchgate/state.json', '{"formatVersion": 1, "records": {"project 42": 7}, "approvals": {}}');
    expect((await run()).stderr).toContain('.patchgate/state.json:1:');
    expect((await run('--state', 'other.json')).stderr).toContain('other.json: it does not exist');
  });

  it('is asked of the service by one GET, with the headers given', async () => {
    const target = await startTarget((_req, res) => res.end(JSON.stringify({ _data: PROJECT })));
    const args = [
      '--from-target',
      `${target.url}/api/v2`,
      '--set-header',
      'Authorization=Bearer a',
      '--set-header',
      'X-A=1',
    ];
    const { code, stdout } = await run(...args);
    expect(code).toBe(3);
    expect(stdout).toContain(`as known from ${target.url}/api/v2`);
    expect(stdout).not.toContain('Bearer');
    expect(target.received.map(({ method, url }) => `${method} ${url}`)).toEqual([`GET /api/v2${PATH}`]);
    expect(target.received[0]?.headers).toMatchObject({ authorization: 'Bearer a', 'x-a': '1' });
    write('body.json', '{');
    await run(...args);
    expect(target.received).toHaveLength(1);
  });

  it.each<[status: number, body: object, message: string]>([
    [401, {}, 'it was answered with the status 401'],
    [404, {}, 'there is no such project'],
    [302, {}, 'the status 302'],
    [200, { name: 'x' }, 'holds no whole project'],
    [200, { ...PROJECT, id: 43 }, 'holds project 43'],
  ])('cannot be read from an answer %i %j', async (status, body, message) => {
    const target = await startTarget((_req, res) => res.writeHead(status).end(JSON.stringify(body)));
    const { code, stdout, stderr } = await run('--from-target', target.url);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('cannot be read where nobody answers', async () => {
    const { stderr } = await run('--from-target', `http://127.0.0.1:${await freePort()}`);
    expect(stderr).toContain('refused');
  });

  it.each([[['--project', '43'], '--project is given more than once']])(
    'is not known by %j',
    async (args, message) => {
      const { code, stderr } = await run(...args);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    },
  );
});

it('goes by its own settings, whatever the environment says of a proxy', async () => {
  know(PROJECT);
  const env = {
    ...{ PATCHGATE_VALIDATION: 'off', PATCHGATE_GUARD: 'off', PATCHGATE_RECORDING: 'checkout' },
    ...{ PATCHGATE_TARGET: 'https://staging.example.com/api/v2', FORCE_COLOR: '1' },
  };
  const { code, stdout } = await runSource(['plan', 'body.json', '--project', '42'], { cwd, env });
  expect(code).toBe(3);
  expect(stdout).toContain('\u001b[31m');
});

it('shows no secret', async () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  know({ ...PROJECT, name: secret, environments: [PRODUCTION, { ...STAGING, name: `ci ${secret}` }] });
  for (const format of ['text', 'json']) {
    const { stdout, stderr } = await run('--format', format);
    expect(stdout).toContain('ci [redacted]');
    expect(stdout + stderr).not.toContain(secret);
  }
});
