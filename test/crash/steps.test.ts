/** A recording is written step by step, and a process that is killed between any two of them loses nothing. */
import fs, { cpSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore, type RecordingStore } from '../../src/recordings/store.ts';
import { exchange, plainOf } from '../support/exchanges.ts';
import { leaveAsKilled } from '../support/killed.ts';
import { filesBelow, find, turn } from '../support/recordings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What changes a disk; opening a file may make it. */
const CHANGES = [
  'openSync',
  'writeSync',
  'renameSync',
  'unlinkSync',
  'mkdirSync',
  'rmdirSync',
  'rmSync',
] as const;

/**
 * Does some work, and copies a folder before each step that could change it and after the last. Every longer write is done in two
 * steps.
 *
 * @returns the copies, in their order
 */
async function copyAtEachStep(folder: string, work: () => Promise<unknown>): Promise<string[]> {
  const into = temporaryFolder();
  const copies: string[] = [];
  let isCopying = false;
  // A step that changes nothing, as reading a file, leaves what was there before it.
  let isChanged = true;
  const copy = () => {
    if (!isChanged) return;
    isCopying = true;
    isChanged = false;
    const name = join(into, `step-${copies.length}`);
    cpSync(folder, name, { recursive: true });
    leaveAsKilled(name);
    copies.push(name);
    isCopying = false;
  };
  // Node loads what copies folders when it is first used: not with these functions in it.
  copy();
  const patches = CHANGES.map((name) => {
    const call = fs[name] as (...args: unknown[]) => unknown;
    const patched = (...args: unknown[]) => {
      if (isCopying) return call(...args);
      // Taking a lock has tests of its own.
      if (!/[/\\]lock\b/.test(String(args[0]))) {
        copy();
        isChanged ||= name !== 'openSync' || args[1] !== 'r';
      }
      if (name !== 'writeSync') return call(...args);
      const [fd, bytes, offset = 0, length, position] = args as [number, Buffer, number?, number?, number?];
      const all = length ?? bytes.length - offset;
      return call(fd, bytes, offset, all > 100 ? Math.ceil(all / 2) : all, position);
    };
    return [name, patched] as const;
  });
  const { writeFileSync } = fs;
  /** The temporary file that will take another's place. */
  const write = (file: string, text: string, ...rest: []) => {
    // Taking a lock has tests of its own.
    if (isCopying || !/(?<!lock.*)\.tmp$/.test(file)) return writeFileSync(file, text, ...rest);
    for (const part of [text.slice(0, text.length / 2), text]) {
      copy();
      writeFileSync(file, part);
      isChanged = true;
    }
  };
  const originals = Object.fromEntries(CHANGES.map((name) => [name, fs[name]]));
  Object.assign(fs, Object.fromEntries(patches), { writeFileSync: write });
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    Object.assign(fs, originals, { writeFileSync });
    syncBuiltinESMExports();
  }
  copy();
  return copies;
}

const PATHS = ['/a', '/a/b', '/c'];

/** Appends exchanges that can be told from all others, by body and answer. */
const append =
  (...pairs: [body: number, answer: number][]) =>
  (store: RecordingStore) => {
    for (const path of PATHS)
      for (const [body, answer] of pairs) {
        const json = { answer, padding: 'x'.repeat(100) };
        store.append(plainOf(exchange({ path, body: { json: { body } }, answer: { json } })));
      }
  };

const contentOf = (store: RecordingStore) => PATHS.map((path) => find(store, 'PATCH', path));

/** Who holds the lock is another matter, and how far a run is: a segment of one line. */
const filesOf = (folder: string) =>
  Object.entries(filesBelow(folder)).filter(
    ([name, text]) => !/[/\\]lock$/.test(name) && !/^\{"journal":.*"progress":.*\n$/.test(text),
  );

describe('writing that is killed at any step', () => {
  it.each([
    ['files that are begun', [append([1, 1], [2, 2], [1, 1])]],
    ['files that are added to', [append([1, 1]), append([1, 2], [1, 3])]],
    [
      'files in which exchanges are replaced',
      [append([1, 1], [1, 1], [2, 2], [1, 1]), append([1, 9], [2, 2], [1, 8])],
    ],
  ])('loses nothing and keeps nothing twice: %s', async (name, runs) => {
    const folder = temporaryFolder();
    for (const run of runs.slice(0, -1)) {
      const store = await openStore(folder, 'r', { mode: 'append' });
      run(store);
      await store.close();
    }
    const store = await openStore(folder, 'r', { mode: name.endsWith('replaced') ? 'all' : 'append' });
    runs.at(-1)?.(store);
    await turn();
    const copies = await copyAtEachStep(folder, () => store.flush());
    const files = filesOf(folder);
    const content = contentOf(await openStore(folder, 'r'));
    expect(content.flat().length).toBeGreaterThan(8);
    expect(copies.length).toBeGreaterThan(10);

    for (const [step, copy] of copies.entries()) {
      // Reading finds everything and changes nothing.
      const before = filesOf(copy);
      expect(contentOf(await openStore(copy, 'r')), `read after step ${step}`).toEqual(content);
      expect(filesOf(copy)).toEqual(before);
      // The next start puts the files in order, and may be killed itself.
      const interrupted = join(temporaryFolder(), 'copy');
      if (step % 6 === 0) cpSync(copy, interrupted, { recursive: true });
      const again = await openStore(copy, 'r', { mode: 'append' });
      expect(filesOf(copy), `written after step ${step}`).toEqual(files);
      await again.close();
      // There are hundreds of them.
      rmSync(copy, { recursive: true });
      if (step % 6 !== 0) continue;
      const nested = await copyAtEachStep(interrupted, () => openStore(interrupted, 'r', { mode: 'append' }));
      for (const [nestedStep, nestedCopy] of nested.entries()) {
        const last = await openStore(nestedCopy, 'r', { mode: 'append' });
        expect(filesOf(nestedCopy), `written after steps ${step} and ${nestedStep}`).toEqual(files);
        await last.close();
        rmSync(nestedCopy, { recursive: true });
      }
    }
  });
});
