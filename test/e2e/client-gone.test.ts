/** The client goes away: the target's request is ended with it. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Running, startBinary } from '../support/binary.ts';
import { PROJECT_PATH, REQUESTS } from '../support/e2e-bodies.ts';
import { RawConnection, requestBytes } from '../support/raw.ts';
import { startStreamingTarget, type Target } from '../support/target.ts';

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
