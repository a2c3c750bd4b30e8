/** What the stop cuts off is said to be the stop's doing: neither the client nor the target has failed. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startBinary } from '../support/binary.ts';
import { GOOD_PROJECT, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { startGate, startRecorder } from '../support/in-process.ts';
import { RawConnection, requestBytes, sendRaw } from '../support/raw.ts';
import { startRawTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const STOPPED = 'Patchgate was stopped before the answer was complete';
const body = JSON.stringify(GOOD_PROJECT);
const WEB_SOCKET =
  'GET /socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

/** Requests that a target without a word, or without an end, leaves open; and those that the client has not sent whole. */
const OPEN: readonly (readonly [what: string, bytes: string | Buffer])[] = [
  ['GET /silent', requestBytes({ path: '/silent' })],
  ['GET /endless', requestBytes({ path: '/endless' })],
  ['POST /upload', 'POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\npart'],
  [`PATCH ${PROJECT_PATH}`, requestBytes({ method: 'PATCH', path: PROJECT_PATH, body })],
  [
    `PATCH ${PROJECT_PATH}?half`,
    `PATCH ${PROJECT_PATH}?half HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"na`,
  ],
  ['GET /socket', WEB_SOCKET],
];

async function openAll(port: number): Promise<RawConnection[]> {
  const clients = await Promise.all(OPEN.map(() => RawConnection.open(port)));
  for (const [index, [, bytes]] of OPEN.entries()) clients[index]?.write(bytes);
  await clients[1]?.came('beginning');
  // All of them are under way.
  expect((await sendRaw(port, { path: '/last' })).status).toBe(200);
  return clients;
}

function startTarget() {
  return startRawTarget((socket) => {
    socket.on('data', (bytes) => {
      if (bytes.includes('/last ')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      if (bytes.includes('/endless '))
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbeginning');
    });
  });
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
}

it('each answer of a gate that stops says that its connection closes', async () => {
  const target = await startTarget();
  const { gate, port } = await startGate({ target: target.url });
  const requests = [{ path: '/silent' }, { method: 'PATCH', path: PROJECT_PATH, body }];
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
    const target = await startTarget();
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
    const recorded = filesIn(`${cwd}/recordings`).filter((file) => file.endsWith('.json'));
    expect(recorded.filter((file) => !file.includes('.patchgate'))).toEqual(['default/last/GET.json']);
  });

  it('is answered so in a server of somebody else', async () => {
    const target = await startTarget();
    const cwd = temporaryFolder();
    const { gate } = await startRecorder(cwd, target.url);
    const server = createServer(gate.handler).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const silent = await RawConnection.open(port);
    const judged = await RawConnection.open(port);
    silent.write(requestBytes({ path: '/silent' }));
    judged.write(requestBytes({ method: 'PATCH', path: PROJECT_PATH, body }));
    expect((await sendRaw(port, { path: '/last' })).status).toBe(200);
    await expect.poll(() => target.sockets.length).toBe(3);
    await gate.close();
    for (const [client, method] of [
      [silent, 'GET'],
      [judged, 'PATCH'],
    ] as const) {
      const answer = await client.response(method);
      expect(answer.status).toBe(503);
      expect(JSON.parse(answer.body.toString())).toMatchObject({ detail: STOPPED });
      client.close();
    }
    server.close().closeAllConnections();
    expect(filesIn(cwd).filter((file) => file.endsWith('silent/GET.json'))).toEqual([]);
  });
});
