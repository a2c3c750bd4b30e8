// @module-tag postgres
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { PatchgateError } from '../../src/errors.ts';
import { type Database, openDatabase, shownUrl } from '../../src/postgres/database.ts';
import { fileOf, makeAuthority, makeCertificate } from '../support/certificates.ts';
import { cleanUpLater } from '../support/clean-up.ts';
import { startPgbouncer } from '../support/pgbouncer.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { freePort } from '../support/target.ts';

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);

async function open(url: string, notices: string[] = []): Promise<Database> {
  const database = await openDatabase({ url, notice: (text) => notices.push(text) });
  cleanUpLater(() => database.close());
  return database;
}

async function codeOf(promise: Promise<unknown>): Promise<string | undefined> {
  return promise.then(
    () => undefined,
    (error) => (error instanceof PatchgateError ? error.code : String(error)),
  );
}

describe('openDatabase', { tags: 'slow' }, () => {
  it('makes the tables once, for gates that start together', async () => {
    const url = await server.database();
    const all = await Promise.all(Array.from({ length: 4 }, () => open(url)));
    for (const { query } of all)
      expect(await query('SELECT version FROM patchgate_version')).toEqual([{ version: 1 }]);
  });

  it('needs no right to make tables where they are there', async () => {
    const url = await server.database();
    const { query } = await open(url);
    const role = `gate_of_${new URL(url).pathname.slice(1)}`;
    await query(`CREATE ROLE ${role} LOGIN`);
    await query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`);
    const asRole = new URL(url);
    asRole.username = role;
    const restricted = await open(asRole.href);
    await restricted.query("INSERT INTO patchgate_audit VALUES ('a', 1, now(), '{}')");
    expect(await codeOf(restricted.query('CREATE TABLE other ()'))).toMatch(/permission denied/);
  });

  it('refuses tables that a newer version has made', async () => {
    const url = await server.database();
    const { query } = await open(url);
    await query('UPDATE patchgate_version SET version = 99');
    expect(await codeOf(open(url))).toBe('store-too-new');
  });

  it('says that nobody listens there', async () => {
    expect(await codeOf(open(`postgres://postgres@127.0.0.1:${await freePort()}/x`))).toBe(
      'store-unavailable',
    );
  });

  it.each([
    ['certificates that cannot be read', '127.0.0.1/x?sslrootcert=/nowhere/ca.pem', 'sslrootcert'],
    ['a socket of this machine that is not there', '%2Fnowhere/x', 'see whether it runs'],
  ])('says what to do about %s', async (_, rest, hint) => {
    await expect(open(`postgres://postgres@${rest}`)).rejects.toMatchObject({
      code: 'store-unavailable',
      hint: expect.stringContaining(hint),
    });
  });

  it('says that a role may make no tables', async () => {
    const url = new URL(await server.database());
    const { query } = await open(await server.database());
    await query('CREATE ROLE stranger LOGIN');
    url.username = 'stranger';
    await expect(open(url.href)).rejects.toMatchObject({
      code: 'bad-config',
      message: expect.stringContaining('permission denied for schema public'),
      hint: expect.stringContaining('owner'),
    });
  });

  it('leaves no server waiting for a password that the URL does not have', async () => {
    const url = new URL(await server.database());
    const { query } = await open(url.href);
    await query("CREATE ROLE guarded LOGIN PASSWORD 'hush'");
    await query(
      `DO $$ BEGIN EXECUTE format('COPY (SELECT %L UNION ALL SELECT %L) TO %L', 'host all guarded all scram-sha-256', 'host all all all trust', current_setting('hba_file')); END $$`,
    );
    await query('SELECT pg_reload_conf()');
    url.username = 'guarded';
    // Until the server has read it, it lets anybody in.
    const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
    const before = sockets();
    await expect
      .poll(() => codeOf(open(url.href).then((database) => database.close())))
      .toBe('store-unavailable');
    await expect.poll(sockets).toBeLessThanOrEqual(before);
  });

  it('verifies certificates off loopback', async () => {
    const authority = await makeAuthority();
    const { port } = await startPostgres(await makeCertificate(['0.0.0.0', '127.0.0.1'], { authority }));
    const ca = fileOf(authority.cert);
    const at = (rest: string) => `postgres://postgres@${rest}`;
    // An address of this machine that is none of its loopback.
    expect(await codeOf(open(at(`0.0.0.0:${port}/postgres`)))).toBe('store-unavailable');
    expect(await codeOf(open(at(`127.0.0.1:${port}/postgres?sslmode=verify-full`)))).toBe(
      'store-unavailable',
    );
    const { query } = await open(at(`0.0.0.0:${port}/postgres?sslmode=verify-full&sslrootcert=${ca}`));
    expect(await query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')).toEqual([{ ssl: true }]);
    // Its certificate is not for that name.
    expect(await codeOf(open(at(`localhost:${port}/postgres?sslmode=verify-full&sslrootcert=${ca}`)))).toBe(
      'store-unavailable',
    );
  });

  it('takes TLS as the URL says', async () => {
    const { port } = await startPostgres();
    expect(await codeOf(open(`postgres://postgres@0.0.0.0:${port}/postgres`))).toBe('store-unavailable');
    expect(
      await codeOf(open(`postgres://postgres@0.0.0.0:${port}/postgres?sslmode=disable`)),
    ).toBeUndefined();
  });

  it('shows neither user nor password', () => {
    expect(shownUrl('postgres://me:secret@db.example.com:5433/gates?sslmode=disable')).toBe(
      'postgres://db.example.com:5433/gates',
    );
  });
});

describe('a database', { tags: 'slow' }, () => {
  it('undoes a transaction that fails', async () => {
    const database = await open(await server.database());
    const work = database.transaction(async (query) => {
      await query("INSERT INTO patchgate_audit VALUES ('a', 1, now(), '{}')");
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await database.query('SELECT * FROM patchgate_audit')).toEqual([]);
  });

  it('hears what others notify of', async () => {
    const url = await server.database();
    const database = await open(url);
    const heard = await new Promise((resolve) => {
      database.listen('changes', (payload) => {
        if (payload === undefined) void database.query("SELECT pg_notify('changes', 'here')");
        else resolve(payload);
      });
    });
    expect(heard).toBe('here');
  });

  it('that goes is away at once, and comes back by itself', async () => {
    const own = await startPostgres();
    const notices: string[] = [];
    const database = await open(own.url, notices);
    await own.kill();
    expect(await codeOf(database.query('SELECT 1'))).toBe('store-unavailable');
    expect(database.trouble).toBeDefined();
    expect(await codeOf(database.query('SELECT 1'))).toBe('store-unavailable');
    await own.start();
    await expect.poll(() => codeOf(database.query('SELECT 1'))).toBeUndefined();
    expect(database.trouble).toBeUndefined();
    expect(notices).toEqual([
      expect.stringMatching(/^THE DATABASE IS AWAY: postgres:/),
      expect.stringMatching(/^the database is back: /),
    ]);
  }, 60_000);

  it('is asked again as soon as a listening connection is there', async () => {
    const own = await startPostgres();
    const database = await open(own.url);
    const codes: (string | undefined)[] = [];
    database.listen(
      'changes',
      () => void codeOf(database.query('SELECT 1')).then((code) => codes.push(code)),
    );
    await expect.poll(() => codes).toEqual([undefined]);
    await own.kill();
    // The more often it was away, the longer it is not asked.
    for (let i = 0; i < 3; i++) {
      const { trouble } = database;
      await expect
        .poll(() => codeOf(database.query('SELECT 1')).then(() => database.trouble))
        .not.toBe(trouble);
    }
    await own.start();
    await expect.poll(() => codes).toEqual([undefined, undefined]);
  }, 60_000);

  it('may be closed more than once', async () => {
    const database = await open(await server.database());
    await database.close();
    await database.close();
  });

  it('is closed in time where it does not answer', async () => {
    const own = await startPostgres();
    const database = await open(own.url);
    await new Promise((resolve) => database.listen('changes', resolve));
    const proxied = await database.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'patchgate'",
    );
    for (const { pid } of proxied) process.kill(pid, 'SIGSTOP');
    cleanUpLater(() => {
      for (const { pid } of proxied) process.kill(pid, 'SIGCONT');
    });
    await expect(database.close()).resolves.toBeUndefined();
  });

  it('through pgbouncer goes and comes back as well', { tags: 'pgbouncer' }, async () => {
    const own = await startPostgres();
    const database = await open(await startPgbouncer(own.url));
    await database.transaction(async (query) => {
      await query("INSERT INTO patchgate_audit VALUES ('a', 1, now(), '{}')");
      await query("UPDATE patchgate_audit SET number = 2 WHERE run = 'a'");
    });
    await own.kill();
    expect(await codeOf(database.query('SELECT 1'))).toBe('store-unavailable');
    await own.start();
    await expect.poll(() => codeOf(database.query('SELECT 1'))).toBeUndefined();
    expect(await database.query('SELECT number FROM patchgate_audit')).toEqual([{ number: '2' }]);
  });

  it('tells an error of a statement from its absence', async () => {
    const database = await open(await server.database());
    const failing = (code: string) => codeOf(database.query(`DO $$ BEGIN RAISE SQLSTATE '${code}'; END $$`));
    await expect(database.query('SELECT nothing')).rejects.toThrow(pg.DatabaseError);
    // It takes too long.
    expect(await failing('57014')).toBe('store-unavailable');
    expect(database.trouble).toBeUndefined();
    // Somebody holds a lock.
    expect(await failing('55P03')).toBe('store-unavailable');
    expect(database.trouble).toBeUndefined();
  });

  it('ends a wait for a lock before a statement takes too long', async () => {
    const { query } = await open(await server.database());
    expect(await query('SHOW lock_timeout')).toEqual([{ lock_timeout: '9s' }]);
    expect(await query('SHOW statement_timeout')).toEqual([{ statement_timeout: '10s' }]);
  });
});
