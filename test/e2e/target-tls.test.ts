/** TLS to the target: only the target that was named is talked to, whatever the way that a request takes. */
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { fileOf, makeAuthority, makeCertificate, type Pair } from '../support/certificates.ts';
import { GOOD_PROJECT, JSON_TYPE, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { type InProcess, startGate } from '../support/in-process.ts';
import { RawConnection, type RawResponse, requestBytes, sendRaw } from '../support/raw.ts';
import { startTarget, type Target } from '../support/target.ts';

let authority: Pair;
let targetCa: string;
let right: Pair;
beforeAll(async () => {
  authority = await makeAuthority();
  targetCa = fileOf(authority.cert, 'ca.crt');
  right = await makeCertificate(['127.0.0.1', 'localhost'], { authority });
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** A target over TLS, with WebSockets; and the names that it was called by. */
async function start(tls: Pair): Promise<Target & { names: (string | false | null)[] }> {
  const target = await startTarget(undefined, tls);
  const names: (string | false | null)[] = [];
  target.server.on('secureConnection', (socket: TLSSocket) => names.push(socket.servername));
  new WebSocketServer({ server: target.server }).on('connection', (socket) => socket.terminate());
  return Object.assign(target, { names });
}

const HANDSHAKE = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Version', '13'],
  ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
] as const;

/** Each way has a client of its own. */
const WAYS: [string, (gate: InProcess) => Promise<RawResponse>][] = [
  [
    'a judged request',
    ({ port }) =>
      sendRaw(port, {
        method: 'PATCH',
        path: PROJECT_PATH,
        headers: [JSON_TYPE],
        body: JSON.stringify(GOOD_PROJECT),
      }),
  ],
  ['a streamed request', ({ port }) => sendRaw(port, { path: '/streamed' })],
  [
    'a WebSocket',
    async ({ port }) => {
      const connection = await RawConnection.open(port);
      connection.write(requestBytes({ path: '/socket', headers: HANDSHAKE }));
      const response = await connection.response();
      connection.close();
      return response;
    },
  ],
];

function problemOf(response: RawResponse): { status: number; type: string; detail: string; hint: string } {
  return JSON.parse(response.body.toString());
}

describe.each(WAYS)('%s', (_, ask) => {
  it('shows the target the certificate that it asks for', async () => {
    const own = await makeCertificate(['gate'], { authority });
    const target = await start({ ...right, ...{ ca: authority.cert, requestCert: true } });
    const shown = { targetCert: fileOf(own.cert), targetKey: fileOf(own.key) };
    const gate = await startGate({ target: target.url, targetCa, ...shown });
    expect((await ask(gate)).status).toBeLessThan(300);
    const { status, detail } = problemOf(await ask(await startGate({ target: target.url, targetCa })));
    expect(status).toBe(502);
    // Which of two comes first is up to the sockets: the alert, or the end of the connection.
    expect(detail).toMatch(/it may want a certificate of the gate|it closed the connection/);
  });

  const refusedBy = async (tls: Pair, settings: object = { targetCa }) => {
    const target = await start(tls);
    const problem = problemOf(await ask(await startGate({ target: target.url, ...settings })));
    expect(target.received).toEqual([]);
    expect(problem).toMatchObject({ status: 502, type: 'urn:patchgate:problem:target-unreachable' });
    return problem;
  };

  it('goes to a target that the named authority vouches for', async () => {
    const target = await start(right);
    const gate = await startGate({ target: target.url, targetCa });
    expect([101, 200]).toContain((await ask(gate)).status);
    expect(target.names).toHaveLength(1);
    expect(gate.notices).toEqual([]);
  });

  it('does not go where nobody vouches, whatever the environment says', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const { detail, hint } = await refusedBy(right, {});
    expect(detail).toMatch(/^nothing was sent to the target https:.* its certificate is not trusted: /);
    expect(hint).toContain('--target-ca');
  });

  it('does not go to a certificate of another authority', async () => {
    const other = await makeCertificate(['127.0.0.1'], { authority: await makeAuthority('Another') });
    const { detail, hint } = await refusedBy(other);
    expect(detail).toContain('is not trusted: its authority is not known here');
    expect(hint).toContain('--target-ca');
  });

  it('does not go to a certificate for another name, be it the one that the client calls the gate', async () => {
    const other = await makeCertificate(['gate.test'], { authority });
    const { detail, hint } = await refusedBy(other, { targetCa });
    expect(detail).toContain('is for another name: DNS:gate.test');
    expect(hint).toContain('name');
  });

  it('goes anywhere where that is asked for', async () => {
    const target = await start(await makeCertificate(['gate.test'], { days: [-9, -2] }));
    const gate = await startGate({ target: target.url, targetInsecure: true });
    expect([101, 200]).toContain((await ask(gate)).status);
  });

  it('calls the target by its own name, whatever the client calls the gate', async () => {
    const target = await start(right);
    for (const [host, name] of [
      ['localhost', 'localhost'],
      // No name is said where it is an address.
      ['127.0.0.1', false],
    ]) {
      target.names.length = 0;
      const gate = await startGate({
        target: `https://${host}:${target.port}`,
        targetCa,
      });
      expect([101, 200]).toContain((await ask(gate)).status);
      expect(target.names).toEqual([name]);
    }
  });

  it('is told where no TLS is spoken', async () => {
    const target = await startTarget();
    const gate = await startGate({ target: target.url.replace('http', 'https') });
    expect(problemOf(await ask(gate)).detail).toMatch(/could not be reached: it speaks no TLS/);
  });
});

it('keeps its connection whatever the host names of its clients', async () => {
  const target = await start(right);
  const gate = await startGate({ target: target.url, targetCa });
  for (const host of ['a.localhost', 'b.localhost', '[::1]', '127.0.0.1:1']) {
    const body = JSON.stringify(GOOD_PROJECT);
    const text = `PATCH ${PROJECT_PATH} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    expect((await sendRaw(gate.port, text)).status).toBe(200);
    expect(target.received.at(-1)?.headers.host).toBe(`127.0.0.1:${target.port}`);
  }
  expect(target.names).toHaveLength(1);
});

describe('a target that is not verified', () => {
  it('is told of at the start and in health', async () => {
    const target = await start(right);
    const gate = await startGate({ target: target.url, targetInsecure: true });
    expect(gate.notices).toEqual([
      expect.stringContaining(`${target.url} is not verified (--target-insecure)`),
    ]);
    expect(await health(gate)).toMatchObject({ targetInsecure: true });
  });
});

async function health({ url }: InProcess): Promise<unknown> {
  return (await fetch(`${url}/__patchgate/health`)).json();
}
