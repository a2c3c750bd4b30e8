// @module-tag postgres
/** --store, where it is given to a command: what it says of the fleet, and that its password is shown nowhere. */

import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/postgres/database.ts';
import { runBinary, startBinary } from '../support/binary.ts';
import { exchange } from '../support/exchanges.ts';
import { openAt, type Postgres, startPostgres } from '../support/postgres.ts';
import { runHere } from '../support/run-here.ts';
import { recordStored } from '../support/stored-recording.ts';
import { freePort, startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PASSWORD = 'hush-4711';
const PATH = '/api/v2/accounts/current/projects/42';
const PROJECT = {
  name: 'Checkout',
  languages: ['NODEJS'],
  environments: [{ id: 1, name: 'A', isEnabled: true }],
};

let server: Postgres;
let cwd: string;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
beforeEach(() => {
  cwd = temporaryFolder();
});

async function open(): Promise<{ url: string; database: Database }> {
  const url = await server.database();
  return { url, database: await openAt(url) };
}

describe('a plan', { tags: 'slow' }, () => {
  beforeEach(() => {
    const other = { ...PROJECT, environments: [{ ...PROJECT.environments[0], id: 2 }] };
    writeFileSync(join(cwd, 'body.json'), JSON.stringify(other));
  });

  it('goes by what the gates know, of one service or of all', async () => {
    const { url, database } = await open();
    const kept = { account: 'current', record: PROJECT };
    await database.query(
      "INSERT INTO patchgate_records (service, kind, id, kept) VALUES ('http://a.example', 'project', '42', $1)",
      [JSON.stringify(kept)],
    );
    const plan = (env: Record<string, string> = {}) =>
      runHere(['plan', 'body.json', '--project', '42'], {
        cwd,
        env: { PATCHGATE_STORE: url, ...env },
      });
    expect(await plan()).toMatchObject({ code: 3, stdout: expect.stringContaining('A') });
    expect((await plan({ PATCHGATE_TARGET: 'http://a.example/api/v2' })).code).toBe(3);
    const other = await plan({ PATCHGATE_TARGET: 'http://b.example/api/v2' });
    expect(other).toMatchObject({ code: 2, stdout: expect.stringContaining('http://b.example') });
  });

  it('goes by a recording in the database', async () => {
    const { url, database } = await open();
    await recordStored(database, 'checkout', [
      exchange({ method: 'GET', path: PATH, answer: { json: PROJECT } }),
    ]);
    const env = { PATCHGATE_STORE: url };
    const args = ['plan', 'body.json', '--project', '42', '--recording', 'checkout'];
    expect(await runHere(args, { env, cwd: join(cwd, 'recordings', '..') })).toMatchObject({ code: 3 });
    const missing = await runHere(args.with(-1, 'chekout'), { env, cwd });
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "checkout"?') });
  });
});

describe('a test run', { tags: 'slow' }, () => {
  it('replays what the database has, also where it would record', async () => {
    const { url, database } = await open();
    const env = { PATCHGATE_STORE: url };
    await recordStored(database, 'checkout', [
      exchange({ method: 'GET', path: PATH, answer: { json: PROJECT } }),
    ]);
    const exec = (name: string, ...more: string[]) =>
      runBinary(['exec', '--recording', name, ...more, '--', 'sh', '-c', `curl -s "$PATCHGATE_URL${PATH}"`], {
        cwd: temporaryFolder(),
        env,
      });
    const answered = { code: 0, stdout: JSON.stringify(PROJECT) };
    expect(await exec('checkout')).toMatchObject(answered);
    expect(await exec('checkout', '--record', 'once')).toMatchObject(answered);
    expect(await exec('chekout')).toMatchObject({ code: 2, stderr: expect.stringContaining('"checkout"?') });
    expect(await exec('chekout', '--record', 'once')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no target to record from'),
    });
  });

  it('has its outbox where other gates of the folder have theirs', async () => {
    const env = { PATCHGATE_STORE: (await open()).url };
    const target = await startTarget();
    const args = ['--record', 'all', '--target', target.url, '--', 'sh', '-c', 'curl -s $PATCHGATE_URL/a'];
    const { code, stderr } = await runBinary(['exec', ...args], { cwd, env });
    expect(code).toBe(0);
    expect(stderr).not.toContain('--state');
    expect(readdirSync(cwd)).toEqual(['.patchgate']);
  });
});

describe('the password', { tags: 'slow' }, () => {
  it('is not in the list of processes', async () => {
    const target = await startTarget();
    const { url } = await open();
    const secret = url.replace('postgres@', `postgres:${PASSWORD}@`);
    const gate = await startBinary(['proxy', target.url, '--store', secret], { cwd });
    const shown = execFileSync('ps', ['-o', 'args=', '-p', String(gate.pid)], { encoding: 'utf8' });
    expect(shown.trim()).toBe('patchgate proxy');
    const { stdout, stderr } = await gate.stop('SIGTERM');
    expect(stdout + stderr).not.toContain(PASSWORD);
  });

  it('is not in what config prints', async () => {
    const url = `postgres://me:${PASSWORD}@db.example.com/gates`;
    for (const given of [{ args: ['--store', url] }, { env: { PATCHGATE_STORE: url } }]) {
      const { code, stdout, stderr } = await runHere(['config', ...(given.args ?? [])], {
        cwd,
        ...(given.env && { env: given.env }),
      });
      expect(code).toBe(0);
      expect(stdout).toContain('[redacted]');
      expect(stdout + stderr).not.toContain(PASSWORD);
    }
  });

  it.each([
    `postgres://me:${PASSWORD}@127.0.0.1:0x/gates`,
    `postgres://me:${PASSWORD}/x@127.0.0.1/gates`,
    `postgres:/me:${PASSWORD}@127.0.0.1/gates`,
    `mysql://me:${PASSWORD}@127.0.0.1/gates`,
    `postgres://me:${PASSWORD}@nowhere.invalid/gates`,
    `postgres://127.0.0.1:1/gates?user=me&password=${PASSWORD}`,
    `postgres://me:${PASSWORD}@127.0.0.1:1/gates?sslmode=verify-full&sslrootcert=/missing`,
  ])('is in no message about %s', async (url) => {
    const { code, stdout, stderr } = await runHere(['recordings', 'list', '--store', url], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^patchgate: .+\n {2}.+\n$/);
    expect(stderr).not.toContain(PASSWORD);
  });

  it.each([
    [['check', 'body.json', '--store', `postgres://me:${PASSWORD}@h/gates`]],
    [['recordings', 'list', `postgres://me:${PASSWORD}@h/gates`]],
    [['recordings', 'lsit', `--store=postgres://me:${PASSWORD}@h/gates`]],
    [['recordings', 'list', '--stor', `postgres://me:p ${PASSWORD} w@h/gates`]],
    [['proxy', `postgres://me:${PASSWORD}@h/gates`]],
    [['proxy', '--target', `postgres://h/gates?password=${PASSWORD}`]],
  ])('is in no message about a command line that is wrong: %j', async (args) => {
    const { code, stdout, stderr } = await runHere(args, { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^patchgate: .+\n/);
    expect(stderr).not.toContain(PASSWORD);
  });

  it('is in no message of a server that refuses it, nor is the right one', async () => {
    const { url, database } = await open();
    const { query } = database;
    await query(`CREATE ROLE gate LOGIN PASSWORD '${PASSWORD}'`);
    await query(
      `DO $$ BEGIN EXECUTE format('COPY (SELECT %L UNION ALL SELECT %L) TO %L', 'host all gate all scram-sha-256', 'host all all all trust', current_setting('hba_file')); END $$`,
    );
    await query('SELECT pg_reload_conf()');
    await query('GRANT CREATE ON SCHEMA public TO gate');
    await query('GRANT ALL ON ALL TABLES IN SCHEMA public TO gate');
    const list = (password: string) =>
      runHere(['recordings', 'list', '--store', url.replace('postgres@', `gate:${password}@`)], { cwd });
    await expect.poll(async () => (await list(`not-${PASSWORD}`)).code).toBe(2);
    const { stderr } = await list(`not-${PASSWORD}`);
    expect(stderr).toMatch(/^patchgate: .*password authentication failed.*\n {2}.+\n$/);
    expect(stderr).not.toContain(PASSWORD);
    expect(await list(PASSWORD)).toMatchObject({ code: 0 });
  });

  it('is in no help', async () => {
    const env = { PATCHGATE_STORE: `postgres://me:${PASSWORD}@127.0.0.1:${await freePort()}/gates` };
    for (const args of [['proxy'], ['recordings', 'list'], ['plan']]) {
      const { code, stdout } = await runHere([...args, '--help-all'], { cwd, env });
      expect(code).toBe(0);
      expect(stdout).toContain('--store');
      expect(stdout).not.toContain(PASSWORD);
    }
  });
});
