import { describe, expect, it } from 'vitest';
import { separateBodies } from '../../../src/recordings/store/separate-bodies.ts';
import { type ExchangeParts, exchange } from '../../support/exchanges.ts';

/** What becomes of the body of a request, and of a response. */
function kinds(parts: ExchangeParts): string[] {
  const { request, response } = separateBodies(exchange({ method: 'POST', ...parts }));
  return [request.body, response?.body].map((body) => Object.keys(body ?? {}).join());
}

const MIB = 1024 * 1024;
const long = (text: string, bytes = MIB) => text.repeat(Math.ceil(bytes / Buffer.byteLength(text)));

describe('a text', () => {
  it.each([
    ['of 1 MiB', 'a', MIB, 'file'],
    ['of less', 'a', MIB - 1, 'text'],
    ['of 1 MiB in fewer characters', '€', MIB, 'file'],
    ['of less in fewer characters', '€', MIB - 3, 'text'],
  ])('stands in a file of its own, or not: %s', (_, char, bytes, kind) => {
    const body = { text: long(char, bytes) };
    expect(kinds({ body, answer: body })).toEqual([kind, kind]);
  });

  it('of a request stays where matching compares its value, or takes any for a part of it', () => {
    const json = { text: `[1,  2, "${long('a')}"]` };
    expect(kinds({ body: json, answer: json })).toEqual(['text', 'file']);
    const secret = { text: `[redacted]${long('a')}` };
    expect(kinds({ body: secret, answer: secret })).toEqual(['text', 'file']);
  });
});
