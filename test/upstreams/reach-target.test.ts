import { expect, it } from 'vitest';
import { canReach } from '../../src/upstreams/reach-target.ts';
import { parseTarget } from '../../src/upstreams/target.ts';
import { freePort, startRawTarget } from '../support/target.ts';

it('is a connection, over which nothing is sent', async () => {
  let received = 0;
  const target = await startRawTarget((socket) => socket.on('data', (chunk) => (received += chunk.length)));
  expect(await canReach(parseTarget(`${target.url}/api/v2`), 5000)).toBe(true);
  await expect.poll(() => target.sockets.map(({ closed }) => closed)).toEqual([true]);
  expect(received).toBe(0);
});

it.each([
  ['nobody listens', async () => `http://127.0.0.1:${await freePort()}`, 5000],
  ['its name is not known', async () => 'http://name.invalid', 5000],
  ['it does not answer (an address that is for documents alone)', async () => 'http://192.0.2.1', 50],
])('cannot be made where %s', async (_, target, patience) => {
  expect(await canReach(parseTarget(await target()), patience)).toBe(false);
});
