import { describe, expect, it } from 'vitest';
import { readDryRun } from '../../../src/server/control/read-dry-run.ts';

const MINIMAL = { method: 'PATCH', url: '/a' };

function read(input: unknown) {
  return readDryRun(Buffer.from(typeof input === 'string' ? input : JSON.stringify(input)), 10);
}

it('takes the body as exact text', () => {
  const request = read({ ...MINIMAL, headers: { 'content-type': 'application/json' }, body: '{ "é": 1}' });
  expect(request).toEqual({
    method: 'PATCH',
    url: '/a',
    headers: ['content-type', 'application/json'],
    body: Buffer.from('{ "é": 1}'),
  });
});

it('takes any bytes in base64', () => {
  expect(read({ ...MINIMAL, bodyBase64: '//4A' }).body).toEqual(Buffer.from([0xff, 0xfe, 0]));
});

it('adds nothing where nothing is given', () => {
  expect(read(MINIMAL)).toEqual({ ...MINIMAL, headers: [], body: Buffer.alloc(0) });
});

it('says too-large as the data path does', () => {
  expect(read({ ...MINIMAL, body: '0123456789' }).body).toEqual(Buffer.from('0123456789'));
  expect(read({ ...MINIMAL, body: '0123456789a' }).body).toBe('too-large');
  expect(read({ ...MINIMAL, body: '01234567é9' }).body).toBe('too-large');
  expect(read({ ...MINIMAL, bodyBase64: Buffer.alloc(11).toString('base64') }).body).toBe('too-large');
});

it('takes headers as an object, with lists, or as a raw list', () => {
  expect(read({ ...MINIMAL, headers: { A: ['1', '2'], b: '' } }).headers).toEqual([
    'A',
    '1',
    'A',
    '2',
    'b',
    '',
  ]);
  expect(read({ ...MINIMAL, headers: ['A', '1', 'A', '2'] }).headers).toEqual(['A', '1', 'A', '2']);
  expect(read({ ...MINIMAL, url: 'https://host/a?b' }).url).toBe('https://host/a?b');
});

describe('refuses, and says where', () => {
  it.each([
    ['', /not a JSON text/],
    ['{"method"', /not a JSON text/],
    ['{"method":"PATCH","url":"/a","url":"/b"}', /the member "url" twice/],
    ['[]', /not a JSON object/],
    ['null', /not a JSON object/],
    [{ url: '/a' }, /no method/],
    [{ ...MINIMAL, method: 'PA TCH' }, /^\/method /],
    [{ method: 'PATCH' }, /neither url nor path/],
    [{ ...MINIMAL, url: 'a' }, /^\/url /],
    [{ ...MINIMAL, url: '/a b' }, /^\/url /],
    [{ ...MINIMAL, url: '/a\r\nb' }, /^\/url /],
    [{ ...MINIMAL, query: 'a b' }, /^\/query /],
    [{ ...MINIMAL, path: '/a' }, /^\/path stands beside url/],
    [{ ...MINIMAL, headers: null }, undefined],
    [{ ...MINIMAL, headers: 'a: b' }, /^\/headers /],
    [{ ...MINIMAL, headers: ['a'] }, /^\/headers /],
    [{ ...MINIMAL, headers: ['a', 1] }, /^\/headers /],
    [{ ...MINIMAL, headers: { a: 1 } }, /^\/headers /],
    [{ ...MINIMAL, headers: { a: [['b']] } }, /^\/headers /],
    [{ ...MINIMAL, headers: { 'a b': 'c' } }, /^\/headers /],
    [{ ...MINIMAL, headers: { a: 'b\r\nc: d' } }, /^\/headers /],
    [{ ...MINIMAL, body: {} }, /^\/body /],
    [{ ...MINIMAL, body: null }, /^\/body /],
    [`{"method":"PATCH","url":"/a","body":"\\ud800"}`, /^\/body .*Unicode/],
    [{ ...MINIMAL, body: '', bodyBase64: '' }, /^\/bodyBase64 stands beside body/],
    [{ ...MINIMAL, bodyBase64: 5 }, /^\/bodyBase64 /],
    [{ ...MINIMAL, bodyBase64: 'a' }, /^\/bodyBase64 /],
    [{ ...MINIMAL, bodyBase64: '//4A\n' }, /^\/bodyBase64 /],
    [{ ...MINIMAL, Body: 'x' }, /unknown member "Body"/],
  ])('%j', (input, message) => {
    if (message === undefined) expect(read(input).headers).toEqual([]);
    else {
      expect(() => read(input)).toThrow(
        expect.objectContaining({
          code: 'bad-input',
          message: expect.stringMatching(message),
          hint: expect.stringContaining('"method"'),
        }),
      );
    }
  });

  it('text that is no UTF-8', () => {
    expect(() => readDryRun(Buffer.from([0x22, 0xff, 0x22]), 10)).toThrow(/not a JSON text/);
  });
});
