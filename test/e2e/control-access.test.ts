/** The control API shows and resets what went by: who may ask, proven with the running program. */
import { networkInterfaces } from 'node:os';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Running, runBinary, startBinary } from '../support/binary.ts';
import { laterRefusal } from '../support/errors.ts';
import { startGate } from '../support/in-process.ts';
import { RawConnection, sendRaw, valuesOf } from '../support/raw.ts';
import { startTarget, type Target } from '../support/target.ts';

const hasIPv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);
const TOKEN = 'f00dcafe-f00dcafe-f00d';

let target: Target;
beforeAll(async () => {
  target = await startTarget((_, res) => res.end('answered'));
});
beforeEach(() => {
  target.received.length = 0;
});

const health = (headers: string, path = '/__patchgate/health') =>
  `GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`;

async function statusOf({ port }: { port: number }, text: string): Promise<number> {
  return (await sendRaw(port, text)).status;
}

describe('on loopback', () => {
  let gate: Running;
  let own: string;
  beforeAll(async () => {
    gate = await startBinary(['proxy', target.url]);
    own = `Host: 127.0.0.1:${gate.port}`;
  });

  it('its own Host is answered, and who types the address', async () => {
    expect(await statusOf(gate, health(own))).toBe(200);
    expect(await statusOf(gate, health(`${own}\r\nSec-Fetch-Site: none`))).toBe(200);
    expect(gate.stderr()).toContain(`health: ${gate.url}/__patchgate/health`);
  });

  it.each([
    ...['evil.example', 'evil.example:80', '127.0.0.1.nip.io', 'localhost.', 'localhost.evil.example'],
    ...['0.0.0.0', '[::]', '10.0.0.1', '127.1', '2130706433'],
  ])('Host %s is refused', async (host) => {
    const answer = await sendRaw(gate.port, health(`Host: ${host}`));
    expect(answer.status).toBe(403);
    expect(valuesOf(answer, 'content-type')).toEqual(['application/problem+json']);
  });

  it('no Host, or two, are refused', async () => {
    expect(await statusOf(gate, health('X-A: 1'))).toBe(400);
    expect(await statusOf(gate, health(`${own}\r\nHost: evil.example`))).toBe(400);
  });

  it.each([
    ['a page of its own', 'Origin: OWN'],
    ['a page of its own that only reads', 'Sec-Fetch-Site: same-origin'],
    ['a service worker', 'Service-Worker: script'],
    ['a page of another origin', 'Origin: http://evil.example\r\nSec-Fetch-Site: cross-site'],
    ['a page without an origin', 'Origin: null'],
    ['another proxy on this machine', 'X-Forwarded-For: 192.0.2.1'],
    ['one that says so in another way', 'Forwarded: for=192.0.2.1'],
    ['one that names itself', 'Via: 1.1 proxy'],
  ])('%s gets nothing, by no endpoint', async (_, headers) => {
    for (const line of [
      ...['GET health', 'POST validate', 'GET exchanges', 'GET exchanges/1', 'GET events', 'POST reset'],
      'GET metrics',
      ...['GET sessions', 'GET sessions/a', 'DELETE sessions/a', 'GET state', 'GET faults', 'PUT faults'],
      ...['DELETE faults', 'DELETE state/current/projects/42', 'OPTIONS reset', 'GET other'],
    ].map((endpoint) => endpoint.replace(' ', ' /__patchgate/'))) {
      const sent = headers.replace('OWN', gate.url);
      const answer = await sendRaw(gate.port, `${line} HTTP/1.1\r\n${own}\r\n${sent}\r\n\r\n`);
      expect(answer.status).toBe(403);
      expect(answer.headers.join().toLowerCase()).not.toContain('access-control');
    }
    await gate.said('403 ');
  });

  it('a target in absolute form has its own Host', async () => {
    expect(await statusOf(gate, health(own, 'http://evil.example/__patchgate/health'))).toBe(403);
    expect(await statusOf(gate, health(own, 'http://localhost/__patchgate/health'))).toBe(200);
  });

  it.each([
    ...['/%5f_patchgate/health', '/./__patchgate/health', '//__patchgate/health', '/__PATCHGATE/health'],
    ...[
      '/x/../__patchgate/health',
      '/__patchgate;x/health',
      '/__patchgate%2fhealth',
      '/%255f_patchgate/health',
    ],
  ])('%s is neither answered nor forwarded', async (path) => {
    expect(await statusOf(gate, health(own, path))).toBe(404);
    expect(await statusOf(gate, health('Host: evil.example', path))).toBe(403);
    const upgrade =
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x';
    expect(await statusOf(gate, health(`${own}\r\n${upgrade}`, path))).toBe(404);
    expect(target.received).toEqual([]);
  });

  it('a handshake is asked for the same', async () => {
    const upgrade =
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x';
    expect(await statusOf(gate, health(`Host: evil.example\r\n${upgrade}`))).toBe(403);
    expect(await statusOf(gate, health(`${own}\r\nOrigin: http://evil.example\r\n${upgrade}`))).toBe(403);
    expect(await statusOf(gate, health(`${own}\r\n${upgrade}`))).toBe(200);
  });
});

describe('beyond loopback', () => {
  const IS_OFF = /the control API \(\/__patchgate\/\) is off .*PATCHGATE_CONTROL_TOKEN/;
  const expectOff = async (port: number) => {
    const answer = await sendRaw(port, health('Host: localhost'));
    expect(answer.status).toBe(403);
    expect(String(answer.body)).toContain('PATCHGATE_CONTROL_TOKEN');
    expect(String((await sendRaw(port, { path: '/x' })).body)).toBe('answered');
  };

  it('0.0.0.0 without a token turns it off, and says so', async () => {
    const gate = await startBinary(['proxy', target.url, '--host', '0.0.0.0']);
    await gate.said('guard on\n', 'stderr');
    expect(gate.stderr()).toMatch(IS_OFF);
    expect(gate.stderr()).not.toContain('health');
    await expectOff(gate.port);
  });

  it.skipIf(!hasIPv6)(':: without a token turns it off, and says so', async () => {
    const { port, notices } = await startGate({ target: target.url, host: '::' });
    expect(notices.join()).toMatch(IS_OFF);
    await expectOff(port);
  });

  it('with a token it is on, for whoever has it', async () => {
    const gate = await startBinary(['proxy', target.url, '--host', '0.0.0.0'], {
      env: { PATCHGATE_CONTROL_TOKEN: TOKEN },
    });
    await gate.said('/__patchgate/health\n', 'stderr');
    expect(gate.stderr()).not.toContain(' is off ');
    const asked = (token: string) =>
      statusOf(gate, health(`Host: gate.example\r\nAuthorization: Bearer ${token}`));
    expect(await asked(TOKEN)).toBe(200);
    for (const wrong of ['', 'x', TOKEN.slice(1), `${TOKEN}x`, TOKEN.toUpperCase()])
      expect(await asked(wrong)).toBe(401);
    expect(await statusOf(gate, health('Host: localhost'))).toBe(401);
    for (const header of ['Origin: https://gate.example', 'Sec-Fetch-Site: same-origin', 'Via: 1.1 proxy']) {
      const headers = `Host: gate.example\r\n${header}`;
      expect(await statusOf(gate, health(`${headers}\r\nAuthorization: Bearer ${TOKEN}`))).toBe(200);
      expect(await statusOf(gate, health(headers))).toBe(401);
    }
  });

  it('the token is asked for before a body is read', async () => {
    const { port } = await startGate({ target: target.url, controlToken: TOKEN });
    const client = await RawConnection.open(port);
    client.write('POST /__patchgate/validate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n');
    const answer = await client.response();
    expect(answer.status).toBe(401);
    expect(valuesOf(answer, 'www-authenticate')).toEqual(['Bearer']);
    client.close();
  });

  it.each(['localhost', ...(hasIPv6 ? ['::1', '::ffff:127.0.0.1'] : [])])(
    'it is not with %s',
    async (host) => {
      const gate = await startGate({ target: target.url, host });
      expect(gate.notices).toEqual([]);
      expect((await fetch(`${gate.url}/__patchgate/health`)).status).toBe(200);
    },
  );
});

describe('a token that protects nothing is refused:', () => {
  it('empty', async () => {
    const env = { PATCHGATE_CONTROL_TOKEN: '' };
    const { code, stderr } = await runBinary(['proxy', target.url, '--port', '0'], { env });
    expect(code).toBe(2);
    expect(stderr).toContain('invalid value "" for PATCHGATE_CONTROL_TOKEN');
  });

  it.each([
    ['short, beyond loopback', 'short', '0.0.0.0', 'shorter than 16 characters'],
    ['with a space', 'two words', '127.0.0.1', 'spaces'],
  ])('%s', async (_, controlToken, host, says) => {
    const start = startGate({ target: target.url, host, controlToken });
    expect(await laterRefusal('bad-config', start)).toContain(says);
  });
});

it('a gate that is mounted in a server open to others is closed without a token', async () => {
  const { createServer } = await import('node:http');
  const { patchgate } = await import('../../src/index.ts');
  const mounted = await patchgate('proxy', { target: target.url, state: false });
  const server = createServer(mounted.handler);
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as { port: number };
  const client = await RawConnection.open(port);
  client.write(health('Host: localhost'));
  expect((await client.response()).status).toBe(403);
  client.close();
  server.close();
  await mounted.close();
});
