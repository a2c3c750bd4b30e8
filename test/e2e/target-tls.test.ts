/** The way to the target, over TLS and by a proxy: only the target that was named is talked to. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { startBinary } from '../support/binary.ts';
import { fileOf, makeAuthority, makeCertificate, type Pair } from '../support/certificates.ts';
import { cleanUpLater } from '../support/clean-up.ts';
import { GOOD_PROJECT, HANDSHAKE, JSON_TYPE, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { holdTimers } from '../support/held-timers.ts';
import { type InProcess, type Settings, startGate } from '../support/in-process.ts';
import { RawConnection, type RawResponse, requestBytes, sendRaw } from '../support/raw.ts';
import { freePort, startTarget, type Target } from '../support/target.ts';

/** So long that it is over by a test's word alone. */
const TIMEOUT = 54_321;

let authority: Pair;
let targetCa: string;
let tls: Pair;
beforeAll(async () => {
  authority = await makeAuthority();
  targetCa = fileOf(authority.cert, 'ca.crt');
  tls = await makeCertificate(['staging.test', '127.0.0.1', 'localhost'], { authority });
});

afterEach(() => void vi.unstubAllEnvs());

/** A forward proxy that takes CONNECT alone. It knows each name that ends in `.test`: it leads to this machine. */
interface ConnectProxyOptions {
  /** Speaks TLS, with that certificate. */
  tls?: Pair;
  /** The only ones that it takes: `me:secret`. */
  credentials?: string;
  /** What it does instead. */
  instead?: (req: IncomingMessage, socket: Socket) => void;
}

async function startConnectProxy(options: ConnectProxyOptions = {}) {
  const { tls, credentials, instead } = options;
  const server: Server = tls ? createSecureServer(tls) : createServer();
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined).once('close', () => sockets.delete(socket)));
    return socket;
  };
  const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
  server.on('connection', keep);
  server.on('connect', (req: IncomingMessage, client: Socket) => {
    asked.push(req.url as string);
    keep(client);
    if (expected && req.headers['proxy-authorization'] !== expected)
      return client.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n');
    // Node leaves its own half open.
    if (instead)
      return instead(
        req,
        client.resume().once('end', () => client.destroy()),
      );
    const { hostname, port } = new URL(`http://${req.url}`);
    const host = hostname.endsWith('.test') ? '127.0.0.1' : hostname;
    const other = keep(connect(Number(port) || 80, host));
    other.once('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    other.once('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(other).pipe(client);
    });
    client.once('close', () => other.destroy());
    return other.once('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  cleanUpLater(close);
  return { url: `http${tls ? 's' : ''}://127.0.0.1:${port}`, port, asked, sockets, close };
}

interface Named extends Target {
  /** `https://staging.test:40123`: a name that the proxy alone knows. */
  named: string;
}

async function start(pair?: Pair): Promise<Named> {
  const target = await startTarget(undefined, pair);
  const sockets = new WebSocketServer({ server: target.server });
  sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(data)));
  return Object.assign(target, { named: target.url.replace('127.0.0.1', 'staging.test') });
}

type Ask = (gate: Pick<InProcess, 'port'>) => Promise<RawResponse>;
const patch: Ask = ({ port }) => {
  const body = JSON.stringify(GOOD_PROJECT);
  return sendRaw(port, { method: 'PATCH', path: PROJECT_PATH, headers: [JSON_TYPE], body });
};
const stream: Ask = ({ port }) => {
  const head = 'PUT /streamed HTTP/1.1\r\nHost: gate.localhost\r\nTransfer-Encoding: chunked\r\n\r\n';
  return sendRaw(port, `${head}10000\r\n${'x'.repeat(65_536)}\r\n1\r\nx\r\n0\r\n\r\n`);
};
const socket: Ask = async ({ port }) => {
  const connection = await RawConnection.open(port);
  connection.write(requestBytes({ path: '/socket', headers: HANDSHAKE }));
  const response = await connection.response();
  connection.close();
  return response;
};
/** Each way has a client of its own. */
const WAYS: [string, Ask][] = [
  ['a judged request', patch],
  ['a streamed request', stream],
  ['a WebSocket', socket],
];

const startBy = (url: string, settings: Settings) => {
  const env = { HTTPS_PROXY: url, https_proxy: '', NO_PROXY: '', no_proxy: '' };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  return startGate(settings, 'proxy');
};

const problemOf = (response: RawResponse): { status: number; type: string; detail: string; hint: string } =>
  JSON.parse(response.body.toString());

describe.each(WAYS)('by a proxy, %s', (_, ask) => {
  it('goes to a target whose name the proxy alone knows', async () => {
    const target = await start(tls);
    const proxy = await startConnectProxy({ credentials: 'me:s3cret' });
    const targetProxy = proxy.url.replace('//', '//me:s3cret@');
    const gate = await startBy(targetProxy, { target: target.named, targetCa });
    expect([101, 200]).toContain((await ask(gate)).status);
    expect([101, 200]).toContain((await ask(gate)).status);
    expect(new Set(proxy.asked)).toEqual(new Set([`staging.test:${target.port}`]));
    for (const { headers } of target.received) {
      expect(headers).not.toHaveProperty('proxy-authorization');
      expect(headers.host).toBe(`staging.test:${target.port}`);
    }
  });

  it('does not trust the target more than without a proxy', async () => {
    const other = await start(await makeCertificate(['other.test'], { authority }));
    const { url: targetProxy } = await startConnectProxy();
    const gate = await startBy(targetProxy, { target: other.named, targetCa });
    const { detail } = problemOf(await ask(gate));
    expect(detail).toContain(
      `(by the proxy ${targetProxy}): its certificate is for another name: DNS:other.test`,
    );
    expect(other.received).toEqual([]);
  });

  const answering = (text: string) => (_: unknown, socket: Socket) => socket.end(text);
  it.each([
    [
      '407',
      { credentials: 'me:other' },
      'it answered 407 Proxy Authentication Required',
      'user and password',
    ],
    [
      '403',
      { instead: answering('HTTP/1.1 403 Filtered\r\n\r\n') },
      'it answered 403 Forbidden',
      'does the proxy allow it?',
    ],
    [
      '502',
      { instead: answering('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 2\r\n\r\nno') },
      'it answered 502 Bad Gateway',
      'does the proxy allow it?',
    ],
    ['nothing', { instead: answering('') }, 'it closed the connection', 'check that it runs'],
  ])('is told that the proxy answers with %s', async (_, options, why, what) => {
    const proxy = await startConnectProxy(options);
    const target = await start(tls);
    const targetProxy = proxy.url.replace('//', '//me:s3cret@');
    const gate = await startBy(targetProxy, { target: target.named, targetCa, log: 'json' });
    const { status, type, detail, hint } = problemOf(await ask(gate));
    expect({ status, type }).toEqual({ status: 502, type: 'urn:patchgate:problem:target-unreachable' });
    expect(detail).toContain(`the proxy ${proxy.url} `);
    expect(detail).toContain(why);
    expect(hint).toContain(what);
    const health = await (await fetch(`${gate.url}/__patchgate/health`)).text();
    expect(health).toContain(`forwards to ${target.named} by the proxy ${proxy.url}`);
    expect([detail, hint, health, gate.log, gate.notices, gate.gate.summary].join()).not.toContain('s3cret');
  });

  it('is told that the proxy is silent, whose time is that of the target', async () => {
    const { url: targetProxy } = await startConnectProxy({ instead: () => undefined });
    const gate = await startBy(targetProxy, { target: 'https://staging.test', timeout: 100 });
    expect(problemOf(await ask(gate))).toMatchObject({
      status: 504,
      detail: `the proxy ${targetProxy} gave no connection to the target https://staging.test within 100 ms`,
    });
  });
});

it('a proxy that is silent does not hold up the end of the gate', async () => {
  const proxy = await startConnectProxy({ instead: () => undefined });
  const gate = await startBy(proxy.url, { target: 'https://staging.test', timeout: 0 });
  const asked = WAYS.map(([, ask]) => ask(gate).catch(() => undefined));
  await expect.poll(() => proxy.asked).toHaveLength(WAYS.length);
  await gate.gate.close();
  await Promise.all(asked);
  await expect.poll(() => proxy.sockets.size).toBe(0);
});

it.each(WAYS.slice(0, 2))('%s is told that the target behind the proxy is silent', async (_, ask) => {
  const timers = holdTimers(TIMEOUT);
  const target = await startTarget(() => timers.goOff(), tls);
  const { url } = await startConnectProxy();
  const gate = await startBy(url, { target: target.url, targetCa, timeout: TIMEOUT });
  expect(problemOf(await ask(gate))).toMatchObject({
    status: 504,
    detail: `the target ${target.url} (by the proxy ${url}) did not answer within ${TIMEOUT} ms`,
  });
});

it('is found in the environment, for a target over TLS that NO_PROXY does not name', async () => {
  const proxy = await startConnectProxy();
  const env = { HTTPS_PROXY: proxy.url.replace('//', '//me:s3cret@') };
  const asked = async (settings: Settings, more: Record<string, string> = {}) => {
    proxy.asked.length = 0;
    for (const [name, value] of Object.entries({ no_proxy: '', ...env, ...more })) vi.stubEnv(name, value);
    const gate = await startGate({ targetCa, ...settings }, 'proxy');
    expect((await patch(gate)).status).toBe(200);
    return proxy.asked.length;
  };
  const [secure, plain] = [await start(tls), await start()];
  expect(await asked({ target: secure.named })).toBe(1);
  expect(await asked({ target: secure.url }, { NO_PROXY: '127.0.0.1' })).toBe(0);
  expect(await asked({ target: plain.url, targetCa: undefined })).toBe(0);
});

it('is nothing to a fake', async () => {
  vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${await freePort()}`);
  const gate = await startGate({}, 'fake');
  expect((await fetch(gate.url + PROJECT_PATH)).status).toBe(200);
  expect(gate.gate.summary).not.toContain('by the proxy');
});

/** A target over TLS, with WebSockets; and the names that it was called by. */
async function startSecure(pair: Pair): Promise<Target & { names: (string | false | null)[] }> {
  const target = await startTarget(undefined, pair);
  const names: (string | false | null)[] = [];
  target.server.on('secureConnection', (socket: TLSSocket) => names.push(socket.servername));
  new WebSocketServer({ server: target.server }).on('connection', (socket) => socket.terminate());
  return Object.assign(target, { names });
}

describe.each(WAYS)('over TLS, %s', (_, ask) => {
  it('shows the target the certificate that it asks for', async () => {
    const own = await makeCertificate(['gate'], { authority });
    const target = await startSecure({ ...tls, ...{ ca: authority.cert, requestCert: true } });
    const shown = { targetCert: fileOf(own.cert), targetKey: fileOf(own.key) };
    const gate = await startGate({ target: target.url, targetCa, ...shown });
    expect((await ask(gate)).status).toBeLessThan(300);
    const { status, detail } = problemOf(await ask(await startGate({ target: target.url, targetCa })));
    expect(status).toBe(502);
    // Which of two comes first is up to the sockets: the alert, or the end of the connection.
    expect(detail).toMatch(/it may want a certificate of the gate|it closed the connection/);
  });

  const refusedBy = async (tls: Pair, settings: object = { targetCa }) => {
    const target = await startSecure(tls);
    const problem = problemOf(await ask(await startGate({ target: target.url, ...settings })));
    expect(target.received).toEqual([]);
    expect(problem).toMatchObject({ status: 502, type: 'urn:patchgate:problem:target-unreachable' });
    return problem;
  };

  it('goes to a target that the named authority vouches for', async () => {
    const target = await startSecure(tls);
    const gate = await startGate({ target: target.url, targetCa });
    expect([101, 200]).toContain((await ask(gate)).status);
    expect(target.names).toHaveLength(1);
    expect(gate.notices).toEqual([]);
  });

  it('does not go where nobody vouches, whatever the environment says', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    cleanUpLater(() => vi.unstubAllEnvs());
    const { detail, hint } = await refusedBy(tls, {});
    expect(detail).toMatch(/^nothing was sent to the target https:.* its certificate is not trusted: /);
    expect(hint).toContain('--target-ca');
  });

  it('does not go to a certificate of another authority', async () => {
    const other = await makeCertificate(['127.0.0.1'], { authority: await makeAuthority('Another') });
    const { detail, hint } = await refusedBy(other);
    expect(detail).toContain('is not trusted: unable to get local issuer certificate');
    expect(hint).toContain('--target-ca');
  });

  it('does not go to a certificate for another name, be it the one that the client calls the gate', async () => {
    const other = await makeCertificate(['gate.test'], { authority });
    const { detail, hint } = await refusedBy(other, { targetCa });
    expect(detail).toContain('is for another name: DNS:gate.test');
    expect(hint).toContain('name');
  });

  it('calls the target by its own name, whatever the client calls the gate', async () => {
    const target = await startSecure(tls);
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
  const target = await startSecure(tls);
  const gate = await startGate({ target: target.url, targetCa });
  for (const host of ['a.localhost', 'b.localhost', '[::1]', '127.0.0.1:1']) {
    const body = JSON.stringify(GOOD_PROJECT);
    const text = `PATCH ${PROJECT_PATH} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    expect((await sendRaw(gate.port, text)).status).toBe(200);
    expect(target.received.at(-1)?.headers.host).toBe(`127.0.0.1:${target.port}`);
  }
  expect(target.names).toHaveLength(1);
});

describe('the packed program', () => {
  it('goes by a proxy over TLS, whose authority NODE_EXTRA_CA_CERTS names, and says so', async () => {
    const target = await start(tls);
    const proxy = await startConnectProxy({ tls, credentials: 'me:s3cret' });
    const env = {
      HTTPS_PROXY: proxy.url.replace('//', '//me:s3cret@'),
      NODE_EXTRA_CA_CERTS: targetCa,
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    };
    const args = ['proxy', target.named, '--target-ca', targetCa, '--no-state'];
    const gate = await startBinary(args, { env });
    expect((await patch(gate)).status).toBe(200);
    const { stdout, stderr } = await gate.stop();
    expect(stderr).toContain(`forwards to ${target.named} by the proxy ${proxy.url}`);
    const trusting = await startBinary(args, { env: { ...env, NODE_EXTRA_CA_CERTS: undefined } });
    const { detail, hint } = problemOf(await patch(trusting));
    expect(detail).toContain(`nothing was sent to the proxy ${proxy.url}: its certificate is not trusted`);
    expect(hint).toContain('NODE_EXTRA_CA_CERTS');
    expect(stdout + stderr + detail).not.toContain('s3cret');
  });
});
