import { createServer, type ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Handler, inTurn } from '../../src/server/connections.ts';
import { startGate } from '../support/in-process.ts';
import { RawConnection, sendRaw } from '../support/raw.ts';
import { closeServer, listen } from '../support/serve-upstream.ts';
import { startStreamingTarget } from '../support/target.ts';

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

describe('requests that a client sends at once', () => {
  /** A gate whose target answers when it is told to. */
  async function start() {
    const asked: ServerResponse[] = [];
    const target = await startStreamingTarget((req, res) => {
      req.resume();
      asked.push(res);
    });
    const { port } = await startGate({ target: target.url });
    const client = await RawConnection.open(port);
    return { asked, target, port, client };
  }

  it('reach the target one by one, and are answered in their order', async () => {
    const { asked, client, port } = await start();
    client.write([1, 2, 3, 4].map((n) => get(`/${n}`)).join(''));
    for (let n = 1; n <= 4; n++) {
      await expect.poll(() => asked.length).toBe(n);
      // Whatever else there was to do is done by then.
      expect((await sendRaw(port, get('/__patchgate/health'))).status).toBe(200);
      expect(asked.length).toBe(n);
      asked[n - 1]?.end(`answer to ${asked[n - 1]?.req.url}`);
      expect((await client.response()).body.toString()).toBe(`answer to /${n}`);
    }
    client.close();
  });

  it('end with their client, and those that wait are not sent', async () => {
    const { asked, target, client, port } = await start();
    client.write(get('/events').repeat(100));
    await expect.poll(() => asked.length).toBe(1);
    asked[0]?.write('beginning');
    await client.came('beginning');
    client.close();
    const connections = () =>
      new Promise((resolve) => target.server.getConnections((_, count) => resolve(count)));
    await expect.poll(() => connections()).toBe(0);
    expect((await sendRaw(port, get('/__patchgate/health'))).status).toBe(200);
    expect(asked.length).toBe(1);
  });

  it('go no further where one cannot be read, which is said in its turn', async () => {
    const { asked, client } = await start();
    client.write(`${get('/first')}POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n`);
    await expect.poll(() => asked.length).toBe(1);
    asked[0]?.end();
    expect((await client.response()).status).toBe(200);
    expect((await client.response()).status).toBe(400);
    client.close();
    expect(asked.length).toBe(1);
  });
});

/** The URL of a server that fails closed. */
async function serveClosed(handler: Handler): Promise<string> {
  const server = createServer(inTurn(handler));
  onTestFinished(() => closeServer(server));
  return `http://127.0.0.1:${await listen(server)}/`;
}

it('answers a request on which the handler throws with a 500 that says why, and goes on', async () => {
  const url = await serveClosed((req, res) => {
    if (req.url === '/bad') throw new Error('of no use');
    res.end('fine');
  });
  const response = await fetch(`${url}bad`, { method: 'POST', body: 'x' });
  expect(response.status).toBe(500);
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  expect(await response.text()).toContain('Patchgate failed on this request: of no use');
  expect(await (await fetch(url)).text()).toBe('fine');
});
