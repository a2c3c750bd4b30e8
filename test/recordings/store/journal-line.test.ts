import { describe, expect, it } from 'vitest';
import type { PlainExchange } from '../../../src/recordings/plain-exchange.ts';
import { exchangeLine, type Placement, readLine } from '../../../src/recordings/store/journal-line.ts';

const NOTHING = Buffer.alloc(0);

function plain(
  parts: { path?: string; headers?: string[]; body?: Buffer; answer?: Buffer } = {},
): PlainExchange {
  const {
    path = '/a',
    headers = ['accept', '*/*'],
    body = Buffer.alloc(0),
    answer = Buffer.alloc(0),
  } = parts;
  return {
    request: { method: 'PATCH', path, query: 'x=1', headers, body, json: undefined },
    response: { status: 207, headers: ['etag', '"1"'], body: answer },
    startedAt: 1_790_000_000_000,
    durationMs: 12,
  };
}

/** Without the line feed, as it is read. */
function lineOf(exchange: PlainExchange, placement: Placement = { ordinal: 0 }): Buffer {
  const line = exchangeLine(exchange, placement);
  expect(line.indexOf(10)).toBe(line.length - 1);
  return Buffer.from(line.subarray(0, -1));
}

describe('the line of an exchange', () => {
  it.each([
    ['nothing', {}],
    ['bodies', { body: Buffer.from('{"a":"ü"}'), answer: Buffer.from('{"b":2}') }],
    ['tabs', { body: Buffer.from('{\t"a":1}\t'), answer: Buffer.from('\t') }],
    ['line feeds', { body: Buffer.from('{\n  "a": 1\n}\n'), answer: Buffer.from('\n') }],
    ['bytes that are no text', { body: Buffer.from([0, 255, 10, 13]), answer: Buffer.from([255, 0]) }],
    ['more than usual', { path: `/${'long/'.repeat(20_000)}`, answer: Buffer.alloc(70_000, 'a\n') }],
    ['odd texts', { path: '/"\\\u0001\ud800ü€', headers: ['x', 'a"b', 'x', '\t'] }],
  ])('gives back what it was made of: %s', { tags: 'slow' }, (_, parts) => {
    const placements = [
      { ordinal: 0 },
      { ordinal: 7 },
      {},
      { replaces: { failures: 0 } },
      { replaces: { failures: 2 } },
    ];
    for (const placement of placements) {
      const exchange = plain(parts);
      expect(readLine(lineOf(exchange, placement))).toEqual({ exchange, placement });
    }
  });

  it('says why there is no whole response, and what was not kept', () => {
    const { request, response, ...times } = plain({ answer: Buffer.from('ha') });
    const all: PlainExchange[] = [
      { request, response, failure: 'truncated', ...times },
      { request, response: { status: 0, headers: [], body: NOTHING }, failure: 'refused', ...times },
      { request: { ...request, omitted: 7 }, response, ...times },
      { request, response: { ...response, body: NOTHING, omitted: 0 }, ...times },
      { request, response, session: 'a "test" \\ 1', ...times },
    ];
    for (const exchange of all) {
      expect(readLine(lineOf(exchange))).toEqual({ exchange, placement: { ordinal: 0 } });
    }
  });

  it('is to be read by people', () => {
    const bodies = { body: Buffer.from('{"a":1}'), answer: Buffer.from('{"b":2}') };
    const line = lineOf(plain(bodies), { replaces: { failures: 0 } });
    expect(line.toString()).toBe(
      '{"at":1790000000000,"ms":12,"replace":true,"status":207,"request":["PATCH","/a","x=1","accept","*/*"],' +
        '"response":["etag","\\"1\\""],"sizes":[7,7],"base64":[false,false]}\t{"a":1}\t{"b":2}',
    );
  });
});

describe('what is no line of a journal', () => {
  const good = lineOf(plain({ body: Buffer.from('{"a":1}') })).toString();

  it.each([
    '',
    'x',
    '[]',
    '{}',
    good.slice(0, -1),
    `${good} `,
    good.replace('"ms":12', '"ms":"12"'),
    good.replace('"sizes":[7,0]', '"sizes":[6,1]'),
    good.replace('"sizes":[7,0]', '"sizes":[7]'),
    good.replace('["PATCH","/a","x=1","accept","*/*"]', '["PATCH"]'),
    good.replace('"PATCH"', '1'),
    good.replace('"status":207,', ''),
    good.replace('"status":207,', '"status":0,'),
    good.replace('"base64"', '"failure":"bored","base64"'),
    good.replace('"base64"', '"failures":-1,"base64"'),
    good.replace('"ordinal":0', '"ordinal":"0"'),
    good.replace('"base64"', '"omitted":["1",2],"base64"'),
    good.replace('"base64"', '"session":"","base64"'),
    good.replace('"base64"', '"session":"\\u001b","base64"'),
  ])('is told from one: %s', (text) => {
    expect(readLine(Buffer.from(text))).toBeUndefined();
  });
});
