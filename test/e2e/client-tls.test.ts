/** TLS for the clients of the gate: everything that goes over plain HTTP goes over it, too. */
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { Config } from '../../src/settings/config.ts';
import { fileOf, makeCertificate, type Pair } from '../support/certificates.ts';
import { BAD_PROJECT, GOOD_PROJECT, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { type InProcess, startGate } from '../support/in-process.ts';
import { RawConnection, requestBytes, valuesOf } from '../support/raw.ts';
import { startTarget, type Target } from '../support/target.ts';

let pair: Pair;
let tls: Partial<Config>;
beforeAll(async () => {
  pair = await makeCertificate(['127.0.0.1']);
  tls = { tlsCert: fileOf(pair.cert), tlsKey: fileOf(pair.key) };
});

async function start(target?: Target): Promise<{ gate: InProcess; target: Target; client: RawConnection }> {
  const there = target ?? (await startTarget());
  const gate = await startGate({ target: there.url, ...tls });
  return { gate, target: there, client: await RawConnection.open(gate.port, { ca: pair.cert }) };
}

function patch(body: unknown, more = ''): string {
  const text = JSON.stringify(body);
  return `PATCH ${PROJECT_PATH} HTTP/1.1\r\nHost: gate.localhost\r\n${more}Content-Length: ${text.length}\r\n\r\n${text}`;
}

it('is judged and forwarded', async () => {
  const { gate, target, client } = await start();
  expect(gate.url).toBe(`https://127.0.0.1:${gate.port}`);
  client.write(patch(BAD_PROJECT));
  expect((await client.response()).status).toBe(422);
  client.write(patch(GOOD_PROJECT));
  expect((await client.response()).status).toBe(200);
  expect(target.received.map(({ body }) => body.toString())).toEqual([JSON.stringify(GOOD_PROJECT)]);
  client.write(requestBytes({ path: '/streamed' }));
  expect((await client.response()).body.toString()).toBe('{"ok":true}');
  client.close();
});

it('speaks HTTP/1.1 and nothing newer', async () => {
  const { gate, client } = await start();
  client.close();
  const socket: TLSSocket = connect({
    port: gate.port,
    host: '127.0.0.1',
    ca: pair.cert,
    ALPNProtocols: ['h2', 'http/1.1'],
  });
  await once(socket, 'secureConnect');
  expect(socket.alpnProtocol).toBe('http/1.1');
  socket.destroy();
});

describe('a request to upgrade', () => {
  it('to a WebSocket joins the two, and a PATCH that says so does not', async () => {
    const target = await startTarget();
    new WebSocketServer({ server: target.server }).on('connection', (socket) =>
      socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary })),
    );
    const { gate, client } = await start(target);
    const socket = new WebSocket(`${gate.url.replace('https', 'wss')}/socket`, { ca: pair.cert });
    await once(socket, 'open');
    const big = Buffer.alloc(2_000_000, 7);
    socket.send(big);
    const [answer] = (await once(socket, 'message')) as [Buffer];
    expect(answer.equals(big)).toBe(true);
    socket.terminate();
    client.write(patch(BAD_PROJECT, 'Connection: Upgrade\r\nUpgrade: websocket\r\n'));
    expect((await client.response()).status).toBe(422);
    client.close();
  });
});

describe('a location at the target', () => {
  /** Where the gate sends its client, that called it `gate.test`. */
  const ledTo = async (location: string, secureTarget: boolean, secureGate: boolean, settings = {}) => {
    const cert = secureTarget ? pair : undefined;
    const target = await startTarget(
      (_, res) => res.writeHead(302, { location: location.replace('ORIGIN', target.url) }).end(),
      cert,
    );
    const gate = await startGate({
      target: target.url,
      ...(secureTarget && { targetCa: tls.tlsCert }),
      ...(secureGate && tls),
      ...settings,
    });
    const client = await (secureGate
      ? RawConnection.open(gate.port, { ca: pair.cert })
      : RawConnection.open(gate.port));
    // One way for each of the two clients.
    client.write(patch(GOOD_PROJECT));
    const first = await client.response();
    client.write(requestBytes({ path: '/x' }));
    const second = await client.response();
    client.close();
    expect(valuesOf(second, 'location')).toEqual(valuesOf(first, 'location'));
    return valuesOf(first, 'location')[0];
  };

  it.each([
    [false, false, 'http'],
    [true, false, 'http'],
    [false, true, 'https'],
    [true, true, 'https'],
  ])('is one at the gate (TLS at the target %s, at the gate %s)', async (target, gate, scheme) => {
    expect(await ledTo('ORIGIN/a?b=1#c', target, gate)).toBe(`${scheme}://gate.localhost/a?b=1#c`);
    expect(await ledTo('/a', target, gate)).toBe('/a');
    expect(await ledTo('https://elsewhere.test/a', target, gate)).toBe('https://elsewhere.test/a');
  });
});

describe('a client that speaks no TLS', () => {
  it.each(['GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', 'nonsense'])('is let go (%j)', async (bytes) => {
    const { gate, target, client } = await start();
    const other = await RawConnection.open(gate.port);
    other.write(bytes).socket.end();
    await other.closed();
    other.close();
    client.write(patch(GOOD_PROJECT));
    expect((await client.response()).status).toBe(200);
    expect(target.received).toHaveLength(1);
    client.close();
  });

  it('does not keep the gate from ending', async () => {
    const { gate, client } = await start();
    client.close();
    const silent = connectTcp(gate.port, '127.0.0.1');
    await once(silent, 'connect');
    await Promise.all([once(silent, 'close'), gate.gate.close()]);
  });
});
