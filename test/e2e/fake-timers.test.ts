/** The library as it is built, in a test that holds the clock. */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, it, vi } from 'vitest';
import type * as testing from '../../src/testing/index.ts';
import { packed } from '../support/binary.ts';
import { PROJECT_PATH } from '../support/exchanges.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** The status of an answer, once all of it has come. */
function get(base: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(base + PROJECT_PATH, { agent: false }, (response) =>
      text(response).then(() => resolve(response.statusCode), reject),
    );
    sent.on('error', reject).end();
  });
}

it('answers, waits, records and closes', async () => {
  // As Node loads it, not vitest.
  const { fake, replay }: typeof testing = await import(
    /* @vite-ignore */ pathToFileURL(packed('dist/testing.js')).href
  );
  vi.useFakeTimers({ toFake: ['Date'], now: 0 });
  const service = await fake({ fault: 'latency=1ms' });
  const recordings = temporaryFolder();
  const recorder = await replay({ recordings, record: 'all', target: service.url });
  expect(await get(recorder.url)).toBe(200);
  await recorder.close();
  await service.close();
  const gate = await replay({ recordings });
  expect(await get(gate.url)).toBe(200);
  await gate.close();
});
