import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  inflateRawSync,
  inflateSync,
} from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { mayNameMethod, type ReadBody, readBody } from '../../src/contract/read-body.ts';
import { brief } from '../support/gate.ts';

const JSON_TYPE = ['Content-Type', 'application/json'];
const LIMIT = 5 * 1024 * 1024;

interface ReadParts {
  headers?: readonly string[];
  limit?: number;
}

/** Reads a body, or `too-large`, with everything that a test does not care about filled in. */
function read(body: string | Uint8Array, parts: ReadParts = {}): ReadBody {
  const { headers = JSON_TYPE, limit = LIMIT } = parts;
  const bytes =
    typeof body === 'string' && body !== 'too-large' ? Buffer.from(body) : (body as Uint8Array | 'too-large');
  return readBody(bytes, headers, limit);
}

/** `request.json error`: what is found. */
function found(body: string | Uint8Array, parts?: ReadParts): string[] {
  return brief(read(body, parts).findings);
}

describe('the text', () => {
  it.each([
    ['', 'the document ends where a value should be', 1, 1],
    ['{"name":', 'the document ends where a value should be', 1, 9],
    ['{\r\n  "a": 1,\r\n}', 'expected a member name in double quotes, found "}"', 3, 1],
    ['{"a": "💡", x}', 'expected a member name in double quotes, found "x"', 1, 13],
    [Buffer.from('{"ü\n":"\xff"}', 'latin1'), 'the body is not valid UTF-8', 1, 3],
    ['\uFEFF{}', 'the body starts with a byte order mark', 1, 1],
  ])('%j is no JSON', (body, message, line, column) => {
    const { findings, json } = read(body);
    expect(findings).toMatchObject([
      {
        rule: 'request.json',
        severity: 'error',
        pointer: '',
        message: `the body is no JSON: ${message} (line ${line}, column ${column})`,
        line,
        column,
      },
    ]);
    expect(json).toBeUndefined();
  });
});

describe('the limits', () => {
  const TOO_LARGE = ['request.too-large error'];
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

  it('of levels', () => {
    expect(found(nested(128))).toEqual([]);
    expect(found(nested(129))).toEqual(TOO_LARGE);
    expect(found('['.repeat(100_000))).toEqual(TOO_LARGE);
  });

  it('of values', () => {
    expect(found(`[${Array(199_999).fill('0').join(',')}]`)).toEqual([]);
    expect(found(`[${Array(200_000).fill('0').join(',')}]`)).toEqual(TOO_LARGE);
  });

  it('come before every other finding of the body', () => {
    const headers = ['Content-Type', 'text/plain'];
    expect(found(`{"a":1,"a":${nested(129)}}`, { headers })).toEqual(TOO_LARGE);
    expect(found('{}    ', { headers, limit: 5 })).toEqual(TOO_LARGE);
    const bomb = gzipSync(Buffer.alloc(100));
    expect(found(bomb, { headers: [...headers, 'Content-Encoding', 'gzip'], limit: 90 })).toEqual(TOO_LARGE);
    expect(read(nested(129))).toEqual({ findings: [expect.anything()], omitted: 0 });
  });
});

describe('what readers see differently', () => {
  it('is found with its place, and the body is read all the same', () => {
    const { findings, json } = read('{"a": 1,\n "\\u0061": 9007199254740993,\n "b": {"__proto__": {}}}');
    expect(findings).toMatchObject([
      { rule: 'request.duplicate-key', severity: 'error', pointer: '/a', line: 2, column: 2 },
      { rule: 'request.unsafe-number', severity: 'error', pointer: '/a', line: 2, column: 12 },
      { rule: 'request.unsafe-key', severity: 'error', pointer: '/b/__proto__', line: 3, column: 8 },
    ]);
    expect(findings[1]?.message).toContain('/a is 9007199254740993');
    expect(json).toMatchObject({ a: 9007199254740992 });
    expect(Object.getPrototypeOf((json as { b: object }).b)).toBe(Object.prototype);
  });
});

describe('check content type', () => {
  const typed = (value: string) => found('{}', { headers: ['Content-Type', value] });
  const WRONG_TYPE = ['request.content-type error'];

  describe('the media type', () => {
    it.each([
      'application/json',
      'APPLICATION/JSON',
      ' application/json ',
      'application/json;charset=utf-8',
      'application/json; charset=UTF-8',
      'application/json ; charset = "utf-8"',
      'application/json; charset=utf8',
      'application/json;',
      'application/json; v=1; charset=utf-8',
      'application/merge-patch+json',
      'application/vnd.shop.v2+json; charset=utf-8',
    ])('%s is JSON', (value) => {
      expect(typed(value)).toEqual([]);
    });

    it.each([
      "charset*=utf-8''utf-7",
      'charset*0=utf-7',
      'charset*0*=utf-8',
      'xcharset=utf-7',
      'x-charset=utf-8',
      'x="charset=utf-16"',
      'x="char\\set=utf-16"',
      'profile="x;charset=latin1"',
      'charset=utf-8; x="charset=utf-8"',
      'charset=utf-8; x="; charset=utf-16',
      'x"; charset=utf-16; y"',
      'charset=utf-8; charset=utf-8',
      'charset',
      'charset : utf-16',
      'charset="utf-8',
      'charset=utf-8 charset=utf-16',
      'x=application/x-www-form-urlencoded',
      'x="multipart/form-data"',
    ])('with %s it is not plainly JSON in UTF-8', (parameters) => {
      expect(typed(`application/json; ${parameters}`)).toEqual(WRONG_TYPE);
      expect(typed(`application/json; v=1;${parameters.toUpperCase()}`)).toEqual(WRONG_TYPE);
    });

    it('that is missing warns, and the body is judged', () => {
      for (const headers of [[], ['Content-Type', ''], ['Content-Type', '  '], ['X', 'text/plain']]) {
        const { json, findings } = read('{"a":1}', { headers });
        expect(brief(findings)).toEqual(['request.content-type warn']);
        expect(json).toEqual({ a: 1 });
      }
    });
  });
});

describe('decode body', () => {
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
    return Buffer.concat([
      Buffer.from([0x78, 0x01, 0x00, 0xfe, 0xff, 0x01, 0x00]),
      content,
      Buffer.from(end),
    ]);
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
      // Some readers stop at the end of the first, and others go on.
      ['deflate', Buffer.concat([deflateSync(TEXT), deflateSync('{}')]), 'Content-Encoding: deflate says'],
      ['br', Buffer.concat([brotliCompressSync(TEXT), Buffer.from('x')]), 'Content-Encoding: br says'],
      [
        'gzip',
        Buffer.concat([gzipSync(TEXT), Buffer.alloc(4), gzipSync('{}')]),
        'Content-Encoding: gzip says',
      ],
      ['gzip, gzip, gzip, gzip', Buffer.from(TEXT), '4 content codings are stacked'],
    ])('%s can be refused: %#', (coding, body, message) => {
      const { findings, json } = coded(coding, body);
      expect(findings).toMatchObject([
        { rule: 'request.content-encoding', severity: 'error', message: expect.stringContaining(message) },
      ]);
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

    it('is not undone past the limit', { tags: 'slow' }, () => {
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
});

describe('method in body', () => {
  const names = (body: string | 'too-large', headers = ['content-type', 'application/json']) =>
    mayNameMethod(body === 'too-large' ? body : Buffer.from(body), headers, 1000);

  it.each(['{', '\uFEFF{}', '{"_method":"PUT","_method":"PUT"}', `"${'x'.repeat(1000)}"`])(
    'takes %s, which it cannot read, for one that may',
    (body) => {
      expect(names(body)).toBe(true);
    },
  );

  it('takes what is too large or coded in an unknown way for one that may', () => {
    expect(names('too-large')).toBe(true);
    expect(names('{}', ['content-type', 'application/json', 'content-encoding', 'zstd'])).toBe(true);
  });
});
