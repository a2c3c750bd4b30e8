import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type FoundExchange, seenOf } from '../../../src/recordings/har/from-har.ts';
import { readHar, type TimedEntry } from '../../../src/recordings/har/read-har.ts';

const SAMPLES = new URL('../../support/har/', import.meta.url);

function entriesOf(name: string): readonly TimedEntry[] {
  return readHar(readFileSync(new URL(name, SAMPLES)), name).entries;
}

function entry(request: object = {}, response: object = {}): TimedEntry {
  return {
    startedDateTime: '2026-11-20T12:00:00Z',
    time: 5,
    request: { method: 'GET', url: 'https://h/a', ...request },
    response: { status: 200, content: { size: 2, text: 'hi' }, ...response },
  };
}

function found(one: TimedEntry, options = {}): FoundExchange {
  const seen = seenOf(one, options);
  if ('skipped' in seen) throw new Error(seen.skipped);
  return seen;
}

describe('what browsers write', () => {
  const entries = entriesOf('browser.json');

  it('is taken or skipped, with the reason', () => {
    const outcomes = entries.map((one) => {
      const seen = seenOf(one);
      return 'skipped' in seen ? seen.skipped : seen.seen.response.status;
    });
    expect(outcomes).toEqual([
      200,
      200,
      "the response's body is not in the file",
      'WebSocket',
      'no response',
      'no response',
      'not HTTP (data:)',
      'not HTTP (chrome-extension:)',
    ]);
  });

  it('loses what belongs to HTTP/2, to codings and to the page', () => {
    const { seen } = found(entries[1] as TimedEntry);
    expect(seen.request).toEqual({
      method: 'PATCH',
      url: 'https://staging.example.com/api/v2/accounts/current/features/7?token=SECRET-1',
      headers: [
        ...['authorization', 'Bearer SECRET-2', 'accept', 'application/json'],
        ...['content-type', 'application/json', 'content-length', '41', 'host', 'staging.example.com'],
      ],
    });
    expect(seen.requestBody.toString()).toBe('{"name":"Grüße","password":"SECRET-4"}');
    expect(seen.responseBody.toString()).toBe('{"id":7.0}\n');
    expect(seen.response.headers).not.toContain('content-encoding');
    expect(seen.response.headers.join()).toContain('set-cookie,a=SECRET-5,set-cookie,b=SECRET-6');
    expect(seen.response.headers.join()).toContain('x-two,one,x-two,two');
    expect(seen.endedAt - seen.startedAt).toBeCloseTo(41.6);
  });

  it('is whole where only the copy was looked up: 200, not 304', () => {
    const { seen } = found(entries[0] as TimedEntry);
    expect(seen.response.status).toBe(200);
    expect(seen.responseBody).toEqual(Buffer.from('R0lGODlh/w==', 'base64'));
    const { response, ...rest } = entries[0] as TimedEntry;
    const bare = { ...rest, response: { ...response, status: 304, content: { size: 0 } } };
    expect(seenOf(bare as TimedEntry)).toEqual({ skipped: 'not modified, and the copy is not in the file' });
  });
});

describe('what proxies write', () => {
  const entries = entriesOf('proxy.json');

  it('is a form, of which only the fields are there', () => {
    const { seen } = found(entries[0] as TimedEntry);
    expect(seen.requestBody.toString()).toBe('user+name=a%26b&password=SECRET-8');
    expect(seen.response.status).toBe(302);
    expect(seen.responseBody).toHaveLength(0);
  });

  it('is skipped where it is no exchange of its own, or a body is missing', () => {
    expect(seenOf(entries[1] as TimedEntry)).toEqual({ skipped: 'CONNECT' });
    expect(seenOf(entries[2] as TimedEntry)).toEqual({ skipped: "the request's body is not in the file" });
  });

  it('is UTF-8 once it is text, whatever it was', () => {
    const { seen } = found(entries[3] as TimedEntry);
    expect(seen.response.headers).toContain('text/plain; charset=utf-8');
    expect(seen.responseBody.toString()).toBe('né!');
  });

  it('keeps its coding where it still has it', () => {
    expect(found(entries[4] as TimedEntry).seen.response.headers).toContain('Content-Encoding');
  });

  it('may have its body beside the archive', () => {
    const one = entries[5] as TimedEntry;
    expect(seenOf(one)).toEqual({ skipped: "the response's body is not in the file" });
    const attached = { response: Buffer.from('attached') };
    expect(found(one, { attached }).seen.responseBody.toString()).toBe('attached');
  });
});

it.each([
  [{ text: '["68", "c3a9"]', _isBinary: true }, 'hé'],
  [{ text: '68c3a9', _isBinary: true }, 'hé'],
  [{ text: '["aMM=","qQ=="]', encoding: 'base64' }, 'hé'],
  [{ text: '["not", "chunks"]' }, '["not", "chunks"]'],
])('Polly writes bytes in chunks: %j', (content, text) => {
  expect(found(entry({}, { content })).seen.responseBody.toString()).toBe(text);
});

describe('an entry', () => {
  it.each<[string, TimedEntry, string]>([
    ['no URL', entry({ url: '/a' }), 'no URL'],
    ['a method that is none', entry({ method: 'GET /' }), 'no HTTP method'],
    ['status -1', entry({}, { status: -1 }), 'no response'],
    ['an interim response', entry({}, { status: 103 }), 'no final response'],
    ['a request without its body', entry({ bodySize: 3 }), "the request's body is not in the file"],
  ])('with %s is skipped', (_, one, skipped) => {
    expect(seenOf(one)).toEqual({ skipped });
  });

  it('without a response is skipped', () => {
    expect(seenOf({ ...entry(), response: undefined } as unknown as TimedEntry)).toEqual({
      skipped: 'no response',
    });
  });

  it.each([
    ['204', { status: 204, content: {} }],
    ['a redirect', { status: 301, content: { size: -1 } }],
    ['a size of zero', { content: { size: 0 } }],
  ])('may have no body: %s', (_, response) => {
    expect(found(entry({}, response)).seen.responseBody).toHaveLength(0);
  });

  it('of HEAD keeps the headers of the body that is not there', () => {
    const headers = [
      { name: 'content-length', value: '5' },
      { name: 'content-encoding', value: 'gzip' },
    ];
    const { seen } = found(entry({ method: 'HEAD' }, { headers, content: { size: 0, text: '' } }));
    expect(seen.response.headers).toEqual(['content-length', '5', 'content-encoding', 'gzip']);
  });

  it('has the media type that stands beside the body, where no header says it', () => {
    const { seen } = found(
      entry(
        { method: 'POST', postData: { mimeType: 'text/x', text: 'a' } },
        { content: { text: 'b', mimeType: 'text/y' } },
      ),
    );
    expect(seen.request.headers).toContain('text/x');
    expect(seen.response.headers).toEqual(['content-type', 'text/y']);
    const unknown = entry({}, { content: { text: 'b', mimeType: 'x-unknown' } });
    expect(found(unknown).seen.response.headers).toEqual([]);
  });

  it('has other letters in headers as their UTF-8 bytes, no control characters, and numbers and lists as texts', () => {
    const headers = [
      { name: 'x', value: '世\u0001' },
      { name: 'bad name', value: 'x' },
      { name: 'y', value: 5 },
      { name: 'z', value: ['a', 'b'] },
    ];
    expect(found(entry({}, { headers })).seen.response.headers).toEqual([
      ...['x', '\u00e4\u00b8\u0096 '],
      ...['y', '5', 'z', 'a', 'z', 'b'],
    ]);
  });

  it('has a target without fragment, percent-encoded where the tool did not', () => {
    expect(found(entry({ url: 'https://h/a%2fb/../c?x=1#y' })).seen.request.url).toBe(
      'https://h/a%2fb/../c?x=1',
    );
    expect(found(entry({ url: 'https://h/ä b' })).seen.request.url).toBe('https://h/%C3%A4%20b');
  });
});
