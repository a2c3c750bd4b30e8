import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express } from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Patchgate, PatchgateError, patchgate } from '../src/index.ts';
import { BAD_PROJECT, GOOD_PROJECT, PROJECT_PATH } from './support/e2e-bodies.ts';
import { sendRaw } from './support/raw.ts';
import { startTarget, type Target } from './support/target.ts';

let target: Target;
let gate: Patchgate;
const servers: Server[] = [];

beforeEach(async () => {
  target = await startTarget((req, res) => res.writeHead(req.method === 'GET' ? 404 : 200).end('answered'));
  gate = await patchgate('proxy', { target: target.url, state: false });
});
afterEach(async () => {
  await gate.close();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function serve(app: Express): Promise<string> {
  const server = createServer(app);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function patch(url: string, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(url + PROJECT_PATH, { method: 'PATCH', headers, body: JSON.stringify(body) });
}

describe('mounted in an Express app', () => {
  it('judges, forwards and blocks', async () => {
    const url = await serve(express().use(gate.handler));
    expect(await (await patch(url, GOOD_PROJECT)).text()).toBe('answered');
    expect((await patch(url, BAD_PROJECT)).status).toBe(422);
    const sent = target.received.filter(({ method }) => method === 'PATCH');
    expect(sent.map(({ body }) => body.toString())).toEqual([JSON.stringify(GOOD_PROJECT)]);
  });

  it('answers the control API itself', async () => {
    const url = await serve(express().use(gate.handler));
    const health = await fetch(`${url}/__patchgate/health`);
    expect(await health.json()).toMatchObject({ status: 'ok', mode: 'proxy' });
    expect(target.received).toEqual([]);
  });

  it('says so where a body parser came before it', async () => {
    const url = await serve(express().use(express.json(), gate.handler));
    const answer = await patch(url, GOOD_PROJECT);
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({
      type: 'urn:patchgate:problem:body-already-read',
      hint: 'mount Patchgate before any body parser',
    });
    expect(target.received).toEqual([]);
  });

  it('refuses a request of which Node may have dropped headers', async () => {
    const url = await serve(express().use(gate.handler));
    const headers = Array.from({ length: 2500 }, () => 'a:');
    const text = `GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers.join('\r\n')}\r\n\r\n`;
    const answer = await sendRaw(Number(new URL(url).port), text);
    expect(answer.status).toBe(431);
    expect(target.received).toEqual([]);
  });
});

it('listens by itself', async () => {
  const listening = await patchgate('proxy', { target: target.url, port: 0, state: false });
  const { url, close } = await listening.listen();
  expect(await (await patch(url, GOOD_PROJECT)).text()).toBe('answered');
  await close();
  await listening.close();
});

it('refuses settings that it does not know', async () => {
  const refused = patchgate('proxy', { target: target.url, recrod: 'all' } as never);
  await expect(refused).rejects.toThrow(PatchgateError);
  await expect(refused).rejects.toMatchObject({ code: 'bad-config', hint: 'did you mean "record"?' });
});
