import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  inflateRawSync,
  inflateSync,
} from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { mayNameMethod } from '../../src/contract/read-body.ts';
import { brief } from '../support/gate.ts';
import { found, JSON_TYPE, BODY_LIMIT as LIMIT, read } from '../support/read-body.ts';

describe('the text', () => {
  it.each([
    ['', 'the document ends where a value should be', 1, 1],
    ['{"name":', 'the document ends where a value should be', 1, 9],
    ['{\r\n  "a": 1,\r\n}', 'expected a member name in double quotes, found "}"', 3, 1],
    ['{"a": "💡", x}', 'expected a member name in double quotes, found "x"', 1, 13],
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

  it.each([
    ['a lone continuation', [0x22, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['half of a character', [0x22, 0xc3, 0x22]],
    ['a coded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['past the last character', [0x22, 0xf5, 0x80, 0x80, 0x80, 0x22]],
    ['UTF-16', [...Buffer.from('\uFEFF{}', 'utf16le')]],
    ['Latin-1', [...Buffer.from('"\u00e9"', 'latin1')]],
  ])('%s is no UTF-8', (_, bytes) => {
    const { findings, json } = read(Uint8Array.from(bytes));
    expect(findings).toMatchObject([{ rule: 'request.json', severity: 'error' }]);
    expect(findings[0]?.message).toContain('not valid UTF-8');
    expect(json).toBeUndefined();
  });

  it('is read from the very bytes of a view', () => {
    const bytes = Buffer.from('xx{"a":1}xx');
    expect(read(bytes.subarray(2, 9))).toMatchObject({ findings: [], json: { a: 1 } });
  });

  it.each(['null', '7', '"x"', '[]', ' {} \n'])('%s is a document', (body) => {
    expect(read(body)).toMatchObject({ findings: [], json: JSON.parse(body), text: body });
  });
});

describe('the limits', () => {
  const TOO_LARGE = ['request.too-large error'];
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

  it('of bytes are those before decoding too', () => {
    expect(found('{}   ', { limit: 5 })).toEqual([]);
    expect(found('{}    ', { limit: 5 })).toEqual(TOO_LARGE);
    expect(found('too-large')).toEqual(TOO_LARGE);
    expect(read('too-large', { limit: 7 }).findings[0]?.message).toBe('the body has more than 7 bytes');
  });

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

  it('names what it is about where that is the whole body', () => {
    expect(read('1e999').findings[0]?.message).toBe(
      'the body is 1e999, a number that a double cannot hold exactly',
    );
  });

  it('only warns of numbers where the contract leaves the value open', () => {
    const body = '{"open":[{"x":1e999}],"closed":1e999,"open2":{"a":1,"a":2}}';
    const isOpen = (path: readonly (string | number)[]) => String(path[0]).startsWith('open');
    expect(found(body, { isOpen })).toEqual([
      'request.unsafe-number warn /open/0/x',
      'request.unsafe-number error /closed',
      'request.duplicate-key error /open2/a',
    ]);
  });

  it('is never hidden by what only warns', () => {
    const many = `[${Array(3000).fill('9007199254740993').join(',')}]`;
    const { findings, omitted } = read(`{"open":${many},"a":9007199254740993,"b":1,"b":2}`, {
      isOpen: (path) => path[0] === 'open',
    });
    expect(brief(findings)).toContain('request.unsafe-number error /a');
    expect(brief(findings)).toContain('request.duplicate-key error /b');
    expect(findings.length + omitted).toBe(3002);
  });

  it('is kept within bounds, however long the names and however many the lines', { tags: 'slow' }, () => {
    const twice = Array(2000).fill('"a":1').join(',');
    const name = 'x'.repeat(60_000);
    const long = read(`{"${name}":{${twice}}}`);
    expect(long.findings.length + long.omitted).toBe(1999);
    expect(long.findings.length).toBeLessThan(20);
    const lines = read(`{${'\n'.repeat(3_000_000)}${twice}}`);
    expect(lines.findings).toHaveLength(1000);
    expect(lines.findings[0]).toMatchObject({ line: 3_000_001, column: 7 });
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
      'text/plain',
      'text/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      'application/json-seq',
      'application/xjson',
      'application/+json/x',
      'json',
      '*/*',
      'application/json, text/plain',
      'application/json text/plain',
      'application/json charset=utf-8',
      '+json',
      'a b+json',
    ])('%s is not', (value) => {
      expect(typed(value)).toEqual(WRONG_TYPE);
    });

    it.each([
      'utf-16',
      'UTF-16LE',
      'iso-8859-1',
      'utf-8x',
      '""',
      '',
      '"utf-16"x',
      "'utf-8'",
      'utf-8, utf-16',
    ])('in the charset %s is not', (charset) => {
      expect(typed(`application/json; charset=${charset}`)).toEqual(WRONG_TYPE);
      expect(typed(`application/json; v=1; CHARSET = ${charset}`)).toEqual(WRONG_TYPE);
      expect(typed(`application/json; charset=utf-8; charset=${charset}`)).toEqual(WRONG_TYPE);
    });

    it.each([
      'application/json; version=1',
      'application/vnd.x+json; version=1',
      'application/json;odata.metadata=minimal;IEEE754Compatible=true',
      'application/json; profile="https://x/y; z=\\"1\\""; charset=UTF-8',
      'application/json;;charset="UTF8";',
      'application/json; x',
      'application/json; x="',
    ])('%s is JSON, with parameters', (value) => {
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

    it.each(['multipart/x+json', 'application/x-www-form-urlencoded+json', ';', '; charset=utf-8'])(
      '%s is not plainly JSON',
      (value) => {
        expect(typed(value)).toEqual(WRONG_TYPE);
      },
    );

    it('that is missing warns, and the body is judged', () => {
      for (const headers of [[], ['Content-Type', ''], ['Content-Type', '  '], ['X', 'text/plain']]) {
        const { json, findings } = read('{"a":1}', { headers });
        expect(brief(findings)).toEqual(['request.content-type warn']);
        expect(json).toEqual({ a: 1 });
      }
    });

    it('that is wrong keeps no other finding back', () => {
      expect(found('{', { headers: ['Content-Type', 'text/plain'] })).toEqual([
        'request.content-type error',
        'request.json error',
      ]);
      expect(read('{"a":1}', { headers: ['Content-Type', 'text/plain'] }).json).toEqual({ a: 1 });
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

  it.each(['{"_method":"PATCH"}', '{"a":1,"_method":" patch"}', '{"\\u005fmethod":"Patch"}'])(
    'finds it in %s',
    (body) => {
      expect(names(body)).toBe(true);
    },
  );

  it.each(['{"_method":"PUT"}', '{"_method":["PATCH"]}', '{"a":{"_method":"PATCH"}}', '[]', '1', '{}', ''])(
    'finds none in %s',
    (body) => {
      expect(names(body)).toBe(false);
    },
  );

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
