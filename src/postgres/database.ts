import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Pool } from 'pg';
import { messageOf, PatchgateError, systemCode } from '../errors.ts';

/** Runs one statement. @param timeout milliseconds @throws PatchgateError `store-unavailable` if the database is away or too slow */
export type Query = <Row extends object>(
  text: string,
  values?: readonly unknown[],
  timeout?: number,
) => Promise<Row[]>;

/** A transaction that stays open: a lock that it takes lasts as long. Its connection is given back when it ends. */
export interface Held {
  readonly query: Query;
  /** @throws PatchgateError if nobody knows whether it was committed */
  commit(): Promise<void>;
  /** Never rejects. After a commit, does nothing. */
  rollback(): Promise<void>;
}

/** The database that the gates of a fleet share. */
export interface Database {
  /** For people, without its password: `postgres://db.example.com:5432/patchgate`. */
  readonly name: string;
  readonly query: Query;
  /** Begins a transaction with some statements. @param patience milliseconds that these may take */
  begin(statements: string, patience?: number): Promise<Held>;
  /** Why it is away; undefined while it answers. */
  readonly trouble: Error | undefined;
  close(): Promise<void>;
}

/** Connections of one gate. */
export const CONNECTIONS = 16;
/** Milliseconds: what a step may take, the way there beside a lock, and how long a database that is away is not asked again. */
const CONNECT_TIMEOUT = 5000;
const STATEMENT_TIMEOUT = 10_000;
const CLOSE_TIMEOUT = 2000;
const LATENCY = 500;
const PAUSE = 500;

/** Of the transaction that makes the tables; any number that no other program takes: `patchgat` in ASCII. */
const LOCK = '8097879345962868084';

type Notice = (text: string) => void;

/**
 * Opens the database, and makes the tables if they are missing.
 *
 * @param url `postgres://user:password@host:5432/name?sslmode=verify-full`
 * @throws PatchgateError `bad-config` (the URL, the tables), `bad-usage` (the package pg is not installed), `store-unavailable`
 */
export async function openDatabase({ url, notice }: { url: string; notice: Notice }): Promise<Database> {
  const name = shownUrl(url);
  const { default: pg } = await import('pg').catch((cause) => {
    const what = '--store needs the package pg, which is not installed';
    throw new PatchgateError('bad-usage', what, { hint: 'npm install pg', cause });
  });
  const sockets = new Set<Socket>();
  const pool = new pg.Pool({
    connectionString: withVerifiedTls(url),
    application_name: 'patchgate',
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    keepAlive: true,
    stream: () => {
      const socket = new Socket();
      sockets.add(socket);
      return socket.once('close', () => sockets.delete(socket));
    },
  });
  // Its statement fails for its user, and the next one gets another connection.
  pool.on('connect', (client) => client.on('error', () => undefined)).on('error', () => undefined);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const close = async () => {
    if (pool.ending) return;
    // As long as one of them is open, this process does not end.
    setTimeout(cut, CLOSE_TIMEOUT).unref();
    await pool.end();
  };
  const database = databaseOf(pool, name, notice, close);
  try {
    (await pool.connect()).release();
    await makeTables(database);
    return database;
  } catch (error) {
    // Where the URL has no password and one is asked for, the client leaves the server waiting.
    cut();
    await close();
    throw error instanceof PatchgateError ? error : cannotOpen(name, error);
  }
}

function cannotOpen(name: string, cause: unknown): PatchgateError {
  const what = `the database ${name} cannot be opened: ${messageOf(cause)}`;
  const hint = /SSL|certificate|, (?:open|read)\b/.test(messageOf(cause))
    ? 'sslrootcert=FILE in --store (PATCHGATE_STORE) names an authority, and sslmode=disable is for networks of your own'
    : 'see whether it runs, and whether address, user and password of --store (PATCHGATE_STORE) are right';
  return new PatchgateError('store-unavailable', what, { hint, cause });
}

const USES_ALL = `SELECT FROM patchgate_exchanges, patchgate_records, patchgate_approvals, patchgate_audit WHERE false`;

/** Gates that start together wait for the one that makes them. */
async function makeTables(database: Database): Promise<void> {
  const held = await database.begin(`SELECT pg_advisory_xact_lock(${LOCK})`);
  try {
    // Where the tables are there, no right to make any is needed.
    const [found] = await held.query<{ there: string | null }>(
      `SELECT to_regclass('patchgate_audit') AS there`,
    );
    if (!found?.there) await held.query(readFileSync(new URL('./tables.sql', import.meta.url), 'utf8'));
    await held.query(USES_ALL);
    await held.commit();
  } catch (cause) {
    await held.rollback();
    if (cause instanceof PatchgateError) throw cause;
    const hint =
      'start once as the owner of the database, who may make tables, and grant other roles the use of them';
    const what = `the tables in ${database.name} cannot be used: ${messageOf(cause)}`;
    throw new PatchgateError('bad-config', what, { hint, cause });
  }
}

function databaseOf(pool: Pool, name: string, notice: Notice, close: Database['close']): Database {
  let trouble: Error | undefined;
  /** It is not asked before then, by `performance.now()`. */
  let awayUntil = 0;

  const refuseAway = () => {
    if (performance.now() >= awayUntil) return;
    throw new PatchgateError('store-unavailable', messageOf(trouble), {
      hint: 'try again when it is back: until then no guarded PATCH passes, and nobody decides about an approval',
    });
  };
  const failed = (error: unknown): never => {
    if (!trouble) notice(`THE DATABASE IS AWAY: ${name}: ${messageOf(error)}`);
    trouble = new Error(`the database of the gates is away: ${messageOf(error)}`, { cause: error });
    awayUntil = performance.now() + PAUSE;
    refuseAway();
    throw error;
  };
  const ask = async <Row extends object>(
    asked: Pick<Pool, 'query'>,
    text: string,
    values?: readonly unknown[],
    timeout = STATEMENT_TIMEOUT,
  ): Promise<Row[]> => {
    refuseAway();
    try {
      // A pooler such as pgbouncer takes no timeouts for the server.
      const query = { text, ...(values && { values: [...values] }), query_timeout: timeout };
      const { rows } = await asked.query<Row>(query);
      if (trouble) notice(`the database is back: ${name}`);
      trouble = undefined;
      return rows;
    } catch (error) {
      const code = error instanceof Error && 'severity' in error ? (systemCode(error) ?? '') : '';
      // Canceled, or a lock not given in time: the database is there, and answers others.
      if (code === '57014' || code === '55P03') throw tooSlow(error);
      if (code === '' || IS_AWAY.test(code)) failed(error);
      throw error;
    }
  };
  const begin = async (statements: string, patience = STATEMENT_TIMEOUT): Promise<Held> => {
    refuseAway();
    const client = await pool.connect().catch(failed);
    let isOver = false;
    const giveBack = (isLost: boolean) => {
      if (!isOver) client.release(isLost);
      isOver = true;
    };
    const askHeld = <Row extends object>(text: string, values?: readonly unknown[], timeout?: number) =>
      ask<Row>(client, text, values, timeout).catch((error) => {
        if (error instanceof PatchgateError) giveBack(true);
        throw error;
      });
    const end = async (how: string) => {
      if (!isOver) await askHeld(how).finally(() => giveBack(false));
    };
    // Each statement sees what others have committed, whatever the database's default is.
    await askHeld(`BEGIN ISOLATION LEVEL READ COMMITTED; ${statements}`, undefined, patience + LATENCY);
    return { query: askHeld, commit: () => end('COMMIT'), rollback: () => end('ROLLBACK').catch(() => {}) };
  };
  return {
    name,
    query: (text, values, timeout) => ask(pool, text, values, timeout),
    begin,
    get trouble() {
      return trouble;
    },
    close,
  };
}

/** Connection exceptions, insufficient resources, operator intervention; and a read-only one stays so after a failover. */
const IS_AWAY = /^(?:08|53|57|25006)/;

function tooSlow(cause: unknown): PatchgateError {
  return new PatchgateError('store-unavailable', `the database took too long: ${messageOf(cause)}`, {
    hint: 'nothing was sent: try again when it has less to do, or the PATCH of the record that another gate has on its way is over',
    cause,
  });
}

/** @throws PatchgateError `bad-config`, without what may be a password */
function parsed(url: string): URL {
  if (/^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url)) return new URL(url);
  throw new PatchgateError('bad-config', 'invalid value for --store (PATCHGATE_STORE)', {
    hint: 'it takes the URL of a PostgreSQL database: postgres://user:password@db.example.com/patchgate',
  });
}

/** Without user, password and parameters. */
export function shownUrl(url: string): string {
  const { protocol, host, pathname } = parsed(url);
  return `${protocol}//${host}${pathname}`;
}

/** Off loopback, the certificate is verified unless the URL says otherwise. */
function withVerifiedTls(url: string): string {
  const given = parsed(url);
  const isLocal = given.hostname === '' || /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(given.hostname);
  if (isLocal || given.searchParams.has('sslmode')) return url;
  given.searchParams.set('sslmode', 'verify-full');
  return given.href;
}
