import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { PatchgateError } from '../../src/errors.ts';
import type { ResponseHead } from '../../src/http/http.ts';
import { Relay } from '../../src/upstreams/relay.ts';
import { parseTarget } from '../../src/upstreams/target.ts';
import type { ResponseSink } from '../../src/upstreams/upstream.ts';

/** For a client that calls the gate `localhost:4010`. */
function relayTo(sink: Partial<ResponseSink>, target: string): Relay {
  const nothing = {
    whole: () => undefined,
    head: () => undefined,
    data: () => true,
    end: () => undefined,
    fail: () => undefined,
  };
  const tls = { ca: undefined, allowPartialTrustChain: false, rejectUnauthorized: true, servername: '' };
  return new Relay(
    { ...nothing, ...sink },
    {
      target: parseTarget(target),
      tls,
      answeredBy: 'target',
      timeout: 0,
    },
    { method: 'GET', headers: ['Host', 'localhost:4010'], stream: Readable.from([]) },
  );
}

const SOURCE = { pause: () => undefined, resume: () => undefined };

/** What the client is told of a location. */
function told(location: string, target: string): string | undefined {
  let head: ResponseHead | undefined;
  const sink = {
    head: (seen: ResponseHead) => {
      head = seen;
    },
  };
  relayTo(sink, target).head(302, '', ['Location', location], SOURCE);
  return head?.headers[1];
}

it('a head that cannot be written is a failure of the target', () => {
  const failures: PatchgateError[] = [];
  const sink: Partial<ResponseSink> = {
    head: () => expect.unreachable(),
    fail: (error) => failures.push(error),
  };
  const relay = relayTo(sink, 'https://staging.example.com');
  expect(relay.head(200, 'OK', ['X Y', 'a'], SOURCE)).toBe(false);
  relay.end();
  expect(failures.map(({ code }) => code)).toEqual(['target-unreachable']);
  expect(failures[0]?.message).toContain('it answered with headers that are none: Header name must be a');
});

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
});
