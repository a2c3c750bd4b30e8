import { afterEach, describe, expect, it } from 'vitest';
import { type Forward, forward } from '../../src/upstreams/forward.ts';
import type { ForwardOptions } from '../../src/upstreams/outgoing.ts';
import { parseTarget } from '../../src/upstreams/target.ts';
import { holdTimers } from '../support/held-timers.ts';
import { RawConnection } from '../support/raw.ts';
import { type ServedUpstream, serveUpstream } from '../support/serve-upstream.ts';
import { startRawTarget } from '../support/target.ts';

const TIMEOUT = 54_321;

let served: ServedUpstream | undefined;
let upstream: Forward | undefined;

async function serve(url: string): Promise<ServedUpstream> {
  const options: ForwardOptions = {
    target: parseTarget(url),
    tls: { rejectUnauthorized: true } as ForwardOptions['tls'],
    answeredBy: 'target',
    timeout: TIMEOUT,
  };
  upstream = forward(options);
  served = await serveUpstream(upstream);
  return served;
}

afterEach(async () => {
  await served?.close();
  await upstream?.close();
});

describe('a client that breaks off behind a request that has no answer yet', () => {
  it('leaves no timer behind, and the end of its request is told', async () => {
    const timers = holdTimers(TIMEOUT);
    let asked = '';
    const target = await startRawTarget((socket) => socket.on('data', (chunk) => (asked += chunk)));
    const { port, ends } = await serve(target.url);
    const client = await RawConnection.open(port);
    client.write('PUT /never HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n');
    client.write('POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n');
    await expect.poll(() => ['PUT /never', 'abc'].every((part) => asked.includes(part))).toBe(true);
    expect(timers.running()).toBe(2);
    client.close();
    await expect.poll(() => ends).toHaveLength(2);
    expect(timers.running()).toBe(0);
  });
});
