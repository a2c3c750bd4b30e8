import { afterEach, expect, it } from 'vitest';
import { fake } from '../../src/testing/index.ts';

/** Without somebody who listens to it, it ends the process. */
const keepOn = () => undefined;
afterEach(() => {
  process.off('SIGTERM', keepOn);
});

it('is closed and told where the process is told to end, as vitest does', async () => {
  process.on('SIGTERM', keepOn);
  const listeners = process.listenerCount('SIGTERM');
  const notices: string[] = [];
  const gate = await fake({ notice: (text) => notices.push(text) });
  expect((await fetch(`${gate.url}/api/v2/accounts/current/projects/42`)).status).toBe(200);
  process.emit('SIGTERM');
  await gate.close();
  expect(notices).toEqual([
    'no test has closed 1 gate: await gate.close() in afterAll, or at the end of the test',
  ]);
  await expect(fetch(gate.url)).rejects.toThrow('fetch failed');
  expect(process.listenerCount('SIGTERM')).toBe(listeners);
});
