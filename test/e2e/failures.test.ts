/** The target fails, and the client learns the truth; the client goes, and the target learns it; and the gate lives on. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Running, startBinary } from '../support/binary.ts';
import { PROJECT_PATH, REQUESTS } from '../support/e2e-bodies.ts';
import { holdTimers } from '../support/held-timers.ts';
import { type InProcess, startGate } from '../support/in-process.ts';
import { RawConnection, type RawResponse, requestBytes, sendRaw, valuesOf } from '../support/raw.ts';
import { freePort, startRawTarget, startStreamingTarget, type Target } from '../support/target.ts';

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
  let answer = '';
  /** On connections that are open already, too. */
  const answers = (text: string) => {
    answer = text;
    onSocket = (socket) => socket.once('data', () => socket.end(answer, 'latin1'));
  };

  it.each(REQUESTS)('closes without an answer is a 502: %s', async (_, request) => {
    onSocket = (socket) => socket.once('data', () => socket.destroy());
    const response = await sendRaw(gate.port, request);
    expect(response.status).toBe(502);
    expect(problemIn(response).detail).toContain('it closed the connection');
  });

  it.each(
    REQUESTS.flatMap(([name, request]) =>
      [
        'SSH-2.0-OpenSSH_9.2\r\n\r\n',
        'HTTP/1.1 000 Zero\r\nContent-Length: 0\r\n\r\n',
        'HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n',
        'HTTP/1.1 200 OK\r\nX-Bad: a\x01b\r\nContent-Length: 0\r\n\r\n',
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
      [
        'Content-Length: 100\r\n\r\npartial',
        'Transfer-Encoding: chunked\r\n\r\n7\r\npartial\r\n',
        'Connection: close\r\n\r\npartial',
      ].map((rest) => ({ name, request, rest })),
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

describe('a target whose connections are used again', () => {
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

  it.each(REQUESTS)('may close them when they are idle: %s', async (_, request) => {
    const closed = closesIdle(1);
    const client = await RawConnection.open(gate.port);
    for (let i = 0; i < 20; i++) {
      client.write(requestBytes(request));
      expect((await client.response()).status).toBe(204);
      await closed();
    }
    client.close();
  });

  it('may close one just when it is used again, and is asked again', async () => {
    closesIdle(2);
    const client = await RawConnection.open(gate.port);
    for (let i = 0; i < 100; i++) {
      client.write(requestBytes({ path: '/x' }));
      expect((await client.response()).status).toBe(204);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    client.close();
  });

  it('is a 504 when it says nothing on one, and is asked once', async () => {
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
    const gate = await startGate({ target: target.url });
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
    ['that names another method', { path: '/reset', headers: [['X-HTTP-Method-Override', 'PUT']] as const }],
  ])('is sent once where it may not be repeated: %s', async (_, request) => {
    const { gate, resets } = await fragile();
    expect((await sendRaw(gate.port, request)).status).toBe(502);
    expect(resets).toHaveLength(1);
  });

  it.each([['HTTP/1.1 103 Early Hints\r\n\r\n'], ['HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf']])(
    'is sent once where an answer had begun: %j',
    async (begun) => {
      const { gate, resets } = await fragile(begun);
      await sendRaw(gate.port, { path: '/reset' });
      expect(resets).toHaveLength(1);
    },
  );
});

describe('a client that goes away', () => {
  let target: Target;
  let gate: Running;
  let onRequest: (req: IncomingMessage, res: ServerResponse) => void;
  beforeAll(async () => {
    target = await startStreamingTarget((req, res) => onRequest(req, res));
    // Under the guard a PATCH of a project is followed to its end.
    gate = await startBinary(['proxy', target.url, '--no-guard']);
  });
  /** Resolves with the next request's response object, once its head is there. */
  const nextRequest = () =>
    new Promise<ServerResponse>((resolve) => {
      onRequest = (req, res) => {
        req.on('error', () => undefined).resume();
        resolve(res);
      };
    });

  it.each(REQUESTS)('before there is an answer ends the request at the target: %s', async (_, request) => {
    const arrived = nextRequest();
    const client = await RawConnection.open(gate.port);
    client.write(requestBytes(request));
    const res = await arrived;
    const closed = once(res, 'close');
    client.close();
    await closed;
    expect(res.writableFinished).toBe(false);
    await gate.said('the client went away');
  });

  it.each(REQUESTS)('in the middle of the answer ends it at the target: %s', async (_, request) => {
    const arrived = nextRequest();
    const client = await RawConnection.open(gate.port);
    client.write(requestBytes(request));
    const res = await arrived;
    res.write('beginning');
    await client.came('beginning');
    const closed = once(res, 'close');
    client.close();
    await closed;
    expect(res.writableFinished).toBe(false);
  });

  it('or sends a thousand requests before it reads an answer, is cut off', async () => {
    const arrived = nextRequest();
    const client = await RawConnection.open(gate.port);
    client.write(requestBytes({ path: '/first' }));
    await arrived;
    client.write(Buffer.concat(Array.from({ length: 1500 }, () => requestBytes({ path: '/next' }))));
    await client.closed();
    expect(client.rest.toString()).toBe('');
  });

  it('in the middle of an upload ends it at the target', async () => {
    const arrived = nextRequest();
    const client = await RawConnection.open(gate.port);
    client.write('POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\npart');
    const res = await arrived;
    const closed = once(res, 'close');
    client.close();
    await closed;
    expect(res.req.complete).toBe(false);
  });

  it('in the middle of a body that is to be judged is only noted', async () => {
    onRequest = () => expect.fail('nothing may reach the target');
    const client = await RawConnection.open(gate.port);
    client.write(`PATCH ${PROJECT_PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"na`);
    client.socket.end();
    await client.closed();
    await gate.said('the client broke off its request');
  });
});
