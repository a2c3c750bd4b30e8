import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { ResponseHead } from '../../src/model/http.ts';
import { Relay } from '../../src/upstreams/relay.ts';
import { parseTarget } from '../../src/upstreams/target.ts';

/** What a client that calls the gate `localhost:4010` is told of a location. */
function told(location: string, target: string, preserveHost = false): string | undefined {
  let head: ResponseHead | undefined;
  const sink = {
    head: (seen: ResponseHead) => {
      head = seen;
    },
    data: () => true,
    end: () => undefined,
    fail: () => undefined,
  };
  const tls = { ca: undefined, allowPartialTrustChain: false, rejectUnauthorized: true, servername: '' };
  const relay = new Relay(
    sink,
    {
      target: parseTarget(target),
      tls,
      answeredBy: 'target',
      timeout: 0,
      preserveHost,
      forwardedHeaders: false,
    },
    { method: 'GET', headers: ['Host', 'localhost:4010'], stream: Readable.from([]) },
  );
  relay.head(302, '', ['Location', location], { resume: () => undefined });
  return head?.headers[1];
}

describe('a location', () => {
  it.each([
    ['https://staging.example.com', 'https://staging.example.com:443/a?b#c'],
    ['https://staging.example.com:443/api', 'https://staging.example.com/a?b#c'],
    ['https://staging.example.com', 'HTTPS://Staging.Example.COM/a?b#c'],
    ['http://staging.example.com', 'http://staging.example.com:80/a?b#c'],
    ['http://[::1]:80', 'http://[0:0::1]/a?b#c'],
    ['https://staging.example.com', '//staging.example.com/a?b#c'],
  ])('within the target %s leads to the gate: %s', (target, location) => {
    expect(told(location, target)).toBe('http://localhost:4010/a?b#c');
  });

  it.each([
    'http://staging.example.com/a',
    'https://staging.example.com:80/a',
    'https://staging.example.com.evil.example/a',
    'https://staging.example.com@evil.example/a',
    '//evil.example/a',
    'https://localhost:4010/a',
    '/a',
    'a',
    '',
    '//',
    'https://',
  ])('elsewhere, or without a host, is left as it is: %j', (location) => {
    expect(told(location, 'https://staging.example.com')).toBe(location);
  });

  it('at the host that the target was told of leads to the gate as the client speaks to it', () => {
    const target = 'https://staging.example.com';
    expect(told('https://localhost:4010/a', target, true)).toBe('http://localhost:4010/a');
    expect(told('https://evil.example/a', target, true)).toBe('https://evil.example/a');
  });
});
