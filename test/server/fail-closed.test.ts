import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { DataPath } from '../../src/server/data-path.ts';
import { failClosed } from '../../src/server/fail-closed.ts';

let server: Server | undefined;
afterEach(() => server?.close());

async function serve(handler: DataPath): Promise<string> {
  server = createServer(failClosed(handler));
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

it('answers a request on which the handler throws with a 500 that says why, and goes on', async () => {
  const url = await serve((req, res) => {
    if (req.url === '/bad') throw new Error('of no use');
    res.end('fine');
  });
  const response = await fetch(`${url}bad`, { method: 'POST', body: 'x' });
  expect(response.status).toBe(500);
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  expect(await response.text()).toContain('Patchgate failed on this request: of no use');
  expect(await (await fetch(url)).text()).toBe('fine');
});

it('breaks off an answer that has begun', async () => {
  const url = await serve((_, res) => {
    res.writeHead(200).flushHeaders();
    throw new Error('too late');
  });
  await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
});
