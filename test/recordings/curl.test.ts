import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordedRequest } from '../../src/model/exchange.ts';
import { curlLine } from '../../src/recordings/curl.ts';

interface Arrived {
  method: string;
  url: string;
  headers: [string, string][];
  body: Buffer;
}

let server: Server;
let base: string;
let arrived: Arrived[] = [];

beforeAll(async () => {
  server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const headers: [string, string][] = [];
      for (let i = 0; i + 1 < req.rawHeaders.length; i += 2)
        headers.push([req.rawHeaders[i] as string, req.rawHeaders[i + 1] as string]);
      arrived.push({
        method: req.method as string,
        url: req.url as string,
        headers,
        body: Buffer.concat(chunks),
      });
      res.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

/** What reaches a server when bash runs the text. */
async function run(text: string, shell = 'bash'): Promise<Arrived[]> {
  arrived = [];
  const child = spawn(shell, [], { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(text.replaceAll(/^curl |(?<=\| )curl /gm, 'curl -sS --noproxy "*" --max-time 10 '));
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
  return arrived;
}

function request(parts: Partial<RecordedRequest> = {}): RecordedRequest {
  return {
    method: 'PATCH',
    path: '/api/v2/accounts/current/projects/42',
    query: '',
    headers: { 'content-type': 'application/json', accept: '*/*' },
    ...parts,
  };
}

const NOT_OURS = new Set(['Host', 'User-Agent', 'Content-Length']);

async function arrivesAs(sent: RecordedRequest, body: Buffer): Promise<void> {
  const found = await run(`${curlLine(sent, body, base)}\n`);
  expect(found).toHaveLength(1);
  const [{ method, url, headers, body: bytes }] = found as [Arrived];
  expect({ method, url }).toEqual({
    method: sent.method,
    url: sent.query === '' ? sent.path : `${sent.path}?${sent.query}`,
  });
  expect(bytes.equals(body)).toBe(true);
  const wanted = Object.entries(sent.headers).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value]),
  );
  expect(headers.filter(([name]) => !NOT_OURS.has(name))).toEqual(wanted);
}

describe('what bash sends is what was recorded', { tags: 'slow' }, () => {
  it.each<[string, string | Buffer]>([
    ['JSON', '{"name":"it\'s \\"x\\" $HOME `id` !$ \\\\"}'],
    ['an at sign in front', '@/etc/hostname'],
    ['line feeds and tabs', 'a\n\tb\r\n\n'],
    ['other letters', 'Grüße, 世界 🎉 \u2028\u202e\u00a0'],
    ['an escape sequence', '\u001b[31mred\u0007'],
    ['octal digits behind an escape', '\u00017\u00027'],
    ['zero bytes', Buffer.from([0, 1, 2, 0])],
    ['bytes that are no text', Buffer.from(Array.from({ length: 256 }, (_, i) => i))],
    ['bytes that are no text and no zero', Buffer.from([0xff, 0xfe, 0x27, 0x5c, 0x0a])],
    ['a long text', `"${"it's long ".repeat(30_000)}"`],
    ['many bytes', Buffer.alloc(140_000, 7)],
    ['a placeholder', '{"token":"[redacted]"}'],
  ])('%s', async (_, body) => {
    await arrivesAs(request(), Buffer.from(body as string));
  });

  it.each<[string, Partial<RecordedRequest>]>([
    ['GET', { method: 'GET' }],
    ['POST without a body', { method: 'POST' }],
    ['HEAD', { method: 'HEAD' }],
    ['OPTIONS of everything', { method: 'OPTIONS', path: '*' }],
    ['no headers', { headers: {} }],
    ['dot segments', { path: '/a/../b/./c/..' }],
    ['brackets', { path: '/a[1-3]/{x,y}', query: 'f[a]=[1-2]' }],
    ['a quote and a dollar sign', { path: "/it's/$HOME", query: "a='b'" }],
    ['a hash', { path: '/a#b' }],
    ['an empty header', { headers: { accept: '', 'content-type': 'text/plain' } }],
    ['a header twice', { headers: { accept: ['a', 'b'] } }],
    ['a header with other letters', { headers: { accept: 'é"\'\\$x' } }],
  ])('%s', async (_, parts) => {
    await arrivesAs(request(parts), Buffer.alloc(0));
  });

  it('a body without a media type', async () => {
    await arrivesAs(request({ headers: {} }), Buffer.from('x'));
  });
});

it('sends it again from a shell without such quoting, too, where there are no control characters', async () => {
  const body = Buffer.from('{"a":"it\'s"}');
  expect((await run(`${curlLine(request(), body, base)}\n`, 'sh'))[0]?.body).toEqual(body);
});

it('runs nothing of what it sends in a shell that knows less quoting', async () => {
  const body = Buffer.from(`a\u200b'; curl -s ${base}/injected; #`);
  const found = await run(`${curlLine(request(), body, base)}\n`, 'sh');
  expect(found.map(({ url }) => url)).toEqual([request().path]);
});

it('quotes a method that a shell would obey', () => {
  const text = curlLine(request({ method: "A'$`!;" }), Buffer.alloc(0), base);
  expect(text).toContain("-X 'A'\\''$`!;' ");
});

it('is readable', () => {
  const text = curlLine(request(), Buffer.from('{"a":1}'), 'https://h/x');
  expect(text.split('\n')).toEqual([
    "curl -X PATCH 'https://h/x/api/v2/accounts/current/projects/42' \\",
    "  -H 'content-type: application/json' \\",
    "  -H 'accept: */*' \\",
    '  --data-raw \'{"a":1}\'',
  ]);
});
