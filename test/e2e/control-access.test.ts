import { networkInterfaces } from 'node:os';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Running, runBinary, startBinary } from '../support/binary.ts';
import { GOOD_PROJECT, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { startGate } from '../support/in-process.ts';
import { RawConnection, sendRaw, valuesOf } from '../support/raw.ts';
import { startTarget, type Target } from '../support/target.ts';

const hasIPv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);
const TOKEN = 'f00dcafe-f00dcafe-f00d';
const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x';

let target: Target;
beforeAll(async () => {
  target = await startTarget((_, res) => res.end('answered'));
});
beforeEach(() => {
  target.received.length = 0;
});

const get = (headers: string, path = '/__patchgate/health') => `GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`;
const statusOf = async ({ port }: { port: number }, text: string) => (await sendRaw(port, text)).status;

describe('on loopback', () => {
  let gate: Running;
  let own: string;
  beforeAll(async () => {
    gate = await startBinary(['proxy', target.url]);
    own = `Host: 127.0.0.1:${gate.port}`;
  });

  it('its own Host is answered', async () => {
    expect(await statusOf(gate, get(own))).toBe(200);
    expect(await statusOf(gate, get(`${own}\r\n${UPGRADE}`))).toBe(200);
    expect(await statusOf(gate, get(own, `${gate.url}/__patchgate/health`))).toBe(200);
    expect(gate.stderr()).toContain(`health: ${gate.url}/__patchgate/health`);
  });

  it.each([
    ['a page of its own', 'Origin: OWN'],
    ['a page of another origin', 'Origin: http://evil.example\r\nSec-Fetch-Site: cross-site'],
    ['another proxy on this machine', 'X-Forwarded-For: 192.0.2.1'],
    ['a handshake of a page', `Origin: http://evil.example\r\n${UPGRADE}`],
  ])('%s gets nothing, by no endpoint', async (_, headers) => {
    for (const line of [
      ...['GET health', 'PUT faults', 'GET exchanges', 'GET exchanges/1', 'GET events', 'POST reset'],
      ...['GET metrics', 'GET faults', 'PUT faults', 'DELETE faults', 'OPTIONS reset', 'GET other'],
    ]) {
      const start = `${line.replace(' ', ' /__patchgate/')} HTTP/1.1\r\n${own}\r\n`;
      const answer = await sendRaw(gate.port, `${start}${headers.replace('OWN', gate.url)}\r\n\r\n`);
      expect(answer.status).toBe(403);
      expect(answer.headers.join().toLowerCase()).not.toContain('access-control');
    }
    await gate.said('403 ');
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
    expect(await statusOf(gate, get(own, path))).toBe(404);
    expect(await statusOf(gate, get('Host: evil.example', path))).toBe(403);
    expect(await statusOf(gate, get(`${own}\r\n${UPGRADE}`, path))).toBe(404);
    expect(target.received).toEqual([]);
  });

  it('what stands behind it is for names of this machine, and says why', async () => {
    expect(await statusOf(gate, get('Host: a.localhost:4010', '/x'))).toBe(200);
    expect(await statusOf(gate, 'GET /x HTTP/1.0\r\n\r\n')).toBe(200);
    target.received.length = 0;
    const body = JSON.stringify(GOOD_PROJECT);
    const host = 'Host: evil.example';
    for (const text of [
      ...[get(host, '/x'), get(host, 'http://localhost/x')],
      `PATCH ${PROJECT_PATH} HTTP/1.1\r\n${host}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      get(`${host}\r\n${UPGRADE}`, '/x'),
    ]) {
      const answer = await sendRaw(gate.port, text);
      expect([answer.status, valuesOf(answer, 'content-type')]).toEqual([421, ['application/problem+json']]);
      expect(JSON.parse(String(answer.body)).hint).toContain('--host');
    }
    expect(target.received).toEqual([]);
    const client = await RawConnection.open(gate.port);
    client.write(get(host, '/x') + get('Host: localhost', '/x'));
    expect([(await client.response()).status, (await client.response()).status]).toEqual([421, 200]);
    client.close();
  });
});

describe('beyond loopback', () => {
  it.each(['0.0.0.0', ...(hasIPv6 ? ['::'] : [])])(
    '%s without a token turns it off, and says so',
    async (host) => {
      const { port, notices } = await startGate({ target: target.url, host });
      expect(notices.join()).toMatch(/the control API \(\/__patchgate\/\) is off .*PATCHGATE_CONTROL_TOKEN/);
      const answer = await sendRaw(port, get('Host: localhost'));
      expect([answer.status, String(answer.body)]).toEqual([
        403,
        expect.stringContaining('PATCHGATE_CONTROL_TOKEN'),
      ]);
      expect(await statusOf({ port }, get('Host: evil.example', '/x'))).toBe(200);
    },
  );

  it('with a token it is on, for whoever has it', async () => {
    const env = { PATCHGATE_CONTROL_TOKEN: TOKEN };
    const gate = await startBinary(['proxy', target.url, '--host', '0.0.0.0'], { env });
    await gate.said('/__patchgate/health\n', 'stderr');
    expect(gate.stderr()).not.toContain(' is off ');
    for (const more of ['', '\r\nOrigin: https://gate.example', '\r\nVia: 1.1 proxy']) {
      const headers = `Host: gate.example${more}`;
      expect(await statusOf(gate, get(`${headers}\r\nAuthorization: Bearer ${TOKEN}`))).toBe(200);
      expect(await statusOf(gate, get(`${headers}\r\nAuthorization: Bearer ${TOKEN}x`))).toBe(401);
      expect(await statusOf(gate, get(headers))).toBe(401);
    }
    // Before a body is read.
    const client = await RawConnection.open(gate.port);
    client.write('PUT /__patchgate/faults HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n');
    expect(valuesOf(await client.response(), 'www-authenticate')).toEqual(['Bearer']);
    client.close();
  });

  it('an empty token is refused', async () => {
    const env = { PATCHGATE_CONTROL_TOKEN: '' };
    const { code, stderr } = await runBinary(['proxy', target.url, '--port', '0'], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining('PATCHGATE_CONTROL_TOKEN')]);
  });
});
