/** The guides are walks: all that they print works when it is pasted. The files of docs/fleet.md are run without containers. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT, runProgram, startBinary } from '../support/binary.ts';
import { cleanUpLater } from '../support/clean-up.ts';
import { asPostgres, folderOfPostgres, startPostgres } from '../support/postgres.ts';
import { RawConnection } from '../support/raw.ts';
import { freePort, startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { walk } from '../support/walk.ts';

it.concurrent.each([
  ['docs/getting-started.md', 'Record a server', 'Next'],
  ['docs/staging.md', 'The first request', 'The target'],
  ['docs/ci.md', 'Check files', 'Reports'],
])('%s works when it is pasted', { tags: 'slow', timeout: 180_000 }, async (page, from, to) => {
  expect(await walk(page, from, to)).toEqual([]);
});

const page = readFileSync(join(ROOT, 'docs/fleet.md'), 'utf8');

function fileOfPage(name: string): string {
  const file = new RegExp(`^cat > ${name} <<'END'\\n(.*?)^END$`, 'ms').exec(page)?.[1];
  if (file === undefined) throw new Error(`the page writes no file ${name}`);
  return file;
}

/**
 * @param site what stands in its `http { }`, listening on 4010
 * @param addresses in the place of the names of containers: `gate-1:4010`
 * @returns its URL
 */
async function startNginx(site: string, addresses: Readonly<Record<string, string>>): Promise<string> {
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

describe('nginx of the page', { tags: ['slow', 'postgres', 'nginx'] }, () => {
  const start = async () => {
    const gates = [await startTarget(), await startTarget()] as const;
    const url = await startNginx(fileOfPage('fleet/nginx.conf'), {
      'gate-1:4010': `127.0.0.1:${gates[0].port}`,
      'gate-2:4010': `127.0.0.1:${gates[1].port}`,
    });
    for (const { received } of gates) received.length = 0;
    return { gates, url };
  };

  it('keeps a session with one gate', async () => {
    const { gates, url } = await start();
    for (let i = 0; i < 20; i++) {
      const counts = gates.map(({ received }) => received.length);
      const headers = { 'Patchgate-Session': `test ${i}` };
      await fetch(`${url}/api/things`, { headers });
      await fetch(`${url}/__patchgate/reset`, { method: 'POST', headers });
      const came = gates.map(({ received }, gate) => received.length - (counts[gate] as number));
      expect(came.sort()).toEqual([0, 2]);
    }
    for (const { received } of gates) expect(received.length).toBeGreaterThan(0);
  });

  it('leaves a request as it was sent', async () => {
    const { gates, url } = await start();
    const path = '/api//v2/%61ccounts/./current/../196/projects/42?a=%2F&&b';
    const connection = await RawConnection.open(Number(new URL(url).port));
    connection.write(
      `PATCH ${path} HTTP/1.1\r\nHost: localhost:4010\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{ "a" : 1}`,
    );
    const received = () => gates.flatMap((gate) => gate.received);
    expect((await connection.response('PATCH')).status).toBe(200);
    const [{ method, url: asked, headers, body }] = received() as [ReturnType<typeof received>[0]];
    expect({ method, asked, host: headers.host, body: body.toString() }).toEqual({
      method: 'PATCH',
      asked: path,
      host: 'localhost:4010',
      body: '{ "a" : 1}',
    });
  });

  it('sends a PATCH to the gate that is left, and none twice', async () => {
    const { gates, url } = await start();
    await gates[0].close();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => fetch(`${url}/api/things/${n}`, { method: 'PATCH', body: '{}' })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(gates[1].received.map((one) => one.url)).size).toBe(20);
    expect(gates[1].received).toHaveLength(20);
  });
});

interface Compose {
  services: Record<string, { command: string; environment: Record<string, string> }>;
}

/** Blocks that are run after the containers were started, each with what the page says that it prints. */
function blocksOfFleet(): { commands: string; prints: string | undefined }[] {
  const section = /^## Two gates behind nginx\n(.*?)^Without containers/ms.exec(page)?.[1] ?? '';
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```\n(?:\n```\n(.*?)^```\n)?/gms)];
  const shown = blocks.slice(1).map(([, commands = '', prints]) => ({ commands, prints }));
  return shown.filter(({ commands }) => !commands.startsWith('docker '));
}

it('the gates of the page know the same', { tags: ['slow', 'postgres', 'nginx'] }, async () => {
  const postgres = await startPostgres();
  const owner = new pg.Client({ connectionString: postgres.url });
  await owner.connect();
  await owner.query('CREATE ROLE patchgate LOGIN');
  await owner.query('CREATE DATABASE patchgate OWNER patchgate');
  await owner.end();
  const staging = await startBinary(['fake']);
  const { services } = parse(fileOfPage('fleet/compose.yaml'), { merge: true }) as Compose;
  const values: Record<string, string> = { DATABASE_PASSWORD: 'secret', CONTROL_TOKEN: 'c'.repeat(32) };
  const start = (name: string) => {
    const { command, environment } = services[name] as Compose['services'][string];
    const args = command.replace('http://staging:4010', staging.url).split(' ');
    const filled = Object.entries(environment).map(([variable, value]) => [
      variable,
      value
        .replace(/\$\{(\w+):(?:\?|-(.*?))\}/g, (_, own: string, other = '') => values[own] ?? other)
        .replace('@postgres/', `@127.0.0.1:${postgres.port}/`),
    ]);
    return startBinary(args, { env: Object.fromEntries(filled) });
  };
  // At once, as the containers are.
  const gates = await Promise.all([start('gate-1'), start('gate-2')]);
  const [one, two] = gates.map(({ port }) => `127.0.0.1:${port}`) as [string, string];
  const url = await startNginx(fileOfPage('fleet/nginx.conf'), { 'gate-1:4010': one, 'gate-2:4010': two });

  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'fleet'));
  const blocks = blocksOfFleet();
  const hosts: Record<string, string> = { 4010: new URL(url).host, 4011: one, 4012: two };
  expect(blocks).toHaveLength(3);
  for (const { commands, prints } of blocks) {
    const script = commands
      .replace(/127\.0\.0\.1:(401[012])\b/g, (_, port) => hosts[port] as string)
      .replaceAll('4011 4012', gates.map(({ port }) => port).join(' '));
    const { code, stdout } = await runProgram('sh', ['-c', script], { cwd });
    expect(code).toBe(0);
    if (prints !== undefined) expect(stdout).toBe(prints);
  }
});
