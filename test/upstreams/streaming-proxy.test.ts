import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Forward, forward } from '../../src/upstreams/forward.ts';
import type { ForwardOptions } from '../../src/upstreams/outgoing.ts';
import { parseTarget } from '../../src/upstreams/target.ts';
import { RawConnection } from '../support/raw.ts';
import { type ServedUpstream, serveUpstream } from '../support/serve-upstream.ts';
import { startRawTarget } from '../support/target.ts';

const TIMEOUT = 12_345;

let served: ServedUpstream | undefined;
let upstream: Forward | undefined;

async function serve(url: string): Promise<ServedUpstream> {
  const options: ForwardOptions = {
    target: parseTarget(url),
    tls: { rejectUnauthorized: true } as ForwardOptions['tls'],
    answeredBy: 'target',
    timeout: TIMEOUT,
    preserveHost: false,
    forwardedHeaders: false,
  };
  upstream = forward(options);
  served = await serveUpstream(upstream);
  return served;
}

afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await served?.close();
  await upstream?.close();
});

describe('a client that breaks off behind a request that has no answer yet', () => {
  it('leaves no timer behind, and the end of its request is told', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    // Only these: other tests of this process may leave some.
    const fired: (() => void)[] = [];
    const later = setTimeout;
    const timers = vi
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation((call, ms) => later(() => (ms === TIMEOUT ? fired.push(call) : call()), ms));
    let asked = '';
    const target = await startRawTarget((socket) => socket.on('data', (chunk) => (asked += chunk)));
    const { port, ends } = await serve(target.url);
    const client = await RawConnection.open(port);
    client.write('PUT /never HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n');
    client.write('POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n');
    await vi.waitFor(() => expect(['PUT /never', 'abc'].every((part) => asked.includes(part))).toBe(true));
    client.close();
    await vi.waitFor(() => expect(ends).toHaveLength(2));
    expect(timers.mock.calls.filter(([, ms]) => ms === TIMEOUT)).toHaveLength(2);
    vi.advanceTimersByTime(TIMEOUT);
    expect(fired).toEqual([]);
  });
});
