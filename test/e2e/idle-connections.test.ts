/** Connections to the target are used again, and it may close them whenever it likes. */
import type { Socket } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Running, startBinary } from '../support/binary.ts';
import { REQUESTS } from '../support/e2e-bodies.ts';
import { holdTimers } from '../support/held-timers.ts';
import { startGate } from '../support/in-process.ts';
import { RawConnection, type RawRequest, requestBytes, sendRaw } from '../support/raw.ts';
import { startRawTarget } from '../support/target.ts';

const _UNREPEATABLE: RawRequest[] = [
  REQUESTS[1][1],
  REQUESTS[2][1],
  { method: 'GET', path: '/x', body: 'GET with a body' },
  { method: 'DELETE', path: '/x' },
];

describe('a target that', () => {
  let gate: Running;
  /** What the target does with each connection. */
  let onSocket: (socket: Socket) => void;
  beforeAll(async () => {
    const target = await startRawTarget((socket) => onSocket(socket));
    gate = await startBinary(['proxy', target.url]);
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
    const timeout = 54_321;
    const timers = holdTimers(timeout);
    let asked = 0;
    const target = await startRawTarget((socket) => {
      socket.on('data', () => {
        if (++asked === 1) socket.write('HTTP/1.1 204 Fine\r\n\r\n');
        else timers.goOff();
      });
    });
    const { port } = await startGate({ target: target.url, timeout });
    expect((await sendRaw(port, { path: '/x' })).status).toBe(204);
    expect((await sendRaw(port, { path: '/x' })).status).toBe(504);
    expect([asked, target.sockets.length]).toEqual([2, 1]);
  });
});

describe('a request that makes the target reset', () => {
  /** Answers all but `/reset`, and tells how often that came. */
  const fragile = async (beforeReset = '') => {
    const resets: Socket[] = [];
    const waiting: (() => void)[] = [];
    const target = await startRawTarget((socket) => {
      socket.on('data', (bytes) => {
        if (bytes.includes(' /reset ')) {
          resets.push(socket);
          if (beforeReset) socket.end(beforeReset);
          else socket.resetAndDestroy();
          return;
        }
        // All at once, so that each has a connection of its own.
        waiting.push(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
        if (waiting.length === IDLE) for (const answer of waiting.splice(0)) answer();
      });
    });
    const gate = await startBinary(['proxy', target.url]);
    const answers = Array.from({ length: IDLE }, () => sendRaw(gate.port, { path: '/x' }));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(IDLE).fill(200));
    return { target, gate, resets };
  };
  const IDLE = 20;

  it.each(['GET', 'HEAD', 'OPTIONS'])(
    'is sent again once, on a connection of its own: %s',
    async (method) => {
      const { target, gate, resets } = await fragile();
      const idle = [...target.sockets];
      expect((await sendRaw(gate.port, { method, path: '/reset' })).status).toBe(502);
      expect(resets).toHaveLength(2);
      expect(idle).not.toContain(resets[1]);
      // The other connections are as good as before.
      expect(idle.filter(({ destroyed }) => destroyed)).toHaveLength(1);
    },
  );

  it.each([
    ['of a method that may have done something', { method: 'DELETE', path: '/reset' }],
    ['with a body', { path: '/reset', body: 'x' }],
  ])('is sent once where it may not be repeated: %s', async (_, request) => {
    const { gate, resets } = await fragile();
    expect((await sendRaw(gate.port, request)).status).toBe(502);
    expect(resets).toHaveLength(1);
  });

  it.each([
    ['HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['HTTP/1.1 200 OK\r\nContent-Le'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'],
  ])('is sent once where an answer had begun: %j', async (begun) => {
    const { gate, resets } = await fragile(begun);
    await sendRaw(gate.port, { path: '/reset' });
    expect(resets).toHaveLength(1);
  });
});
