import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { unclearFraming } from '../../src/server/framing.ts';

/** With a Host, where none is given. */
function unclear(headers: string[], httpVersion = '1.1') {
  const rawHeaders = headers.some((name) => /^host$/i.test(name)) ? headers : ['Host', 'x', ...headers];
  return unclearFraming({ httpVersion, rawHeaders } as IncomingMessage);
}

describe('a request is clear', () => {
  it.each([
    [[]],
    [['Host', 'gate.test']],
    [['Host', 'gate_1.test:4010', 'Content-Length', '0']],
    [['host', '[::1]:4010', 'content-length', '5242880']],
    [['HOST', '', 'TRANSFER-ENCODING', 'chunked']],
    [['Host', '127.0.0.1', 'Transfer-Encoding', 'Chunked ']],
    [['Host', 'x', 'X_Content_Length', '0', 'Ho_st', 'x', 'Content__Length', '0', 'ContentLength', '0']],
    [['Host', 'caf%C3%A9.test', 'X-Content-Length', 'x', 'Transfer-Encodings', 'x']],
  ])('with %j', (headers) => expect(unclear(headers)).toBeUndefined());

  it('in HTTP/1.0 with a length', () => expect(unclear(['Content-Length', '5'], '1.0')).toBeUndefined());
});

describe('a request is unclear', () => {
  it.each(['0.9', '2.0', '1.2'])('in HTTP/%s', (version) => expect(unclear([], version)).toMatch(version));

  it.each([
    [['Host', 'a', 'host', 'a']],
    [['Host', 'a b']],
    [['Host', 'user@a']],
    [['Host', 'a/b']],
    [['Host', 'a, b']],
    [['Host', 'a:b']],
    [['Host', 'caf\u00e9']],
    [['Host', '[::1']],
  ])('with %j', (headers) => expect(unclear(headers)).toMatch('Host'));

  it.each(['', '+5', '-5', '005', '5.0', '0x5', '5, 5', '5 5', ' 5', '9999999999999999', '1e3', '\u0665'])(
    'with Content-Length %j',
    (length) => expect(unclear(['Content-Length', length])).toMatch('Content-Length'),
  );

  it.each([
    'Transfer_Encoding',
    'transfer_encoding',
    'Content_Length',
    'Content.Length',
    'TRANSFER~ENCODING',
    "Content'Length",
  ])('with %s, which some servers read as the real one', (name) => {
    expect(unclear([name, '0'])).toMatch(name);
    expect(unclear(['Content-Length', '5', name, '0'])).toMatch(name);
    expect(unclear([name, '0'], '1.0')).toMatch(name);
  });

  it('without a Host, but in HTTP/1.0', () => {
    const without = (httpVersion: string) =>
      unclearFraming({ httpVersion, rawHeaders: [] as string[] } as IncomingMessage);
    expect(without('1.1')).toMatch('no Host');
    expect(without('1.0')).toBeUndefined();
  });

  it('with several lengths, or a length and a coding', () => {
    expect(unclear(['Content-Length', '5', 'content-length', '5'])).toMatch('more than one Content-Length');
    expect(unclear(['Content-Length', '5', 'transfer-encoding', 'chunked'])).toMatch('both');
    expect(unclear(['Content-Length', '5', 'transfer-encoding', ''])).toMatch('both');
  });

  it.each([
    '',
    'identity',
    'gzip, chunked',
    ',chunked',
    'chunked, chunked',
    'xchunked',
    '"chunked"',
    'chunked;a',
  ])('with Transfer-Encoding %j', (coding) =>
    expect(unclear(['Transfer-Encoding', coding])).toMatch('Transfer-Encoding'),
  );

  it('with a coding twice, or in HTTP/1.0', () => {
    expect(unclear(['Transfer-Encoding', 'chunked', 'Transfer-Encoding', 'chunked'])).toMatch('chunked');
    expect(unclear(['Transfer-Encoding', 'chunked'], '1.0')).toMatch('HTTP/1.0');
  });
});
