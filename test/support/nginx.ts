/** nginx on a free port, with a configuration of the documents. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanUpLater } from './clean-up.ts';
import { asPostgres, folderOfPostgres } from './postgres.ts';
import { freePort } from './target.ts';

/**
 * @param site what stands in its `http { }`, listening on 4010
 * @param addresses in the place of the names of containers: `gate-1:4010`
 * @returns its URL
 */
export async function startNginx(site: string, addresses: Readonly<Record<string, string>>): Promise<string> {
  const folder = folderOfPostgres();
  const port = await freePort();
  let text = site.replace('listen 4010', `listen 127.0.0.1:${port}`);
  for (const [name, address] of Object.entries(addresses)) text = text.replaceAll(name, address);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join('\n');
  const config = join(folder, 'nginx.conf');
  writeFileSync(
    config,
    `daemon off;\npid ${join(folder, 'pid')};\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${text}}\n`,
  );
  const nginx = spawn('sh', ['-c', `PATH=$PATH:/usr/sbin exec nginx -e stderr -c ${config}`], {
    ...asPostgres(),
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  nginx.stderr.setEncoding('utf8').on('data', (piece: string) => {
    said += piece;
  });
  const ended = new Promise((resolve) => nginx.once('exit', resolve));
  cleanUpLater(async () => {
    nginx.kill('SIGTERM');
    await ended;
  });
  const url = `http://127.0.0.1:${port}`;
  for (;;) {
    try {
      await (await fetch(url)).arrayBuffer();
      return url;
    } catch {
      if (nginx.exitCode !== null) throw new Error(`nginx did not start: ${said}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
