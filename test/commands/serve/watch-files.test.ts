import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { FileWatcher } from '../../../src/commands/serve/watch-files.ts';
import { cleanUpLater } from '../../support/clean-up.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A folder with a file `config`, a link to a folder `v1` with another one, and a folder `contract`. */
function tree() {
  const root = temporaryFolder();
  const at = (...names: string[]) => join(root, ...names);
  for (const folder of ['contract', 'v1', 'v2']) mkdirSync(at(folder));
  for (const file of ['config', 'v1/linked', 'v2/linked', 'contract/a.json']) writeFileSync(at(file), file);
  symlinkSync('v1', at('current'));
  return at;
}

it.each<[what: string, change: (at: (...names: string[]) => string) => void]>([
  ['is written', (at) => writeFileSync(at('config'), 'other')],
  [
    'is replaced by rename',
    (at) => {
      writeFileSync(at('new'), 'config');
      renameSync(at('new'), at('config'));
    },
  ],
  ['goes', (at) => rmSync(at('config'))],
  [
    'is behind a link that leads elsewhere now',
    (at) => {
      symlinkSync('v2', at('next'));
      renameSync(at('next'), at('current'));
    },
  ],
  ['comes into a folder', (at) => writeFileSync(at('contract', 'b.json'), '{}')],
  ['goes with its folder', (at) => rmSync(at('contract'), { recursive: true })],
])('tells once of a file that %s', { tags: 'slow' }, async (_, change) => {
  const at = tree();
  const onChange = vi.fn();
  const onTrouble = vi.fn();
  const watcher = new FileWatcher(onChange, onTrouble);
  cleanUpLater(() => watcher.close());
  watcher.follow([at('config'), at('current', 'linked'), at('contract')]);
  // Of no concern to anybody.
  appendFileSync(at('access.log'), 'line');
  change(at);
  await expect.poll(() => onChange.mock.calls.length).toBe(1);
  // Whatever else would be told comes before this is.
  writeFileSync(at('config'), 'the last');
  await expect.poll(() => onChange.mock.calls.length).toBe(2);
  expect(onTrouble).not.toHaveBeenCalled();
});
