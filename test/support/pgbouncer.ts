/** pgbouncer in front of a PostgreSQL server of the tests, in transaction mode: Debian's. */
import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { cleanUpLater } from './clean-up.ts';
import { asPostgres, folderOfPostgres, rowsOf } from './postgres.ts';
import { freePort } from './target.ts';

/** @returns the URL of the same database through it */
export async function startPgbouncer(url: string): Promise<string> {
  const folder = folderOfPostgres();
  const options = { ...asPostgres(), cwd: folder, stdio: 'ignore' as const };
  const port = await freePort();
  const config = join(folder, 'pgbouncer.ini');
  const users = join(folder, 'users.txt');
  writeFileSync(users, '"postgres" ""\n', { mode: 0o644 });
  writeFileSync(
    config,
    [
      '[databases]',
      `* = host=127.0.0.1 port=${new URL(url).port}`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
      `auth_type = trust\nauth_file = ${users}`,
      'pool_mode = transaction\nmax_client_conn = 200\ndefault_pool_size = 60',
      // Who waits for a server that is away is told soon, and one that is back is asked soon.
      'server_login_retry = 1\nquery_wait_timeout = 2',
      '',
    ].join('\n'),
    { mode: 0o644 },
  );
  const bouncer = spawn(pgbouncer(), [config], options);
  const ended = new Promise((resolve) => bouncer.once('exit', resolve));
  cleanUpLater(async () => {
    bouncer.kill('SIGKILL');
    await ended;
  });
  const through = new URL(url);
  through.port = String(port);
  const look = () => {
    if (bouncer.exitCode !== null) throw new Error('pgbouncer did not start');
    return rowsOf(through.href, 'SELECT 1');
  };
  await vi.waitFor(look, { timeout: 30_000 });
  return through.href;
}

/** Debian puts it where only root looks. */
function pgbouncer(): string {
  return execFileSync('sh', ['-c', 'PATH=$PATH:/usr/sbin command -v pgbouncer'], { encoding: 'utf8' }).trim();
}
