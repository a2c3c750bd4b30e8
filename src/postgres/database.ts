import { Socket } from 'node:net';
import type { Client, ClientConfig, Pool, PoolClient } from 'pg';
import { messageOf, PatchgateError, systemCode } from '../errors.ts';
import { makeTables, type Query } from './tables.ts';

/** A transaction that stays open: a lock that it takes lasts as long. */
export interface Held {
  readonly query: Query;
  /** Commits, and gives its connection back. More often does nothing. */
  end(): Promise<void>;
}

/** The database that the gates of a fleet share. */
export interface Database {
  /** For people, without its password: `postgres://db.example.com:5432/patchgate`. */
  readonly name: string;
  /** Of its tables alone, wherever they are moved. */
  readonly id: string;
  readonly query: Query;
  /** All of it, or nothing. @throws PatchgateError `store-unavailable`; what the work throws */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** Begins a transaction with some statements. @throws PatchgateError `store-unavailable` */
  hold(statements: string): Promise<Held>;
  /** Calls back for each NOTIFY of the channel, and after each time in which some may have been missed. The function returned ends it. */
  listen(channel: string, onNotice: (payload: string | undefined) => void): () => void;
  /** Why it is away; undefined while it answers. */
  readonly trouble: Error | undefined;
  close(): Promise<void>;
}

interface DatabaseOptions {
  /** `postgres://user:password@host:5432/name?sslmode=verify-full` */
  url: string;
  /** Takes one notice for people. */
  notice: (text: string) => void;
}

/** Connections of one gate, beside the one that listens. */
export const CONNECTIONS = 16;
/** Milliseconds. */
const CONNECT_TIMEOUT = 5000;
const STATEMENT_TIMEOUT = 10_000;
/** Who waits for a lock is told so: what takes longer takes long by itself. */
const TIMEOUTS = { statement_timeout: STATEMENT_TIMEOUT, lock_timeout: STATEMENT_TIMEOUT - 1000 };
/** How long a connection may take to end. */
const CLOSE_TIMEOUT = 2000;
/** How long a database that is away is not asked again: at first, and at most. */
const FIRST_PAUSE = 200;
const LONGEST_PAUSE = 5000;

/**
 * Opens the database, and makes the tables where they are missing.
 *
 * @throws PatchgateError `bad-config` (the URL), `bad-usage` (the package pg is not installed), `store-unavailable`, `store-too-new`
 */
export async function openDatabase({ url, notice }: DatabaseOptions): Promise<Database> {
  const name = shownUrl(url);
  const pg = await loadPg();
  const options = {
    connectionString: withVerifiedTls(url),
    application_name: 'patchgate',
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    query_timeout: STATEMENT_TIMEOUT + 1000,
    ...TIMEOUTS,
    keepAlive: true,
  };
  return open(pg, options, { name, notice });
}

async function open(pg: Pg, options: ClientConfig, about: About): Promise<Database> {
  const database = new PostgresDatabase(pg, options, about);
  try {
    await database.connect();
    database.id = await database.transaction(makeTables);
    return database;
  } catch (error) {
    await database.close();
    const { statement_timeout, lock_timeout: _, ...others } = options;
    // A pooler such as pgbouncer refuses what it does not know: then the client's own timeout is the only one.
    if (statement_timeout && /unsupported startup parameter/.test(messageOf(error)))
      return open(pg, others, about);
    throw error instanceof PatchgateError ? error : unusable(about.name, error);
  }
}

/** The database says no, for example to a role that may not make tables. */
function unusable(name: string, cause: unknown): PatchgateError {
  return new PatchgateError('bad-config', `the tables in ${name} cannot be used: ${messageOf(cause)}`, {
    hint: 'start once as the owner of the database, who may make tables, and grant other roles the use of them',
    cause,
  });
}

type About = Omit<DatabaseOptions, 'url'> & Pick<Database, 'name'>;
type Pg = Pick<typeof import('pg'), 'Client' | 'Pool'>;

async function loadPg(): Promise<Pg> {
  try {
    const { default: pg } = await import('pg');
    return pg;
  } catch (cause) {
    throw new PatchgateError('bad-usage', '--store needs the package pg, which is not installed', {
      hint: 'npm install pg',
      cause,
    });
  }
}

class PostgresDatabase implements Database {
  readonly name: string;
  id = '';
  trouble: Error | undefined;
  readonly #pg: Pg;
  readonly #options: ClientConfig;
  readonly #notice: DatabaseOptions['notice'];
  readonly #pool: Pool;
  /** It is not asked before then, by `performance.now()`. */
  #awayUntil = 0;
  #pause = FIRST_PAUSE;
  readonly #endings = new Set<() => void>();
  readonly #sockets = new Set<Socket>();

  constructor(pg: Pg, options: ClientConfig, { name, notice }: About) {
    this.#pg = pg;
    this.#options = { ...options, stream: () => this.#newSocket() };
    this.name = name;
    this.#notice = notice;
    this.#pool = new pg.Pool({ ...this.#options, max: CONNECTIONS });
    // Who uses it is told by its statement, and who comes next gets another one.
    this.#pool.on('connect', (client) => client.on('error', () => undefined)).on('error', () => undefined);
  }

  /** The first time. @throws PatchgateError `store-unavailable` */
  async connect(): Promise<void> {
    try {
      const client = await this.#pool.connect();
      client.release();
    } catch (cause) {
      // Where the URL has no password and one is asked for, the client leaves the server waiting.
      for (const socket of this.#sockets) socket.destroy();
      const message = messageOf(cause);
      throw new PatchgateError(
        'store-unavailable',
        `the database ${this.name} cannot be opened: ${message}`,
        {
          hint: /SSL|certificate|, (?:open|read)\b/.test(message)
            ? 'sslrootcert=FILE in --store (PATCHGATE_STORE) names an authority, and sslmode=disable is for networks of your own'
            : 'see whether it runs, and whether address, user and password of --store (PATCHGATE_STORE) are right',
          cause,
        },
      );
    }
  }

  readonly query: Query = (text, values) => this.#ask((client) => queryOf(client)(text, values));

  transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#ask(async (client) => {
      const query = queryOf(client);
      await query('BEGIN');
      try {
        const result = await work(query);
        await query('COMMIT');
        return result;
      } catch (error) {
        if (!(error instanceof ConnectionLost)) await query('ROLLBACK');
        throw error;
      }
    });
  }

  async hold(statements: string): Promise<Held> {
    if (performance.now() < this.#awayUntil) throw this.#away();
    const client = await this.#pool.connect().catch((error) => this.#gone(error));
    let isOver = false;
    const end = async (isLost = false) => {
      if (isOver) return;
      isOver = true;
      // A connection that does not commit at once is of no more use.
      const lost =
        isLost ||
        (await client.query('COMMIT').then(
          () => false,
          () => true,
        ));
      client.release(lost);
    };
    const query: Query = async (text, values) => {
      try {
        return await queryOf(client)(text, values);
      } catch (error) {
        await end(true);
        if (error instanceof ConnectionLost) return this.#gone(error.cause);
        throw error;
      }
    };
    await query(`BEGIN; ${statements}`);
    this.#isBack();
    return { query, end };
  }

  #gone(error: unknown): never {
    this.#failed(error as Error);
    throw this.#away();
  }

  async #ask<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    if (performance.now() < this.#awayUntil) throw this.#away();
    let client: PoolClient | undefined;
    try {
      client = await this.#pool.connect().catch(lost);
      const result = await work(client);
      client.release();
      this.#isBack();
      return result;
    } catch (error) {
      const isLost = error instanceof ConnectionLost;
      client?.release(isLost);
      if (!isLost) throw error;
      this.#failed(error.cause as Error);
      throw this.#away();
    }
  }

  #failed(error: Error): void {
    if (!this.trouble) this.#notice(`THE DATABASE IS AWAY: ${this.name}: ${messageOf(error)}`);
    this.trouble = new Error(`the database of the gates is away: ${messageOf(error)}`, { cause: error });
    this.#awayUntil = performance.now() + jittered(this.#pause);
    this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE);
  }

  #isBack(): void {
    this.#awayUntil = 0;
    this.#pause = FIRST_PAUSE;
    if (!this.trouble) return;
    this.trouble = undefined;
    this.#notice(`the database is back: ${this.name}`);
  }

  #away(): PatchgateError {
    return new PatchgateError('store-unavailable', messageOf(this.trouble), {
      hint: 'try again when it is back: until then no guarded PATCH passes, and nobody decides about an approval',
    });
  }

  listen(channel: string, onNotice: (payload: string | undefined) => void): () => void {
    let client: Client | undefined;
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    let pause = FIRST_PAUSE;
    const again = () => {
      client?.removeAllListeners().on('error', () => undefined);
      void client?.end().catch(() => undefined);
      client = undefined;
      if (isOver) return;
      timer = setTimeout(connect, jittered(pause)).unref();
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    };
    const connect = async () => {
      const one = new this.#pg.Client(this.#options);
      client = one;
      one.once('error', again).once('end', again);
      one.on('notification', ({ payload }) => onNotice(payload));
      try {
        await one.connect();
        await one.query(`LISTEN "${channel}"`);
        pause = FIRST_PAUSE;
        // Who is told that something may have been missed asks for it at once.
        this.#isBack();
        onNotice(undefined);
      } catch {
        if (client === one) again();
      }
    };
    const end = () => {
      isOver = true;
      clearTimeout(timer);
      again();
      this.#endings.delete(end);
    };
    this.#endings.add(end);
    void connect();
    return end;
  }

  #newSocket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    return socket.once('close', () => this.#sockets.delete(socket));
  }

  async close(): Promise<void> {
    for (const end of this.#endings) end();
    if (this.#pool.ending) return;
    // As long as one of them is open, this process does not end.
    setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, CLOSE_TIMEOUT).unref();
    await this.#pool.end();
  }
}

/** The database could not be asked, or did not answer. */
class ConnectionLost extends Error {}

function lost(cause: unknown): never {
  throw new ConnectionLost('', { cause });
}

function queryOf(client: PoolClient): Query {
  return async (text, values) => {
    try {
      return (await client.query(text, values as unknown[] | undefined)).rows;
    } catch (error) {
      if (isOfStatement(error)) throw error;
      if (TOO_SLOW.has(systemCode(error) ?? '')) throw tooSlow(error as Error);
      return lost(error);
    }
  };
}

/** A statement was canceled, or a lock not given in time. */
const TOO_SLOW: ReadonlySet<string> = new Set(['57014', '55P03']);

/** The database is there, and answers others. */
function tooSlow(cause: Error): PatchgateError {
  return new PatchgateError('store-unavailable', `the database took too long: ${cause.message}`, {
    hint: 'try again when it has less to do',
    cause,
  });
}

/** Whether it is what the database says of a statement. */
function isOfStatement(error: unknown): boolean {
  const code = systemCode(error);
  // Neither connection exceptions, insufficient resources, operator intervention nor locks of others; and what is read-only stays so after a failover.
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !/^(?:08|53|55P03|57|25006)/.test(code);
}

/** Gates that lost it together do not come back together. */
function jittered(pause: number): number {
  return pause * (0.5 + Math.random());
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
