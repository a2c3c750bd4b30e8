import fs, { cpSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { leaveAsKilled } from './killed.ts';

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
 * Does some work, and copies a folder as it is before each step that could change it and after the last: what a process
 * that is killed there leaves. Every longer write is done in two steps.
 *
 * @param into the folder of the copies
 * @returns the copies, in their order
 */
export async function copyAtEachStep(
  folder: string,
  into: string,
  work: () => Promise<unknown>,
): Promise<string[]> {
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
  const { rename, writeFile } = fs.promises;
  const later = {
    async rename(from: string, to: string) {
      copy();
      isChanged = true;
      await rename(from, to);
    },
    async writeFile(file: string, text: string) {
      copy();
      isChanged = true;
      await writeFile(file, text.slice(0, text.length / 2));
      copy();
      isChanged = true;
      await writeFile(file, text);
    },
  };
  const originals = Object.fromEntries(CHANGES.map((name) => [name, fs[name]]));
  Object.assign(fs.promises, later);
  Object.assign(fs, Object.fromEntries(patches));
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    Object.assign(fs.promises, { rename, writeFile });
    Object.assign(fs, originals);
    syncBuiltinESMExports();
  }
  copy();
  return copies;
}
