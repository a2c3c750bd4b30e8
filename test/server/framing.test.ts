/** What Node's parser lets by; the rest is tested on the wire. */
import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { unclearFraming } from '../../src/server/framing.ts';

/** With a Host, where none is given. */
function unclear(headers: string[], httpVersion = '1.1') {
  const rawHeaders = headers.some((name) => /^host$/i.test(name)) ? headers : ['Host', 'x', ...headers];
  return unclearFraming({ httpVersion, rawHeaders } as IncomingMessage);
}

it.each([
  [['host', '[::1]:4010', 'content-length', '5242880']],
  [['HOST', '', 'TRANSFER-ENCODING', 'Chunked ']],
  [
    [
      ...['Host', 'gate_1.test', 'X_Content_Length', '0', 'Ho_st', 'x'],
      ...['Content__Length', '0', 'ContentLength', '0'],
    ],
  ],
])('%j is clear', (headers) => expect(unclear(headers)).toBeUndefined());

it.each([
  ['Host', 'a', 'host', 'a'],
  ...['a b', 'user@a', 'a:b', '[::1'].map((host) => ['Host', host]),
  ...['', '+5', '005', '0x5', '5, 5', '9999999999999999', '1e3', '\u0665'].map((length) => [
    'Content-Length',
    length,
  ]),
  ...['', 'identity', 'gzip, chunked', 'xchunked', 'chunked;a'].map((coding) => [
    'Transfer-Encoding',
    coding,
  ]),
  ...['Transfer_Encoding', 'Content.Length', 'TRANSFER~ENCODING'].map((name) => [name, '0']),
  ['Content-Length', '5', 'content-length', '5'],
  ['Content-Length', '5', 'transfer-encoding', 'chunked'],
  ['Transfer-Encoding', 'chunked', 'Transfer-Encoding', 'chunked'],
])('%s is unclear', (...headers) => expect(unclear(headers)).toMatch(/host|length|encoding/i));

it('HTTP/1.0 needs no Host, and knows no chunks', () => {
  const none = (httpVersion: string) =>
    unclearFraming({ httpVersion, rawHeaders: [] as string[] } as IncomingMessage);
  expect([none('1.0'), none('1.1'), none('2.0')]).toEqual([
    undefined,
    'it has no Host',
    'it is written in HTTP/2.0',
  ]);
  expect(unclear(['Transfer-Encoding', 'chunked'], '1.0')).toMatch('HTTP/1.0');
});
