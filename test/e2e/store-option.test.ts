// @module-tag postgres
/** What commands do with --store, as a user types them. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import type { Database } from '../../src/postgres/database.ts';
import { insertFrames } from '../../src/postgres/frames.ts';
import { runBinary, startBinary } from '../support/binary.ts';
import { exchange, plainOf } from '../support/exchanges.ts';
import { openAt, type Postgres, startPostgres } from '../support/postgres.ts';
import { recordAll } from '../support/recordings.ts';
import { runHere } from '../support/run-here.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PASSWORD = 'hush-4711';
const PATH = '/api/v2/accounts/current/projects/42';
const PROJECT = { name: 'Ada', languages: ['NODEJS'], environments: [{ id: 1, name: 'A', isEnabled: true }] };
const EXCHANGES = [
  exchange({ method: 'GET', path: PATH, answer: { json: PROJECT } }),
  exchange({ path: '/api/b', body: { json: { b: "it's" } }, answer: { json: 2 } }),
  exchange({ path: PATH, answer: { json: 1 } }),
];
const MISSING = 'did you mean "checkout"?';

/** Records exchanges into a database, as a gate does. */
function recordStored(database: Database, recording: string, exchanges: readonly Exchange[]): Promise<void> {
  const batch = { recording, run: randomUUID(), mode: 'append' as const, first: 0 };
  return insertFrames(database, batch, exchanges.map(plainOf));
}

let server: Postgres;
let cwd: string;
let url: string;
let database: Database;
/** How the database is called in messages. */
let shown: string;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
beforeEach(async () => {
  cwd = temporaryFolder();
  url = await server.database();
  database = await openAt(url);
  shown = url.replace('postgres@', '');
});

const run = (words: string, env: Record<string, string> = {}) =>
  runHere(words.split(' '), { cwd, env: { PATCHGATE_STORE: url, ...env } });

describe('recordings in the database', { tags: 'slow' }, () => {
  beforeEach(() => recordStored(database, 'checkout', EXCHANGES));

  it.each([
    'show checkout',
    'show checkout 2',
    'show checkout --path /api/b',
    'show checkout 9',
    'export checkout',
  ])('are told of as those of files: %s', async (words) => {
    await recordAll(join(cwd, 'recordings'), 'checkout', EXCHANGES);
    const ofDatabase = await run(`recordings ${words}`);
    expect(ofDatabase).toEqual(await runHere(['recordings', ...words.split(' ')], { cwd }));
    expect(ofDatabase.stdout + ofDatabase.stderr).not.toBe('');
  });

  it('are listed, scrubbed, removed and imported', async () => {
    expect((await run('recordings list')).stdout).toMatch(/^checkout +3 +GET 1, PATCH 2 /m);
    const line = `${shown}/checkout${PATH}/GET.json: /exchanges/0/response/body/json/name\n`;
    const found = await run('recordings scrub --redact /name --check');
    expect(found).toMatchObject({ code: 1, stdout: expect.stringContaining(line) });
    expect((await run('recordings scrub --redact /name')).stdout).toMatch(/^redacted 1 place in 1 of 1 /m);
    const { stdout } = await run('recordings export checkout');
    expect(stdout).not.toContain('Ada');
    expect((await run('recordings prune checkout --path /api/b -y')).stdout).toContain('removed 1 of 3');
    expect((await run('recordings list')).stdout).toMatch(/^checkout +2 /m);
    expect((await run('recordings prune checkout --path /nope -y')).code).toBe(2);
    expect((await run('recordings prune checkout --path * -y')).code).toBe(0);
    expect((await run('recordings list')).stdout).toBe(`no recordings in ${shown}\n`);
    writeFileSync(join(cwd, 'x.har'), stdout);
    expect((await run('recordings import x.har --recording other')).code).toBe(0);
    expect((await run('recordings list')).stdout).toMatch(/^other +3 /m);
  });

  it.each(['show chekout', 'export chekout', 'scrub chekout', 'prune chekout --path * -y'])(
    'are missing: %s',
    async (words) => {
      const { code, stderr } = await run(`recordings ${words}`);
      const what = `there is no recording "chekout" in ${shown} (there are: checkout)`;
      expect({ code, stderr }).toEqual({ code: 2, stderr: `patchgate: ${what}\n  ${MISSING}\n` });
    },
  );

  it.each([
    'list',
    'show checkout',
    'scrub',
    'prune checkout --path * -y',
    'import x.har',
    'export checkout',
  ])('are away with the database: %s', async (words) => {
    writeFileSync(join(cwd, 'x.har'), '{ "log": { "version": "1.2", "entries": [] } }');
    const env = { PATCHGATE_STORE: `postgres://me:${PASSWORD}@127.0.0.1:1/gates` };
    const { code, stdout, stderr } = await run(`recordings ${words}`, env);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^patchgate: the database .*ECONNREFUSED.*\n {2}see whether it runs.+\n$/);
    expect(stderr).not.toContain(PASSWORD);
  });
});

describe('a plan', { tags: 'slow' }, () => {
  const plan = 'plan body.json --project 42';
  beforeEach(() => {
    const other = { ...PROJECT, environments: [{ ...PROJECT.environments[0], id: 2 }] };
    writeFileSync(join(cwd, 'body.json'), JSON.stringify(other));
  });

  it('goes by what the gates know, of one service or of all', async () => {
    await database.query(
      "INSERT INTO patchgate_records (service, kind, id, kept) VALUES ('http://a.example', 'project', '42', $1)",
      [JSON.stringify({ account: 'current', record: PROJECT })],
    );
    expect(await run(plan)).toMatchObject({ code: 3, stdout: expect.stringContaining('A') });
    expect((await run(plan, { PATCHGATE_TARGET: 'http://a.example/api/v2' })).code).toBe(3);
    const other = await run(plan, { PATCHGATE_TARGET: 'http://b.example/api/v2' });
    expect(other).toMatchObject({ code: 2, stdout: expect.stringContaining('Nothing is known') });
  });
});

describe('a test run', { tags: 'slow' }, () => {
  const exec = (...args: string[]) =>
    runBinary(['exec', ...args, '--', 'sh', '-c', `curl -s "$PATCHGATE_URL${PATH}"`], {
      cwd,
      env: { PATCHGATE_STORE: url },
    });

  it('replays what the database has, also where it would record', async () => {
    await recordStored(database, 'checkout', EXCHANGES.slice(0, 1));
    const answered = { code: 0, stdout: JSON.stringify(PROJECT) };
    expect(await exec('--recording', 'checkout')).toMatchObject(answered);
    expect(await exec('--recording', 'checkout', '--record', 'once')).toMatchObject(answered);
    const missing = await exec('--recording', 'chekout');
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('"checkout"?') });
  });

  it('has its outbox where other gates of the folder have theirs', async () => {
    const { code, stderr } = await exec('--record', 'all', '--target', (await startTarget()).url);
    expect(code).toBe(0);
    expect(stderr).not.toContain('--state');
    expect(readdirSync(cwd)).toEqual(['.patchgate']);
  });
});

describe('the password', { tags: 'slow' }, () => {
  it('is not in the list of processes', async () => {
    const target = await startTarget();
    const secret = url.replace('postgres@', `postgres:${PASSWORD}@`);
    const gate = await startBinary(['proxy', target.url, '--store', secret], { cwd });
    const args = execFileSync('ps', ['-o', 'args=', '-p', String(gate.pid)], { encoding: 'utf8' });
    expect(args.trim()).toBe('patchgate proxy');
    const { stdout, stderr } = await gate.stop('SIGTERM');
    expect(stdout + stderr).not.toContain(PASSWORD);
  });

  it.each([
    ['config', 0],
    ['proxy --help', 0],
    [`recordings list --store postgres://me:${PASSWORD}@127.0.0.1:0x/gates`, 2],
    [`recordings list --store postgres://me:${PASSWORD}/x@127.0.0.1/gates`, 2],
    [`recordings list --store mysql://me:${PASSWORD}@127.0.0.1/gates`, 2],
    [`recordings list --store postgres://me:${PASSWORD}@nowhere.invalid/gates`, 2],
    [`recordings list --store postgres://127.0.0.1:1/gates?user=me&password=${PASSWORD}`, 2],
    [`recordings list postgres://me:${PASSWORD}@h/gates`, 2],
    [`recordings lsit --store=postgres://me:${PASSWORD}@h/gates`, 2],
    [`recordings list --stor postgres://me:p${PASSWORD}@h/gates`, 2],
    [`proxy postgres://me:${PASSWORD}@h/gates`, 2],
    [`proxy --target postgres://h/gates?password=${PASSWORD}`, 2],
  ])('is not in what comes of %s', async (words, expected) => {
    const { code, stdout, stderr } = await run(words, {
      PATCHGATE_STORE: `postgres://me:${PASSWORD}@db.example.com/gates`,
    });
    expect(code).toBe(expected);
    expect(stdout + stderr).not.toContain(PASSWORD);
    if (code === 2)
      expect({ stdout, stderr }).toEqual({ stdout: '', stderr: expect.stringMatching(/^patchgate: /) });
  });

  it('is in no message of a server that refuses it', async () => {
    await database.query(`CREATE ROLE gate LOGIN PASSWORD '${PASSWORD}'`);
    await database.query(
      `DO $$ BEGIN EXECUTE format('COPY (SELECT %L UNION ALL SELECT %L) TO %L', 'host all gate all scram-sha-256', 'host all all all trust', current_setting('hba_file')); END $$`,
    );
    await database.query('SELECT pg_reload_conf()');
    const wrong = { PATCHGATE_STORE: url.replace('postgres@', `gate:not-${PASSWORD}@`) };
    await expect
      .poll(async () => (await run('recordings list', wrong)).stderr)
      .toContain('password authentication');
    expect((await run('recordings list', wrong)).stderr).not.toContain(PASSWORD);
  });
});
