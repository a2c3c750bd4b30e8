/** A PostgreSQL server of the tests' own, on a free port: Debian's. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type Database, openDatabase } from '../../src/postgres/database.ts';
import type { Pair } from './certificates.ts';
import { cleanUpLater } from './clean-up.ts';
import { freePort } from './target.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { postgresProgram } from './tools.ts';

export interface Postgres {
  /** `postgres://postgres@127.0.0.1:40123/postgres` */
  url: string;
  port: number;
  /** A database of its own. @returns its URL */
  database(): Promise<string>;
  /** Connections are cut as by a crash. */
  kill(): Promise<void>;
  /** After a kill, with the same data and port. */
  start(): Promise<void>;
}

/** PostgreSQL does not run as root: then it runs as the user that its package has made. */
const isRoot = process.getuid?.() === 0;
const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
export const asPostgres = () => (isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {});

/** A folder that the server's user owns. */
export function folderOfPostgres(): string {
  const folder = temporaryFolder();
  // Else that user does not reach it.
  execFileSync('chmod', ['a+x', tmpdir(), folder]);
  const own = join(folder, 'postgres');
  mkdirSync(own, { mode: 0o700 });
  const { uid, gid } = asPostgres();
  if (uid !== undefined) chownSync(own, uid, gid as number);
  return own;
}

/** As a gate opens it. */
export async function openAt(url: string): Promise<Database> {
  const database = await openDatabase({ url, notice: () => undefined });
  cleanUpLater(() => database.close());
  return database;
}

/** What one statement gives. @param url of the database */
export async function rowsOf<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** The data of a new server: a copy of what the first one of a run has made, which takes a second. */
function makeData(data: string, options: object): void {
  const first = join(tmpdir(), 'postgres-data');
  if (existsSync(first)) return void execFileSync('cp', ['-a', first, data]);
  const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--wal-segsize=1'];
  execFileSync(postgresProgram('initdb'), initdb, options);
  const own = `${first}-${process.pid}`;
  execFileSync('cp', ['-a', data, own]);
  try {
    renameSync(own, first);
  } catch {
    // Another worker was faster.
  }
}

/** @param tls takes TLS as well, with that certificate */
export async function startPostgres(tls?: Pair): Promise<Postgres> {
  const folder = folderOfPostgres();
  const options = { ...asPostgres(), cwd: folder, stdio: 'ignore' as const };
  const data = join(folder, 'data');
  makeData(data, options);
  const port = await freePort();
  writeFileSync(
    join(data, 'postgresql.conf'),
    `listen_addresses = '127.0.0.1'\nport = ${port}\nunix_socket_directories = ''\nmax_connections = 200\nfsync = off\nautovacuum = off\nssl = ${tls ? 'on' : 'off'}\n`,
  );
  for (const [name, text] of tls ? Object.entries({ 'server.crt': tls.cert, 'server.key': tls.key }) : []) {
    writeFileSync(join(data, name), text, { mode: 0o600 });
    const { uid, gid } = asPostgres();
    if (uid !== undefined) chownSync(join(data, name), uid, gid as number);
  }
  const url = (name: string) => `postgres://postgres@127.0.0.1:${port}/${name}`;
  let server: ChildProcess | undefined;
  const ask = async (text: string) => {
    await rowsOf(url('postgres'), text);
  };
  const start = async () => {
    server = spawn(postgresProgram('postgres'), ['-D', data], options);
    for (;;) {
      try {
        return await ask('SELECT 1');
      } catch (error) {
        if (server.exitCode !== null) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  };
  const kill = async () => {
    const running = server;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const over = new Promise((resolve) => running.once('exit', resolve));
    // Immediate shutdown: its processes end, and nothing is written out.
    running.kill('SIGQUIT');
    await over;
  };
  cleanUpLater(kill);
  await start();
  let count = 0;
  return {
    url: url('postgres'),
    port,
    kill,
    start,
    async database() {
      const name = `test${++count}`;
      // Without writing each page of the template into its log.
      await ask(`CREATE DATABASE ${name} STRATEGY FILE_COPY`);
      return url(name);
    },
  };
}
