import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { brief } from '../support/gate.ts';
import { found, read } from '../support/read-body.ts';

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

  it('is kept within bounds, however long the names and however many the lines', () => {
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
