/** The library as it is built, in a test that has put a clock of its own in the place of the timers. */
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it, vi } from 'vitest';
import type * as testing from '../../src/testing/index.ts';
import { packed } from '../support/binary.ts';
import { PROJECT_PATH } from '../support/exchanges.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

afterEach(() => {
  vi.useRealTimers();
});

const DIST = packed('dist');

/** The status of an answer, once all of it has come. */
function get(base: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(base + PROJECT_PATH, { agent: false }, (response) =>
      text(response).then(() => resolve(response.statusCode), reject),
    );
    sent.on('error', reject).end();
  });
}

const TIMERS = [
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
  'queueMicrotask',
  'performance',
  'Date',
] as const;

it.each(['testing.js', 'testing.cjs'])('%s answers, waits, records and closes', async (file) => {
  // As Node loads it, not vitest.
  const { fake, replay }: typeof testing = createRequire(import.meta.url)(join(DIST, file));
  vi.useFakeTimers({ toFake: [...TIMERS], now: 0 });
  const service = await fake({ latency: '1ms' });
  const recordings = temporaryFolder();
  const recorder = await replay({ recordings, record: 'all', target: service.url });
  expect(await get(recorder.url)).toBe(200);
  await recorder.close();
  await service.close();
  const gate = await replay({ recordings });
  expect(await get(gate.url)).toBe(200);
  expect(gate.exchanges()[0]?.startedAt).not.toContain('1970');
  await gate.close();
});
