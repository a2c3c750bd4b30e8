import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cores, freePort } from './server.js';

const ROOT = '/usr/lib/postgresql';

/** Where Debian has the newest PostgreSQL's programs; undefined: it is not installed. */
function programs() {
  const versions = existsSync(ROOT) ? readdirSync(ROOT) : [];
  const newest = versions.sort((a, b) => b - a)[0];
  return newest && join(ROOT, newest, 'bin');
}

/** It does not run as root: then it runs as the user that its package has made. */
function asPostgres() {
  if (process.getuid() !== 0) return {};
  const idOf = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/**
 * Starts a PostgreSQL on a free port, with the settings that it comes with, on the core of the load.
 *
 * @returns `{ url, transactions(), stop() }`; undefined where none is installed
 */
export async function startPostgres(folder) {
  const bin = programs();
  if (!bin) return undefined;
  const own = join(folder, 'postgres');
  mkdirSync(own, { mode: 0o700 });
  chmodSync(folder, 0o755);
  const user = asPostgres();
  if (user.uid !== undefined) chownSync(own, user.uid, user.gid);
  const options = { ...user, cwd: own, stdio: 'ignore' };
  const data = join(own, 'data');
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8'], options);
  const port = await freePort();
  const config = `listen_addresses = '127.0.0.1'\nport = ${port}\nunix_socket_directories = ''\n`;
  writeFileSync(join(data, 'postgresql.conf'), config);
  const args = ['-c', String(cores.load), join(bin, 'postgres'), '-D', data];
  const child = spawn('taskset', args, options);
  process.on('exit', () => child.kill('SIGQUIT'));
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const ask = (text) =>
    execFileSync(join(bin, 'psql'), [url, '-XAtc', text], {
      ...user,
      cwd: own,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  for (const giveUpAt = Date.now() + 20_000; ; await pause(50)) {
    try {
      ask('SELECT 1');
      break;
    } catch (error) {
      if (Date.now() > giveUpAt || child.exitCode !== null) throw error;
    }
  }
  return {
    url,
    transactions: () => Number(ask("SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'")),
    async stop() {
      const over = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGQUIT');
      await over;
    },
  };
}
