import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { createProbes, type Probes } from '../../src/server/probes.ts';
import { cleanUpLater } from '../support/clean-up.ts';

async function serve(probes: Probes): Promise<string> {
  const server = createServer((req, res) => (probes.of(req) ?? expect.unreachable())(req, res));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanUpLater(async () => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/__patchgate/health`;
}

describe('a probe', () => {
  it.each([
    ['GET', 'live', true, 200, '{"status":"ok"}'],
    ['GET', 'live', false, 200, '{"status":"ok"}'],
    ['GET', 'ready?x=1', true, 200, '{"status":"ok"}'],
    ['GET', 'ready', false, 503, '{"status":"not ready"}'],
    ['HEAD', 'ready', false, 503, ''],
    ['POST', 'ready', true, 405, ''],
  ])('%s %s, where ready is %s, is a %i', async (method, path, isReady, status, text) => {
    const answer = await fetch(`${await serve(createProbes(() => isReady))}/${path}`, { method });
    expect([answer.status, await answer.text()]).toEqual([status, text]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it.each(['/__patchgate/health', '/__patchgate/health/', '/__patchgate/health/live/', '/health/live'])(
    'is not %s',
    (url) => {
      expect(createProbes(() => true).of({ url } as IncomingMessage)).toBeUndefined();
    },
  );
});

describe('whether it is ready', () => {
  it('is asked once for all that ask at a time, and holds for a second', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    cleanUpLater(async () => void vi.useRealTimers());
    let asked = 0;
    let isReady = true;
    const url = await serve(
      createProbes(async () => {
        asked++;
        return isReady;
      }),
    );
    const statuses = () => Promise.all([1, 2, 3].map(async () => (await fetch(`${url}/ready`)).status));
    expect(await statuses()).toEqual([200, 200, 200]);
    isReady = false;
    vi.advanceTimersByTime(999);
    expect(await statuses()).toEqual([200, 200, 200]);
    expect(asked).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await statuses()).toEqual([503, 503, 503]);
    expect(asked).toBe(2);
  });
});
