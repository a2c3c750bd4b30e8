/** On loopback the gate answers to names that lead to this machine or to the target: no other page's name may be led here. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Running, startBinary } from '../support/binary.ts';
import { GOOD_PROJECT, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { exchange } from '../support/exchanges.ts';
import { startGate } from '../support/in-process.ts';
import { RawConnection, sendRaw, valuesOf } from '../support/raw.ts';
import { recordAll } from '../support/recordings.ts';
import { startTarget, type Target } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let target: Target;
beforeAll(async () => {
  target = await startTarget((_, res) => res.end('answered'));
});

const get = (host: string, path = '/x') => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
const HANDSHAKE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x';

async function statusOf({ port }: { port: number }, text: string): Promise<number> {
  return (await sendRaw(port, text)).status;
}

describe('proxy', () => {
  let gate: Running;
  beforeAll(async () => {
    gate = await startBinary(['proxy', target.url]);
  });

  it.each([
    ...['localhost', '127.0.0.1:80', '127.3.2.1', '[::1]', 'a.localhost:4010', 'host.docker.internal'],
  ])('answers to %s', async (host) => {
    expect(await statusOf(gate, get(host))).toBe(200);
    expect(await statusOf(gate, get(host, '/__patchgate/session/a/x'))).toBe(200);
  });

  it('answers HTTP/1.0 without a Host', async () => {
    expect(await statusOf(gate, 'GET /x HTTP/1.0\r\n\r\n')).toBe(200);
  });

  it.each(['evil.example', 'evil.example:4010', '0.0.0.0:4010', '10.0.0.1', 'localhost.evil.example'])(
    'does not answer to %s, and says why',
    async (host) => {
      const before = target.received.length;
      const body = JSON.stringify(GOOD_PROJECT);
      for (const text of [
        get(host),
        get(host, '/__patchgate/session/a/x'),
        get(host, 'http://localhost/x'),
        `PATCH ${PROJECT_PATH} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        `OPTIONS /x HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\n\r\n`,
        `GET /x HTTP/1.1\r\nHost: ${host}\r\n${HANDSHAKE}\r\n\r\n`,
      ]) {
        const answer = await sendRaw(gate.port, text);
        expect(answer.status).toBe(421);
        expect(valuesOf(answer, 'content-type')).toEqual(['application/problem+json']);
        expect(JSON.parse(String(answer.body))).toMatchObject({
          detail: expect.stringContaining(JSON.stringify(host)),
          hint: expect.stringContaining('--host'),
        });
      }
      expect(target.received.length).toBe(before);
      await gate.said(/421 not judged gate .*Host/);
    },
  );

  it('goes on answering on the connection, behind what it did not', async () => {
    const client = await RawConnection.open(gate.port);
    client.write(`${get('evil.example')}${get('localhost')}`);
    expect((await client.response()).status).toBe(421);
    expect((await client.response()).status).toBe(200);
    client.close();
  });
});

it("replay answers to its target's name, too, and fake as proxy does", async () => {
  const cwd = temporaryFolder();
  await recordAll(`${cwd}/recordings`, 'default', [exchange()]);
  const replay = await startBinary(['replay'], { cwd, env: { PATCHGATE_TARGET: 'http://Staging.test/api' } });
  expect(await statusOf(replay, get('staging.test:4010'))).toBe(501);
  expect(await statusOf(replay, get('api.staging.test'))).toBe(421);
  const fake = await startBinary(['fake']);
  expect(await statusOf(fake, get('localhost'))).toBe(404);
  expect(await statusOf(fake, get('evil.example'))).toBe(421);
});

it('beyond loopback, any name is answered', async () => {
  const gate = await startGate({ target: target.url, host: '0.0.0.0' });
  expect(await statusOf(gate, get('evil.example'))).toBe(200);
});

it('mounted in another server, whatever that answers is answered', async () => {
  const { gate } = await startGate({ target: target.url });
  const server = createServer(gate.handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const mounted = server.address() as AddressInfo;
  expect(await statusOf(mounted, get('evil.example'))).toBe(200);
  expect(await statusOf(mounted, get('evil.example', '/__patchgate/health'))).toBe(403);
  server.close();
});

it('a service worker is not registered, be its script recorded', async () => {
  const gate = await startBinary(['proxy', target.url]);
  const answer = await sendRaw(gate.port, {
    path: '/sw.js',
    headers: [
      ['Service-Worker', 'script'],
      ['Sec-Fetch-Site', 'same-origin'],
    ],
  });
  expect(answer.status).toBe(403);
  expect(JSON.parse(String(answer.body)).detail).toContain('service worker');
});
