import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  inflateRawSync,
  inflateSync,
} from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { brief } from '../support/gate.ts';
import { JSON_TYPE, BODY_LIMIT as LIMIT, read } from '../support/read-body.ts';

/**
 * Bytes that are valid with the zlib wrapper (one JSON text) and without it (something else): the two bytes of the
 * wrapper and the lengths of the stored block behind it are stored blocks themselves to a reader of bare deflate.
 */
function ambiguousDeflate(): Buffer {
  const content = Buffer.alloc(65_534, 'x');
  // To the bare reader: the length of a stored block, 0x6122, and its complement.
  content.set([0x22, 0x61, 0xdd, 0x9e]);
  content[content.length - 1] = 0x22;
  // To the bare reader: the last block, in fixed codes.
  content.write('[:c    ', 4 + 0x6122);
  let [low, high] = [1, 0];
  for (const byte of content) {
    low = (low + byte) % 65_521;
    high = (high + low) % 65_521;
  }
  const end = [0x01, 0x00, 0x00, 0xff, 0xff, high >> 8, high & 255, low >> 8, low & 255];
  return Buffer.concat([Buffer.from([0x78, 0x01, 0x00, 0xfe, 0xff, 0x01, 0x00]), content, Buffer.from(end)]);
}

describe('the content coding', () => {
  const TEXT = '{"name":"Checkout"}';
  const coded = (coding: string, body: Uint8Array, limit?: number) =>
    read(body, {
      headers: [...JSON_TYPE, 'Content-Encoding', coding],
      ...(limit !== undefined && { limit }),
    });

  it.each([
    ['gzip', gzipSync(TEXT)],
    ['GZIP', gzipSync(TEXT)],
    ['x-gzip', gzipSync(TEXT)],
    ['deflate', deflateSync(TEXT)],
    ['br', brotliCompressSync(TEXT)],
    ['identity', Buffer.from(TEXT)],
    ['', Buffer.from(TEXT)],
    ['identity, gzip', gzipSync(TEXT)],
    ['gzip, br', brotliCompressSync(gzipSync(TEXT))],
    ['gzip,deflate , br', brotliCompressSync(deflateSync(gzipSync(TEXT)))],
  ])('%s is undone', (coding, body) => {
    expect(coded(coding, body)).toMatchObject({ findings: [], text: TEXT, json: { name: 'Checkout' } });
  });

  it('of several headers is undone in order', () => {
    const headers = [...JSON_TYPE, 'Content-Encoding', 'gzip', 'content-encoding', 'br'];
    expect(read(brotliCompressSync(gzipSync(TEXT)), { headers }).json).toEqual({ name: 'Checkout' });
  });

  it.each([
    ['zstd', Buffer.from(TEXT), 'the content coding "zstd" cannot be undone'],
    ['compress', Buffer.from(TEXT), 'the content coding "compress" cannot be undone'],
    ['constructor', Buffer.from(TEXT), 'the content coding "constructor" cannot be undone'],
    ['__proto__', Buffer.from(TEXT), 'the content coding "__proto__" cannot be undone'],
    ['gzip;q=1', gzipSync(TEXT), 'the content coding "gzip;q=1" cannot be undone'],
    ['gzip', Buffer.from(TEXT), 'the body is not what Content-Encoding: gzip says'],
    ['gzip', gzipSync(TEXT).subarray(0, 20), 'the body is not what Content-Encoding: gzip says'],
    ['gzip', Buffer.alloc(0), 'the body is not what Content-Encoding: gzip says'],
    ['br', gzipSync(TEXT), 'the body is not what Content-Encoding: br says'],
    ['gzip, br', gzipSync(TEXT), 'the body is not what Content-Encoding: br says'],
    // The zlib format is what the name means; servers that read it bare are no reason to let it pass.
    ['deflate', deflateRawSync(TEXT), 'the body is not what Content-Encoding: deflate says'],
    ['gzip, gzip, gzip, gzip', Buffer.from(TEXT), '4 content codings are stacked'],
  ])('%s can be refused: %#', (coding, body, message) => {
    const { findings, json } = coded(coding, body);
    expect(findings).toMatchObject([{ rule: 'request.content-encoding', severity: 'error', message }]);
    expect(json).toBeUndefined();
  });

  it('deflate is refused where bytes have a second meaning to servers that read it bare', () => {
    const body = ambiguousDeflate();
    const text = inflateSync(body).toString();
    expect(JSON.parse(text).length).toBeGreaterThan(65_000);
    expect(inflateRawSync(body).toString('latin1')).not.toContain(text.slice(0, 100));
    expect(coded('deflate', body).findings).toMatchObject([
      { rule: 'request.content-encoding', severity: 'error' },
    ]);
  });

  it('is not undone past the limit', () => {
    const bomb = gzipSync(Buffer.alloc(LIMIT + 1, 0x20));
    expect(bomb.length).toBeLessThan(10_000);
    expect(brief(coded('gzip', bomb).findings)).toEqual(['request.too-large error']);
    expect(brief(coded('gzip, gzip', gzipSync(bomb)).findings)).toEqual(['request.too-large error']);
    expect(brief(coded('br', brotliCompressSync(Buffer.alloc(LIMIT + 1, 0x20))).findings)).toEqual([
      'request.too-large error',
    ]);
    expect(brief(coded('gzip', gzipSync('{}   '), 5).findings)).toEqual(['request.too-large error']);
    expect(coded('gzip', gzipSync(`{}${' '.repeat(98)}`), 100).findings).toEqual([]);
    expect(brief(coded('gzip', gzipSync(`{}${' '.repeat(99)}`), 100).findings)).toEqual([
      'request.too-large error',
    ]);
  });
});
