/** Bodies of all kinds, recorded and replayed, the first by the built program: byte for byte. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { startBinary } from '../support/binary.ts';
import { startRecorder, startReplay } from '../support/in-process.ts';
import { sendRaw } from '../support/raw.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What the body is, and whether it is still the same; and how it came. */
const MEANING = ['content-type', 'etag', 'location', 'cache-control'];
const FRAMING = ['content-encoding', 'trailer', 'transfer-encoding'];

/** Without the coding of the body. */
async function ask(base: string, path: string, init: RequestInit = {}) {
  const response = await fetch(`${base}/${path}`, { redirect: 'manual', ...init });
  const meaning = MEANING.map((name) => response.headers.get(name)?.replace(base, ''));
  const framing = FRAMING.filter((name) => response.headers.has(name));
  const body = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, meaning, framing, body };
}

type Answer = (req: IncomingMessage, res: ServerResponse, body: Buffer) => void;

const answer =
  (body: Buffer | string, headers: Record<string, string | number> = {}): Answer =>
  (_req, res) =>
    void res.writeHead(200, headers).end(body);

const coded = (coding: string, body: Buffer): Answer =>
  answer(body, { 'content-type': 'application/json', 'content-encoding': coding, etag: '"1"' });

const JSON_TYPE = { 'content-type': 'application/json' };
const PLAIN = '{\n  "a": [1, 2.50, 1.0, 1e2],\n  "ü": "€ \\u00e9"\n}';
/** Looks random, is the same each time, and is no text. */
const noise = (length: number) =>
  Buffer.concat(
    Array.from({ length: Math.ceil(length / 32) }, (_, i) => createHash('sha256').update(`${i}`).digest()),
  ).subarray(0, length);
const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), noise(9000)]);

/** Each path with what the target answers, and what stands in the recording's file for it. */
const CASES: Record<string, [answer: Answer, kept: string]> = {
  'json-compact': [answer('{"a":1,"b":[true,null,"x"]}', JSON_TYPE), '"json"'],
  'json-pretty': [answer('{\n  "a": 1\n}\n', JSON_TYPE), '"newline": true'],
  'json-tabs': [answer('{\n\t"a": 1\n}', JSON_TYPE), '"indent": "\\t"'],
  'json-numbers': [answer('{"a":1.0,"b":1e2,"c":-0,"d":12345678901234567890}', JSON_TYPE), '"text"'],
  'json-crlf': [answer('{\r\n  "a": 1\r\n}\r\n', JSON_TYPE), '"text"'],
  'json-bom': [answer('\ufeff{"a":1}', JSON_TYPE), '"text"'],
  'json-spaces': [answer(' { "a" : 1 } ', JSON_TYPE), '"text"'],
  'json-escapes': [answer('{"a":"\\u00e9\\/"}', JSON_TYPE), '"text"'],
  'json-python': [answer('{"a": "\\u00e9", "b": [1, 2]}', JSON_TYPE), '"spaced": true'],
  'json-duplicate': [answer('{"a":1,"a":2}', JSON_TYPE), '"text"'],
  'json-broken': [answer('{"a":', JSON_TYPE), '"text"'],
  'json-scalar': [answer('"x"', JSON_TYPE), '"json": "x"'],
  'json-null': [answer('null', JSON_TYPE), '"json": null'],
  'json-utf16': [answer(Buffer.from('{"a":1}', 'utf16le'), JSON_TYPE), '"text"'],
  'json-utf16-bom': [answer(Buffer.from('\ufeff{"é":1}', 'utf16le'), JSON_TYPE), '"base64"'],
  'json-latin1': [answer(Buffer.from('{"a":"é"}', 'latin1'), JSON_TYPE), '"base64"'],
  'json-no-type': [answer('{"a":1}'), '"json"'],
  problem: [answer('{"type":"x"}', { 'content-type': 'application/problem+json' }), '"json"'],
  text: [answer('line one\r\nline two\n\ttab ü €\n', { 'content-type': 'text/plain' }), '"text"'],
  nuls: [answer('a\0b\u0001\u001f\u007f', { 'content-type': 'text/plain' }), '"text"'],
  'line-separators': [answer('a\u2028b\u2029c\ud83d\ude00', { 'content-type': 'text/plain' }), '"text"'],
  latin1: [answer(Buffer.from('na\xefve', 'latin1'), { 'content-type': 'text/plain' }), '"base64"'],
  gzip: [coded('gzip', gzipSync(PLAIN)), '"text"'],
  'x-gzip': [coded('x-gzip', gzipSync('{"a":1}')), '"json"'],
  deflate: [coded('deflate', deflateSync(PLAIN)), '"text"'],
  'deflate-raw': [coded('deflate', deflateRawSync(PLAIN)), '"text"'],
  br: [coded('br', brotliCompressSync(PLAIN)), '"text"'],
  'br-of-gzip': [coded('gzip, br', brotliCompressSync(gzipSync(PLAIN))), '"text"'],
  'gzip-of-png': [
    (_req, res) =>
      void res.writeHead(200, { 'content-type': 'image/png', 'content-encoding': 'gzip' }).end(gzipSync(PNG)),
    '"base64"',
  ],
  empty: [answer(''), '"status": 200'],
  'no-content': [(_req, res) => void res.writeHead(204, { etag: '"1"' }).end(), '"status": 204'],
  'not-modified': [(_req, res) => void res.writeHead(304, { etag: '"1"' }).end(), '"status": 304'],
  'small-bytes': [answer(noise(4096)), '"base64"'],
  'large-bytes': [answer(noise(4097)), '"base64"'],
  png: [answer(PNG, { 'content-type': 'image/png' }), '"base64"'],
  zip: [answer(noise(6000), { 'content-type': 'application/zip; x=1' }), '"base64"'],
  chunked: [
    (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/plain' });
      res.write('one ');
      setImmediate(() => res.end('two'));
    },
    '"text": "one two"',
  ],
  trailers: [
    (_req, res) => {
      res.writeHead(200, { trailer: 'x-sum', 'content-type': 'text/plain' });
      res.write('with');
      res.addTrailers({ 'x-sum': '1' });
      res.end(' trailers');
    },
    '"text": "with trailers"',
  ],
  events: [
    (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
      res.write('event: a\ndata: {"n":1}\n\n');
      setImmediate(() => res.write('id: 2\ndata: two\n\n'));
      setImmediate(() => setImmediate(() => res.end(': bye\n\n')));
    },
    '"text": "event: a\\ndata:',
  ],
  'until-the-end': [
    (req) =>
      void req.socket.end('HTTP/1.0 200 OK\r\ncontent-type: text/plain\r\n\r\nuntil the connection ends'),
    '"text": "until the connection ends"',
  ],
  redirect: [(_req, res) => void res.writeHead(302, { location: '/png' }).end('moved'), '"status": 302'],
  broken: [(_req, res) => void res.writeHead(500, JSON_TYPE).end('{"error":"x"}'), '"status": 500'],
};

const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const folderOf = (cwd: string) => join(cwd, 'recordings', 'default');

describe('bodies', () => {
  it('are the same bytes in a replay, and stand in the files as people can read them', async () => {
    const cwd = temporaryFolder();
    const target = await startTarget((req, res, body) => {
      // A HEAD has no body, and its length is told all the same.
      if (req.method === 'HEAD') return void res.writeHead(200, { 'content-length': 1234 }).end();
      const [make] = CASES[(req.url as string).slice(1)] as [Answer, string];
      make(req, res, body);
    });
    const names = Object.keys(CASES);
    const askAll = (url: string) => Promise.all(names.map((name) => ask(url, name)));
    const gate = await startBinary(['proxy', target.url, '--record', '--log', 'off'], { cwd });
    const recorded = await askAll(gate.url);
    await ask(gate.url, 'png', { method: 'HEAD' });
    expect((await gate.stop()).code).toBe(0);
    await target.close();

    const replay = await startBinary(['replay', '--log', 'off'], { cwd });
    const replayed = await askAll(replay.url);
    const { headers } = await ask(replay.url, 'png', { method: 'HEAD' });
    expect(headers.get('content-length')).toBe('1234');
    for (const [i, name] of names.entries()) {
      const { status, meaning, body } = recorded[i] as (typeof recorded)[0];
      expect({ name, ...replayed[i] }).toMatchObject({ name, status, meaning, framing: [] });
      expect([name, replayed[i]?.body.equals(body)]).toEqual([name, true]);
      const text = readFileSync(join(folderOf(cwd), name, 'GET.json'), 'utf8');
      expect([name, text]).toEqual([name, expect.stringContaining((CASES[name] as [Answer, string])[1])]);
    }
  });

  it('that were sent are kept and found as well: bytes, coded ones, and text', async () => {
    const cwd = temporaryFolder();
    const target = await startTarget((req, res, body) =>
      res.end(`${req.headers['content-encoding']} ${body.length}`),
    );
    const bodies = [PNG, Buffer.from([0, 255]), gzipSync('{"a": 1}'), Buffer.from('a\0é')];
    const put = (url: string) =>
      Promise.all(
        bodies.map((body, i) => {
          const headers = { 'content-type': 'application/x', ...(i === 2 && { 'content-encoding': 'gzip' }) };
          return ask(url, 'up', { method: 'PUT', headers, body });
        }),
      );
    const recorder = await startRecorder(cwd, target.url);
    const recorded = await put(recorder.url);
    await recorder.gate.close();
    const replay = await startReplay(cwd);
    const replayed = await put(replay.url);
    expect(replayed.map(({ body }) => body.toString())).toEqual(recorded.map(({ body }) => body.toString()));
    const missed = await ask(replay.url, 'up', { method: 'PUT', body: PNG.subarray(1) });
    expect(missed.status).toBe(501);
  });

  it('that cannot be decoded, or are too long, pass and are not recorded, and a notice says so', async () => {
    const spaces = Buffer.alloc(64 * 1024 * 1024, ' ');
    const bodies: Record<string, [coding: string, body: Buffer]> = {
      long: ['identity', Buffer.alloc(16 * 1024 * 1024 + 1, 'x')],
      zstd: ['zstd', noise(100)],
      cut: ['gzip', gzipSync(PLAIN).subarray(0, -8)],
      'more-behind': ['gzip', Buffer.concat([gzipSync(PLAIN), noise(9)])],
      'another-coding': ['br', gzipSync(PLAIN)],
      'bomb-br': ['br', brotliCompressSync(spaces, QUICKLY)],
      'bomb-gzip': ['gzip', gzipSync(spaces)],
      'bomb-deflate': ['deflate', deflateSync(spaces)],
      'bomb-raw': ['deflate', deflateRawSync(spaces)],
      'bomb-chained': ['gzip, gzip, br', brotliCompressSync(gzipSync(gzipSync(spaces)), QUICKLY)],
    };
    const names = Object.keys(bodies);
    const cwd = temporaryFolder();
    const target = await startTarget((req, res) => {
      const [coding, body] = bodies[(req.url as string).slice(1)] as [string, Buffer];
      res.writeHead(200, { 'content-encoding': coding }).end(body);
    });
    const recorder = await startRecorder(cwd, target.url);
    // As they come: no client can decode most of them.
    for (const name of [...names, 'long']) {
      const { body } = await sendRaw(recorder.port, { path: `/${name}` });
      expect([name, body.equals(bodies[name]?.[1] as Buffer)]).toEqual([name, true]);
    }
    await recorder.gate.close();
    const said = recorder.notices.filter((notice) => notice.startsWith('not recorded: '));
    expect(said).toHaveLength(names.length + 1);
    expect(said.join()).toContain("GET /long: its response's body has 16777217 bytes");
    expect(said.join()).toContain("GET /zstd: its response's body has a content coding");
    const replay = await startReplay(cwd);
    for (const name of names) expect((await ask(replay.url, name)).status).toBe(501);
  });
});
