/** A run from its first line to its exit code. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packed, startBinary } from '../support/binary.ts';
import { BAD_PROJECT, GOOD_PROJECT, HANDSHAKE, JSON_TYPE, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { startGate } from '../support/in-process.ts';
import { RawConnection, requestBytes, sendRaw } from '../support/raw.ts';
import { exchangeFilesBelow } from '../support/recordings.ts';
import { freePort, startRawTarget, startStreamingTarget, startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const patch = (body: unknown) => ({
  method: 'PATCH',
  path: PROJECT_PATH,
  headers: [JSON_TYPE],
  body: JSON.stringify(body),
});

describe('the access log', () => {
  const exercise = async ({ port, url }: { port: number; url: string }) => {
    await sendRaw(port, patch(GOOD_PROJECT));
    await sendRaw(port, patch(BAD_PROJECT));
    await sendRaw(port, patch({ ...GOOD_PROJECT, extra: 1 }));
    await sendRaw(port, { path: '/api/v2/x?token=SECRET' });
    await fetch(`${url}/__patchgate/health`);
  };

  it('has one line per request, with its verdict', async () => {
    const proxy = await startGate({ target: (await startTarget()).url, log: 'text' });
    await exercise(proxy);
    await proxy.gate.close();
    const text = proxy.log.join('');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/^\S+ /, ''));
    expect(lines).toEqual([
      expect.stringMatching(`^PATCH ${PROJECT_PATH} 200 pass UNGUARDED updateProject target \\d+ms.*$`),
      expect.stringMatching(
        `^PATCH ${PROJECT_PATH} 422 block updateProject gate \\d+ms: .*schema.required /languages`,
      ),
      expect.stringMatching(
        `^PATCH ${PROJECT_PATH} 200 pass updateProject target \\d+ms: .*warn schema.unknown-field /extra`,
      ),
      expect.stringMatching('^GET /api/v2/x\\?token=\\S+ 200 not judged target \\d+ms$'),
    ]);
    expect(text).not.toContain('SECRET');
  });

  it('is silent on demand', async () => {
    const gate = await startBinary(['proxy', (await startTarget()).url, '--log', 'off']);
    await exercise(gate);
    expect((await gate.stop()).stdout).toBe('');
  });

  it('may lose its reader, and so may the notices', async () => {
    const target = await startStreamingTarget((req, res) => {
      req.on('error', () => undefined).resume();
      res.end('at once');
    });
    const port = await freePort();
    const child = spawn(
      process.execPath,
      [packed('dist/cli.js'), 'proxy', target.url, '--record', '--port', String(port)],
      { cwd: temporaryFolder(), stdio: ['ignore', 'pipe', 'pipe'] },
    );
    await once(child.stderr, 'data');
    child.stdout.destroy();
    child.stderr.destroy();
    for (let i = 0; i < 5; i++) {
      // Answered before it is whole, it is not recorded, and there is a notice of that.
      const half = 'POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf';
      expect((await sendRaw(port, half)).status).toBe(200);
    }
    child.kill('SIGTERM');
    expect((await once(child, 'close'))[0]).toBe(0);
  });
});

describe('the end', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s has exit code 0, and what was recorded is on disk',
    async (signal) => {
      const cwd = temporaryFolder();
      const target = await startTarget();
      const gate = await startBinary(['proxy', target.url, '--record'], { cwd });
      // The connection stays open: that is no reason to wait.
      const client = await RawConnection.open(gate.port);
      for (let i = 0; i < 20; i++) {
        client.write(`GET /path/${i} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
        await client.response();
      }
      const { code, stdout } = await gate.stop(signal);
      expect(code).toBe(0);
      expect(stdout.trimEnd().split('\n')).toHaveLength(20);
      for (let i = 0; i < 20; i++) {
        const file = join(cwd, 'recordings', 'default', 'path', String(i), 'GET.json');
        expect((JSON.parse(readFileSync(file, 'utf8')) as { exchanges: unknown[] }).exchanges).toHaveLength(
          1,
        );
      }
      client.close();
    },
  );

  it('lets a request in flight finish', async () => {
    let answer: (() => void) | undefined;
    const target = await startStreamingTarget((_req, res) => {
      answer = () => res.end('late');
    });
    const gate = await startBinary(['proxy', target.url]);
    const client = await RawConnection.open(gate.port);
    client.write('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await expect.poll(() => answer).toBeDefined();
    const ended = gate.stop();
    // No new connection is taken any more: it has begun to end.
    for (;;) {
      const isOpen = await RawConnection.open(gate.port).then(
        (other) => {
          other.close();
          return true;
        },
        () => false,
      );
      if (!isOpen) break;
    }
    answer?.();
    expect((await client.response()).body.toString()).toBe('late');
    client.close();
    expect((await ended).code).toBe(0);
  });

  it('does not wait for those who watch', async () => {
    const target = await startTarget();
    const gate = await startBinary(['proxy', target.url]);
    const client = await RawConnection.open(gate.port);
    client.write('GET /__patchgate/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await client.came('text/event-stream');
    await sendRaw(gate.port, patch(BAD_PROJECT));
    await client.came('event: exchange');
    expect((await gate.stop()).code).toBe(0);
    // Who is waited for is cut off in the end.
    expect((await client.response()).isWhole).toBe(true);
    client.close();
  });
});

// What the stop cuts off is said to be the stop's doing: neither the client nor the target has failed.

const STOPPED = 'Patchgate was stopped before the answer was complete';
/** Requests that a target without a word, or without an end, leaves open; and those that the client has not sent whole. */
const OPEN: readonly (readonly [what: string, bytes: string | Buffer])[] = [
  ['GET /silent', requestBytes({ path: '/silent' })],
  ['GET /endless', requestBytes({ path: '/endless' })],
  ['POST /upload', 'POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\npart'],
  [`PATCH ${PROJECT_PATH}`, requestBytes(patch(GOOD_PROJECT))],
  [
    `PATCH ${PROJECT_PATH}?half`,
    `PATCH ${PROJECT_PATH}?half HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"na`,
  ],
  ['GET /socket', requestBytes({ path: '/socket', headers: HANDSHAKE })],
];

async function openAll(port: number): Promise<RawConnection[]> {
  const clients = await Promise.all(OPEN.map(() => RawConnection.open(port)));
  for (const [index, [, bytes]] of OPEN.entries()) clients[index]?.write(bytes);
  await clients[1]?.came('beginning');
  // All of them are under way.
  expect((await sendRaw(port, { path: '/last' })).status).toBe(200);
  return clients;
}

function startOpenTarget() {
  return startRawTarget((socket) => {
    socket.on('data', (bytes) => {
      if (bytes.includes('/last ')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      if (bytes.includes('/endless '))
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbeginning');
    });
  });
}

it('each answer of a gate that stops says that its connection closes', async () => {
  const target = await startOpenTarget();
  const { gate, port } = await startGate({ target: target.url });
  const requests = [{ path: '/silent' }, patch(GOOD_PROJECT)];
  const clients = await Promise.all(
    requests.map(async (request) => (await RawConnection.open(port)).write(requestBytes(request))),
  );
  await expect.poll(() => target.sockets.length).toBe(requests.length);
  const closed = gate.close();
  for (const socket of target.sockets) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  for (const client of clients) {
    const { status, headers } = await client.response();
    expect(status).toBe(200);
    expect(headers.filter(([name]) => /^connection$/i.test(name)).map(([, value]) => value)).toEqual([
      'close',
    ]);
    client.close();
  }
  await closed;
});

describe.concurrent('what the stop cuts off', () => {
  it('is said in the log, and not recorded as a failure of the target', async () => {
    const target = await startOpenTarget();
    const cwd = temporaryFolder();
    const gate = await startBinary(['proxy', target.url, '--record'], { cwd });
    const clients = await openAll(gate.port);
    const { stdout, code } = await gate.stop();
    for (const client of clients) client.close();
    expect(code).toBe(0);
    for (const [what] of OPEN) {
      const line = stdout.split('\n').find((one) => one.includes(`${what} `));
      expect(line).toContain(`: ${STOPPED}`);
    }
    expect(stdout).not.toMatch(/client|could not be reached/);
    expect(Object.keys(exchangeFilesBelow(join(cwd, 'recordings')))).toEqual(['default/last/GET.json']);
  });
});
