import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Pool, PoolClient } from 'pg';
import { messageOf, PatchgateError, systemCode } from '../errors.ts';

/** Runs one statement. @throws PatchgateError `store-unavailable` where the database is away or too slow */
export type Query = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** A transaction that stays open: a lock that it takes lasts as long. Its connection is given back when it ends. */
export interface Held {
  readonly query: Query;
  /** @throws PatchgateError where nobody knows whether it was committed */
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
/** Milliseconds. */
const CONNECT_TIMEOUT = 5000;
const STATEMENT_TIMEOUT = 10_000;
/** What the way to a database takes, beside a statement. */
const LATENCY = 500;
/** How long a connection may take to end. */
const CLOSE_TIMEOUT = 2000;
/** How long a database that is away is not asked again. */
const PAUSE = 500;

/** Of the transaction that makes the tables; any number that no other program takes: `patchgat` in ASCII. */
const LOCK = '8097879345962868084';

/**
 * Opens the database, and makes the tables where they are missing.
 *
 * @param url `postgres://user:password@host:5432/name?sslmode=verify-full`
 * @param notice takes one notice for people
 * @throws PatchgateError `bad-config` (the URL, the tables), `bad-usage` (the package pg is not installed), `store-unavailable`
 */
export async function openDatabase(options: {
  url: string;
  notice: (text: string) => void;
}): Promise<Database> {
  const name = shownUrl(options.url);
  const pg = await import('pg').catch((cause) => {
    throw new PatchgateError('bad-usage', '--store needs the package pg, which is not installed', {
      hint: 'npm install pg',
      cause,
    });
  });
  const database = new PostgresDatabase(pg.default, name, options.url, options.notice);
  try {
    await database.connect();
    await makeTables(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Gates that start together wait for the one that makes them. */
async function makeTables(database: Database): Promise<void> {
  const held = await database.begin(`SELECT pg_advisory_xact_lock(${LOCK})`);
  try {
    // Where the tables are there, no right to make any is needed.
    const [found] = await held.query<{ audit: string | null }>(
      `SELECT to_regclass('patchgate_audit') AS audit`,
    );
    if (!found?.audit) await held.query(readFileSync(new URL('./tables.sql', import.meta.url), 'utf8'));
    await held.commit();
  } catch (cause) {
    await held.rollback();
    if (cause instanceof PatchgateError) throw cause;
    throw new PatchgateError(
      'bad-config',
      `the tables in ${database.name} cannot be used: ${messageOf(cause)}`,
      {
        hint: 'start once as the owner of the database, who may make tables, and grant other roles the use of them',
        cause,
      },
    );
  }
}

type Pg = Pick<typeof import('pg'), 'DatabaseError' | 'Pool'>;

class PostgresDatabase implements Database {
  readonly name: string;
  trouble: Error | undefined;
  readonly #pg: Pg;
  readonly #notice: (text: string) => void;
  readonly #pool: Pool;
  readonly #sockets = new Set<Socket>();
  /** It is not asked before then, by `performance.now()`. */
  #awayUntil = 0;

  constructor(pg: Pg, name: string, url: string, notice: (text: string) => void) {
    this.#pg = pg;
    this.name = name;
    this.#notice = notice;
    this.#pool = new pg.Pool({
      connectionString: withVerifiedTls(url),
      application_name: 'patchgate',
      max: CONNECTIONS,
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      // A pooler such as pgbouncer takes no timeouts of the server's.
      query_timeout: STATEMENT_TIMEOUT,
      keepAlive: true,
      stream: () => this.#newSocket(),
    });
    // Who uses it is told by its statement, and who comes next gets another one.
    this.#pool.on('connect', (client) => client.on('error', () => undefined)).on('error', () => undefined);
  }

  /** The first time. @throws PatchgateError `store-unavailable` */
  async connect(): Promise<void> {
    try {
      (await this.#pool.connect()).release();
    } catch (cause) {
      // Where the URL has no password and one is asked for, the client leaves the server waiting.
      this.#cut();
      const message = messageOf(cause);
      const hint = /SSL|certificate|, (?:open|read)\b/.test(message)
        ? 'sslrootcert=FILE in --store (PATCHGATE_STORE) names an authority, and sslmode=disable is for networks of your own'
        : 'see whether it runs, and whether address, user and password of --store (PATCHGATE_STORE) are right';
      const what = `the database ${this.name} cannot be opened: ${message}`;
      throw new PatchgateError('store-unavailable', what, { hint, cause });
    }
  }

  readonly query: Query = async (text, values) => {
    const client = await this.#client();
    try {
      const rows = await this.#ask(client, text, values);
      client.release();
      return rows as never[];
    } catch (error) {
      client.release(error instanceof PatchgateError);
      throw error;
    }
  };

  async begin(statements: string, patience?: number): Promise<Held> {
    const client = await this.#client();
    let isOver = false;
    const giveBack = (isLost: boolean) => {
      if (!isOver) client.release(isLost);
      isOver = true;
    };
    const ask = async (text: string, values?: readonly unknown[], timeout?: number) => {
      try {
        return (await this.#ask(client, text, values, timeout)) as never[];
      } catch (error) {
        if (error instanceof PatchgateError) giveBack(true);
        throw error;
      }
    };
    const end = async (how: string) => {
      if (isOver) return;
      await ask(how).finally(() => giveBack(false));
    };
    await ask(`BEGIN; ${statements}`, undefined, patience && patience + LATENCY);
    return {
      query: (text, values) => ask(text, values),
      commit: () => end('COMMIT'),
      rollback: () => end('ROLLBACK').catch(() => undefined),
    };
  }

  async close(): Promise<void> {
    if (this.#pool.ending) return;
    // As long as one of them is open, this process does not end.
    setTimeout(() => this.#cut(), CLOSE_TIMEOUT).unref();
    await this.#pool.end();
  }

  async #client(): Promise<PoolClient> {
    if (performance.now() < this.#awayUntil) throw this.#away();
    return this.#pool.connect().catch((error) => this.#failed(error));
  }

  async #ask(
    client: PoolClient,
    text: string,
    values: readonly unknown[] = [],
    timeout = STATEMENT_TIMEOUT,
  ): Promise<unknown[]> {
    // Several statements take no values.
    const asked = { text, ...(values.length > 0 && { values: [...values] }), query_timeout: timeout };
    try {
      const { rows } = await client.query(asked);
      this.#isBack();
      return rows;
    } catch (error) {
      // Neither connection exceptions, insufficient resources, operator intervention nor locks; and what is read-only stays so after a failover.
      const isOfStatement =
        error instanceof this.#pg.DatabaseError && !/^(?:08|53|55P03|57|25006)/.test(error.code ?? '');
      if (isOfStatement) throw error;
      if (TOO_SLOW.has(systemCode(error) ?? '')) throw tooSlow(error);
      return this.#failed(error);
    }
  }

  #failed(error: unknown): never {
    if (!this.trouble) this.#notice(`THE DATABASE IS AWAY: ${this.name}: ${messageOf(error)}`);
    this.trouble = new Error(`the database of the gates is away: ${messageOf(error)}`, { cause: error });
    this.#awayUntil = performance.now() + PAUSE;
    throw this.#away();
  }

  #isBack(): void {
    if (this.trouble) this.#notice(`the database is back: ${this.name}`);
    this.trouble = undefined;
    this.#awayUntil = 0;
  }

  #away(): PatchgateError {
    return new PatchgateError('store-unavailable', messageOf(this.trouble), {
      hint: 'try again when it is back: until then no guarded PATCH passes, and nobody decides about an approval',
    });
  }

  #newSocket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    return socket.once('close', () => this.#sockets.delete(socket));
  }

  #cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** A statement was canceled, or a lock not given in time. */
const TOO_SLOW: ReadonlySet<string> = new Set(['57014', '55P03']);

/** The database is there, and answers others. */
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
