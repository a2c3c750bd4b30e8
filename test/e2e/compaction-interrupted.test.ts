import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import { openStore, type RecordingStore } from '../../src/recordings/store.ts';
import { exchange, plainOf } from '../support/exchanges.ts';
import { find, turn } from '../support/recordings.ts';
import { copyAtEachStep } from '../support/steps.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PATHS = ['/a', '/a/b', '/c'];

/** One that can be told from all others. */
function numbered(path: string, body: number, answer: number): Exchange {
  return exchange({ path, body: { json: { body } }, answer: { json: { answer, padding: 'x'.repeat(100) } } });
}

function contentOf(store: RecordingStore): Record<string, readonly Exchange[]> {
  return Object.fromEntries(PATHS.map((path) => [path, find(store, 'PATCH', path)]));
}

function filesBelow(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files: Record<string, string> = {};
  for (const entry of entries) {
    const file = join(entry.parentPath, entry.name);
    // Who holds the lock is another matter, and how far a run has counted.
    if (entry.isFile() && entry.name !== 'lock' && entry.name !== 'counts')
      files[file.slice(folder.length)] = readFileSync(file, 'utf8');
  }
  return files;
}

/** What each run appends. */
const RUNS: Record<string, ((store: RecordingStore) => void)[]> = {
  'files that are begun': [
    (store) => {
      for (const path of PATHS) for (const n of [1, 2, 1]) store.append(plainOf(numbered(path, n, n)));
    },
  ],
  'files that are added to': [
    (store) => {
      for (const path of PATHS) store.append(plainOf(numbered(path, 1, 1)));
    },
    (store) => {
      for (const n of [1, 2]) for (const path of PATHS) store.append(plainOf(numbered(path, 1, 1 + n)));
    },
  ],
  'files in which exchanges are replaced': [
    (store) => {
      for (const path of PATHS) for (const n of [1, 1, 2, 1]) store.append(plainOf(numbered(path, n, n)));
    },
    (store) => {
      for (const path of PATHS) {
        store.append(plainOf(numbered(path, 1, 9)));
        store.append(plainOf(numbered(path, 2, 2)));
        store.append(plainOf(numbered(path, 1, 8)));
      }
    },
  ],
};

describe('writing that is killed at any step', { timeout: 60_000 }, () => {
  it.each(Object.entries(RUNS))('loses nothing and keeps nothing twice: %s', async (name, runs) => {
    const folder = temporaryFolder();
    const earlier = runs.slice(0, -1);
    for (const run of earlier) {
      const store = await openStore(folder, 'r', { writable: true });
      run(store);
      await store.close();
    }
    const store = await openStore(folder, 'r', { writable: true, replaces: name.endsWith('replaced') });
    runs.at(-1)?.(store);
    await turn();
    const copies = await copyAtEachStep(folder, temporaryFolder(), () => store.flush());
    const files = filesBelow(folder);
    const content = contentOf(await openStore(folder, 'r'));
    expect(Object.values(content).flat().length).toBeGreaterThan(8);
    expect(copies.length).toBeGreaterThan(10);

    for (const [step, copy] of copies.entries()) {
      // Reading finds everything and changes nothing.
      const before = filesBelow(copy);
      expect(contentOf(await openStore(copy, 'r')), `read after step ${step}`).toEqual(content);
      expect(filesBelow(copy)).toEqual(before);
      // The next start puts the files in order, and may be killed itself.
      const isNested = step % 6 === 0;
      const interrupted = join(temporaryFolder(), 'copy');
      if (isNested) cpSync(copy, interrupted, { recursive: true });
      const again = await openStore(copy, 'r', { writable: true });
      expect(filesBelow(copy), `written after step ${step}`).toEqual(files);
      await again.close();
      // There are hundreds of them.
      rmSync(copy, { recursive: true });
      if (!isNested) continue;
      const into = temporaryFolder();
      const nested = await copyAtEachStep(interrupted, into, () =>
        openStore(interrupted, 'r', { writable: true }),
      );
      for (const [nestedStep, nestedCopy] of nested.entries()) {
        // Where the next of these was killed it leaves nearly the same: it has the other half.
        if (nestedStep % 2 !== (step / 6) % 2) continue;
        const last = await openStore(nestedCopy, 'r', { writable: true });
        expect(filesBelow(nestedCopy), `written after steps ${step} and ${nestedStep}`).toEqual(files);
        await last.close();
      }
      rmSync(into, { recursive: true });
    }
  });
});
