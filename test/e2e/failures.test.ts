/** The target fails: the client learns the truth, and the gate lives on. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Running, startBinary } from '../support/binary.ts';
import { REQUESTS } from '../support/e2e-bodies.ts';
import { type InProcess, startGate } from '../support/in-process.ts';
import { RawConnection, type RawResponse, requestBytes, sendRaw, valuesOf } from '../support/raw.ts';
import { freePort, startRawTarget, startStreamingTarget } from '../support/target.ts';

function problemIn(response: RawResponse): { type: string; detail: string } {
  expect(valuesOf(response, 'content-type')).toEqual(['application/problem+json']);
  return JSON.parse(response.body.toString());
}

describe('a target that is not there', () => {
  let gate: Running;
  beforeAll(async () => {
    gate = await startBinary(['proxy', `http://127.0.0.1:${await freePort()}`]);
  });

  it.each(REQUESTS)('is a 502 that says so: %s', async (_, request) => {
    const response = await sendRaw(gate.port, request);
    expect(response.status).toBe(502);
    expect(problemIn(response)).toMatchObject({ type: 'urn:patchgate:problem:target-unreachable' });
    expect(problemIn(response).detail).toContain('refused the connection');
  });

  it('does not leave a client waiting that sends all of its body before it reads', async () => {
    const client = await RawConnection.open(gate.port);
    const body = 'x'.repeat(20_000_000);
    for (let i = 0; i < 3; i++) {
      const bytes = requestBytes({ method: 'POST', path: '/upload', body });
      await new Promise((resolve) => client.socket.write(bytes, resolve));
      expect((await client.response()).status).toBe(502);
    }
    client.close();
  });
});

describe('a target that', () => {
  let gate: Running;
  /** What the target does with each connection. */
  let onSocket: (socket: Socket) => void;
  beforeAll(async () => {
    const target = await startRawTarget((socket) => onSocket(socket));
    gate = await startBinary(['proxy', target.url, '--timeout', '10s']);
  });
  afterEach(async () => {
    // Alive and well, whatever the target did.
    expect((await fetch(`${gate.url}/__patchgate/health`)).status).toBe(200);
    expect(gate.stderr()).not.toContain('Warning');
  });
  const answers = (answer: string) => {
    onSocket = (socket) => socket.once('data', () => socket.end(answer, 'latin1'));
  };

  it.each(REQUESTS)('closes without an answer is a 502: %s', async (_, request) => {
    onSocket = (socket) => socket.once('data', () => socket.destroy());
    const response = await sendRaw(gate.port, request);
    expect(response.status).toBe(502);
    expect(problemIn(response).detail).toContain('closed the connection without an answer');
  });

  it.each(
    REQUESTS.flatMap(([name, request]) =>
      [
        'SSH-2.0-OpenSSH_9.2\r\n\r\n',
        'HTTP/1.1 000 Zero\r\nContent-Length: 0\r\n\r\n',
        'HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n',
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\nbytes',
        'HTTP/1.1 200 OK\r\nX-Bad: a\x01b\r\nContent-Length: 0\r\n\r\n',
        'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      ].map((answer) => ({ name, request, answer })),
    ),
  )('answers with no valid HTTP is a 502: $name, $answer', async ({ request, answer }) => {
    answers(answer);
    const response = await sendRaw(gate.port, request);
    expect(response.status).toBe(502);
    expect(problemIn(response)).toMatchObject({ type: 'urn:patchgate:problem:target-unreachable' });
  });

  it.each(REQUESTS)('gives a reason with control characters loses only that: %s', async (_, request) => {
    answers('HTTP/1.1 200 O\x01K\r\nContent-Length: 2\r\n\r\nok');
    const response = await sendRaw(gate.port, request);
    expect(response).toMatchObject({ status: 200, reason: 'OK', isWhole: true });
  });

  it.each(
    REQUESTS.flatMap(([name, request]) =>
      ['Content-Length: 100\r\n\r\npartial', 'Transfer-Encoding: chunked\r\n\r\n7\r\npartial\r\n'].map(
        (rest) => ({
          name,
          request,
          rest,
        }),
      ),
    ),
  )(
    'breaks off in the middle is a response that is visibly cut off: $name, $rest',
    async ({ request, rest }) => {
      let broken: Socket | undefined;
      onSocket = (socket) => {
        broken = socket;
        socket.once('data', () => {
          socket.write('HTTP/1.1 204 Fine\r\n\r\n');
          socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\n${rest}`));
        });
      };
      const client = await RawConnection.open(gate.port);
      // On a connection that was used before, where some failures are tried again: not this one.
      client.write(requestBytes(request));
      expect((await client.response()).status).toBe(204);
      client.write(requestBytes(request));
      await client.came('partial');
      broken?.resetAndDestroy();
      expect(await client.response()).toMatchObject({ status: 200, isWhole: false });
      client.close();
      await gate.said('was cut off');
    },
  );

  it.each(REQUESTS)('switches protocols unasked is left alone: %s', async (_, request) => {
    let closed: Promise<unknown> | undefined;
    onSocket = (socket) => {
      closed = once(socket, 'close');
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Now\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
      );
    };
    expect((await sendRaw(gate.port, request)).status).toBe(502);
    await closed;
  });
});

describe('a target that answers an upload and closes without reading it', () => {
  let gate: InProcess;
  beforeAll(async () => {
    const target = await startStreamingTarget((_req, res) => {
      res.writeHead(413, { connection: 'close' }).end('too much');
    });
    gate = await startGate({ target: target.url });
  });

  it('leaves the connection of the client usable', async () => {
    const client = await RawConnection.open(gate.port);
    const bytes = requestBytes({ method: 'POST', path: '/upload', body: 'x'.repeat(20_000_000) });
    const statuses = new Set<number>();
    for (let i = 0; i < 5; i++) {
      // It sends all before it reads, as simple clients do.
      await new Promise((resolve) => client.socket.write(bytes, resolve));
      statuses.add((await client.response()).status);
    }
    client.close();
    // What the target said may be lost when it resets the connection.
    expect([...statuses].filter((status) => status !== 413 && status !== 502)).toEqual([]);
  });
});

describe.concurrent('a target that says nothing', () => {
  let gate: InProcess;
  beforeAll(async () => {
    const target = await startRawTarget((socket) => socket.resume());
    gate = await startGate({ target: target.url, timeout: 100 });
  });

  it.each(REQUESTS)('is a 504 after the timeout: %s', async (_, request) => {
    const response = await sendRaw(gate.port, request);
    expect(response.status).toBe(504);
    expect(problemIn(response)).toMatchObject({ type: 'urn:patchgate:problem:target-timeout' });
  });
});

/** Listens and never accepts: once its queue is full, whoever connects waits. */
const FULL_QUEUE = `
import socket, sys
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(0)
waiting = []
for _ in range(8):
    client = socket.socket()
    client.setblocking(False)
    client.connect_ex(server.getsockname())
    waiting.append(client)
print(server.getsockname()[1], flush=True)
sys.stdin.read()
`;

describe.skipIf(process.platform !== 'linux')(
  'a target that takes no connection',
  { concurrent: true, tags: 'python' },
  () => {
    let child: ChildProcessWithoutNullStreams;
    let gate: InProcess;
    beforeAll(async () => {
      child = spawn('python3', ['-c', FULL_QUEUE], { stdio: 'pipe' });
      const [port] = await once(child.stdout, 'data');
      gate = await startGate({ target: `http://127.0.0.1:${String(port).trim()}`, timeout: 100 });
    });
    afterAll(() => void child.stdin.end());

    it.each(REQUESTS)('is a 504 after the timeout: %s', async (_, request) => {
      expect((await sendRaw(gate.port, request)).status).toBe(504);
    });
  },
);
