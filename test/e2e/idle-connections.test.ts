/** Connections to the target are used again, and it may close them whenever it likes. */
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanUp, type Running, startBinary } from '../support/binary.ts';
import { REQUESTS } from '../support/e2e-bodies.ts';
import { RawConnection, type RawRequest, requestBytes, sendRaw } from '../support/raw.ts';
import { closeTargets, startRawTarget } from '../support/target.ts';

const UNREPEATABLE: RawRequest[] = [
  REQUESTS[1][1],
  REQUESTS[2][1],
  { method: 'GET', path: '/x', body: 'GET with a body' },
  { method: 'DELETE', path: '/x' },
];

afterAll(async () => {
  await cleanUp();
  await closeTargets();
});

describe('a target that', () => {
  let gate: Running;
  /** What the target does with each connection. */
  let onSocket: (socket: Socket) => void;
  beforeAll(async () => {
    const target = await startRawTarget((socket) => onSocket(socket));
    gate = await startBinary(['proxy', target.url, '--timeout', '400ms']);
  });

  /** Closes each connection once it is idle, and announces nothing, as some servers do. Tells of the last one's end. */
  const closesIdle = (milliseconds: number) => {
    let closed: Promise<unknown> | undefined;
    onSocket = (socket) => {
      let idle: NodeJS.Timeout | undefined;
      closed = new Promise((resolve) => socket.once('close', resolve));
      socket.on('data', () => {
        clearTimeout(idle);
        if (socket.writable) socket.write('HTTP/1.1 204 Fine\r\n\r\n');
        idle = setTimeout(() => socket.end(), milliseconds);
      });
    };
    return () => closed;
  };

  it.each(REQUESTS)('closes idle connections troubles nobody: %s', async (_, request) => {
    const closed = closesIdle(1);
    const client = await RawConnection.open(gate.port);
    for (let i = 0; i < 20; i++) {
      client.write(requestBytes(request));
      expect((await client.response()).status).toBe(204);
      await closed();
    }
    client.close();
  });

  it.concurrent.each(['GET', 'HEAD', 'OPTIONS'])(
    'closes one just when it is used again is asked again: %s',
    async (method) => {
      closesIdle(2);
      const client = await RawConnection.open(gate.port);
      for (let i = 0; i < 200; i++) {
        client.write(requestBytes({ method, path: '/x' }));
        expect((await client.response(method)).status).toBe(204);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      client.close();
    },
  );

  it('says nothing on a connection that was used before is a 504 too, and is asked once', async () => {
    let asked = 0;
    onSocket = (socket) => {
      socket.on('data', () => {
        if (++asked === 1) socket.write('HTTP/1.1 204 Fine\r\n\r\n');
      });
    };
    expect((await sendRaw(gate.port, { path: '/x' })).status).toBe(204);
    expect((await sendRaw(gate.port, { path: '/x' })).status).toBe(504);
    expect(asked).toBe(2);
  });
});

it('what may not be repeated is sent once only', async () => {
  let requests = 0;
  const target = await startRawTarget((socket) => {
    let isFirst = true;
    socket.on('data', () => {
      requests++;
      if (isFirst) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      else socket.destroy();
      isFirst = false;
    });
  });
  const gate = await startBinary(['proxy', target.url]);
  for (const request of UNREPEATABLE) {
    requests = 0;
    const client = await RawConnection.open(gate.port);
    const statuses: number[] = [];
    // The first makes a connection, the second uses it again.
    while (!statuses.includes(502)) {
      client.write(requestBytes(request));
      statuses.push((await client.response()).status);
    }
    client.close();
    expect(requests).toBe(statuses.length);
  }
});
