import { expect, it } from 'vitest';
import { inOrder } from '../../../src/commands/recordings/selection.ts';
import { openStore } from '../../../src/recordings/store.ts';
import { exchange } from '../../support/exchanges.ts';
import { writeRecording } from '../../support/recorded-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

it('is that of time, and in a file its own', async () => {
  const folder = temporaryFolder();
  const at = (second: number, path: string, query: string) =>
    exchange({ path, query, recordedAt: new Date(second * 1000).toISOString() });
  // What replaced the first of /a is newer than the second, which must stay behind it: a sequence is replayed in order.
  const all = [at(2, '/b', 'b1'), at(3, '/a', 'a1'), at(1, '/a', 'a2'), at(9, '/a', 'a3')];
  writeRecording(`${folder}/r`, all);
  const store = await openStore(folder, 'r');
  const shown = inOrder(store, ({ request }) => request.query !== 'a1').map(
    ({ number, index, exchange: { request } }) => [number, index, request.query],
  );
  expect(shown).toEqual([
    [1, 0, 'b1'],
    [3, 1, 'a2'],
    [4, 2, 'a3'],
  ]);
});
