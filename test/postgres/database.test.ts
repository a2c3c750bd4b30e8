// @module-tag postgres
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { PatchgateError } from '../../src/errors.ts';
import { shownUrl } from '../../src/postgres/database.ts';
import { fileOf, makeAuthority, makeCertificate } from '../support/certificates.ts';
import { startPgbouncer } from '../support/pgbouncer.ts';
import { openAt, type Postgres, startPostgres } from '../support/postgres.ts';

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);

async function codeOf(promise: Promise<unknown>): Promise<string | undefined> {
  return promise.then(
    () => undefined,
    (error) => (error instanceof PatchgateError ? error.code : String(error)),
  );
}

const openedAt = (rest: string) => codeOf(openAt(`postgres://postgres@${rest}`));
const INSERT = "INSERT INTO patchgate_audit VALUES ('a', 1, now(), '{}')";

describe('openDatabase', { tags: 'slow' }, () => {
  it('makes the tables once, and needs no right to make any where they are there', async () => {
    const url = await server.database();
    const [first] = await Promise.all(Array.from({ length: 4 }, () => openAt(url)));
    const role = `gate_of_${new URL(url).pathname.slice(1)}`;
    await first?.query(`CREATE ROLE ${role} LOGIN`);
    await first?.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`);
    const restricted = await openAt(url.replace('postgres@', `${role}@`));
    await restricted.query(INSERT);
    expect(await codeOf(restricted.query('CREATE TABLE other ()'))).toMatch(/permission denied/);
  });

  it('says that a role may make no tables', async () => {
    const { query } = await openAt(await server.database());
    await query('CREATE ROLE stranger LOGIN');
    const url = (await server.database()).replace('postgres@', 'stranger@');
    await expect(openAt(url)).rejects.toMatchObject({
      code: 'bad-config',
      message: expect.stringContaining('permission denied for schema public'),
      hint: expect.stringContaining('owner'),
    });
    const made = await server.database();
    await openAt(made);
    await expect(openAt(made.replace('postgres@', 'stranger@'))).rejects.toMatchObject({
      code: 'bad-config',
      message: expect.stringContaining('permission denied for table'),
    });
  });

  it.each([
    ['certificates that cannot be read', '127.0.0.1/x?sslrootcert=/nowhere/ca.pem', 'sslrootcert'],
    ['a socket of this machine that is not there', '%2Fnowhere/x', 'see whether it runs'],
    ['a port that nobody listens at', '127.0.0.1:1/x', 'see whether it runs'],
  ])('says what to do about %s', async (_, rest, hint) => {
    await expect(openAt(`postgres://postgres@${rest}`)).rejects.toMatchObject({
      code: 'store-unavailable',
      hint: expect.stringContaining(hint),
    });
  });

  it('leaves no server waiting for a password that the URL does not have', async () => {
    const url = await server.database();
    const { query } = await openAt(url);
    await query("CREATE ROLE guarded LOGIN PASSWORD 'hush'");
    await query(
      `DO $$ BEGIN EXECUTE format('COPY (SELECT %L UNION ALL SELECT %L) TO %L', 'host all guarded all scram-sha-256', 'host all all all trust', current_setting('hba_file')); END $$`,
    );
    await query('SELECT pg_reload_conf()');
    const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
    const before = sockets();
    // Until the server has read it, it lets anybody in.
    await expect
      .poll(() => codeOf(openAt(url.replace('postgres@', 'guarded@')).then((database) => database.close())))
      .toBe('store-unavailable');
    await expect.poll(sockets).toBeLessThanOrEqual(before);
  });

  it('verifies certificates off loopback, unless the URL says otherwise', async () => {
    const authority = await makeAuthority();
    const { port } = await startPostgres(await makeCertificate(['0.0.0.0', '127.0.0.1'], { authority }));
    const verified = `?sslmode=verify-full&sslrootcert=${fileOf(authority.cert)}`;
    // An address of this machine that is none of its loopback.
    expect(await openedAt(`0.0.0.0:${port}/postgres`)).toBe('store-unavailable');
    expect(await openedAt(`127.0.0.1:${port}/postgres?sslmode=verify-full`)).toBe('store-unavailable');
    const { query } = await openAt(`postgres://postgres@0.0.0.0:${port}/postgres${verified}`);
    expect(await query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')).toEqual([{ ssl: true }]);
    // Its certificate is not for that name.
    expect(await openedAt(`localhost:${port}/postgres${verified}`)).toBe('store-unavailable');
    expect(await openedAt(`0.0.0.0:${port}/postgres?sslmode=disable`)).toBeUndefined();
  });

  it('shows neither user nor password', () => {
    expect(shownUrl('postgres://me:secret@db.example.com:5433/gates?sslmode=disable')).toBe(
      'postgres://db.example.com:5433/gates',
    );
  });
});

describe('a database', { tags: 'slow' }, () => {
  it.each(['by itself', 'through pgbouncer'])(
    'that goes is away at once, and comes back: %s',
    { timeout: 60_000 },
    async (how) => {
      const own = await startPostgres();
      const database = await openAt(how === 'by itself' ? own.url : await startPgbouncer(own.url));
      const held = await database.begin('SELECT 1');
      await held.query(INSERT);
      await held.commit();
      const open = await database.begin('SELECT 1');
      await own.kill();
      expect(await codeOf(open.query('SELECT 1'))).toBe('store-unavailable');
      for (let i = 0; i < 2; i++) expect(await codeOf(database.query('SELECT 1'))).toBe('store-unavailable');
      expect(database.trouble?.message).toContain('is away');
      await own.start();
      await expect.poll(() => codeOf(database.query('SELECT 1'))).toBeUndefined();
      expect(database.trouble).toBeUndefined();
      expect(await database.query('SELECT number FROM patchgate_audit')).toEqual([{ number: '1' }]);
    },
  );

  it('undoes what is rolled back, and is closed in time where it does not answer', async () => {
    const own = await startPostgres();
    const database = await openAt(own.url);
    const held = await database.begin('SELECT 1');
    await held.query(INSERT);
    await held.rollback();
    const [{ pid } = { pid: 0 }, ...rows] = await database.query<{ pid: number }>(
      'SELECT pg_backend_pid() AS pid FROM (VALUES (1)) AS one LEFT JOIN patchgate_audit ON true',
    );
    expect(rows).toEqual([]);
    process.kill(pid, 'SIGSTOP');
    await database.close();
    process.kill(pid, 'SIGCONT');
  });

  it('tells an error of a statement, and slowness, from its absence', async () => {
    const database = await openAt(await server.database());
    const failing = (code: string) => codeOf(database.query(`DO $$ BEGIN RAISE SQLSTATE '${code}'; END $$`));
    await expect(database.query('SELECT nothing')).rejects.toThrow(pg.DatabaseError);
    // It takes too long; somebody holds a lock.
    for (const code of ['57014', '55P03']) expect(await failing(code)).toBe('store-unavailable');
    expect(database.trouble).toBeUndefined();
  });
});
