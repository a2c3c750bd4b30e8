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

const probesOf = (isReady: boolean, isReached = true) =>
  createProbes(
    () => isReady,
    async () => isReached,
  );

describe('a probe', () => {
  it.each<[string, string, Probes, number, string]>([
    ['GET', 'live', probesOf(true), 200, '{"status":"ok"}'],
    ['GET', 'live', probesOf(false, false), 200, '{"status":"ok"}'],
    ['GET', 'ready?x=1', probesOf(true), 200, '{"status":"ok"}'],
    ['GET', 'ready', probesOf(false), 503, '{"status":"not ready"}'],
    ['GET', 'ready', probesOf(true, false), 503, '{"status":"not ready"}'],
    ['HEAD', 'ready', probesOf(false), 503, ''],
    ['POST', 'ready', probesOf(true), 405, ''],
  ])('%s %s of %o is a %i', async (method, path, probes, status, text) => {
    const answer = await fetch(`${await serve(probes)}/${path}`, { method });
    expect([answer.status, await answer.text()]).toEqual([status, text]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it.each(['/__patchgate/health', '/__patchgate/health/', '/__patchgate/health/live/', '/health/live'])(
    'is not %s',
    (url) => {
      expect(probesOf(true).of({ url } as IncomingMessage)).toBeUndefined();
    },
  );
});

describe('whether it is ready', () => {
  it('asks for the target once for all that ask at a time, and holds that for a second', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    cleanUpLater(async () => void vi.useRealTimers());
    let asked = 0;
    let isReady = true;
    let isReached = true;
    const probes = createProbes(
      () => isReady,
      async () => {
        asked++;
        return isReached;
      },
    );
    const url = await serve(probes);
    const statuses = () => Promise.all([1, 2, 3].map(async () => (await fetch(`${url}/ready`)).status));
    expect(await statuses()).toEqual([200, 200, 200]);
    isReached = false;
    vi.advanceTimersByTime(999);
    expect(await statuses()).toEqual([200, 200, 200]);
    expect(asked).toBe(1);
    isReady = false;
    expect(await statuses()).toEqual([503, 503, 503]);
    isReady = true;
    vi.advanceTimersByTime(1);
    expect(await statuses()).toEqual([503, 503, 503]);
    expect(asked).toBe(2);
  });
});
