import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { replaceExchanges } from '../../../src/recordings/files/replace-exchanges.ts';
import { parseRecording } from '../../../src/recordings/store/file-format.ts';
import { exchange } from '../../support/exchanges.ts';
import { writeRecording } from '../../support/recorded-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

it('gives a file other exchanges, and removes what a write that was killed has left', async () => {
  const folder = temporaryFolder();
  const before = [exchange({ path: '/a', query: '1' }), exchange({ path: '/a', query: '2' })];
  writeRecording(folder, before);
  const file = join(folder, 'a', 'PATCH.json');
  for (const name of ['.PATCH.json.4711-1.tmp', '.GET.json.4711-1.tmp'])
    writeFileSync(join(folder, 'a', name), '{');
  const after = [before[0] as (typeof before)[0], exchange({ path: '/a', query: '3' })];
  await replaceExchanges(file, { method: 'PATCH', path: '/a' }, before, after);
  expect(parseRecording(readFileSync(file, 'utf8'), file).exchanges).toEqual(after);
  // That of another file is another's.
  expect(readdirSync(join(folder, 'a')).sort()).toEqual(['.GET.json.4711-1.tmp', 'PATCH.json']);
});
