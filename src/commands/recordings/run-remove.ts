import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import type { Exchange } from '../../model/exchange.ts';
import { findRecording } from '../../recordings/find-recording.ts';
import { readRuns } from '../../recordings/runs.ts';
import { HIDDEN, LOCK } from '../../recordings/store/hidden-folder.ts';
import { takeLock } from '../../recordings/store/lock.ts';
import { openStore } from '../../recordings/store/open-store.ts';
import { countExchanges, removeExchanges } from './remove-exchanges.ts';
import { chooser, isSelecting, nothingSelected, type Selection } from './selection.ts';
import { changedAt, sizeOf, walk } from './walk.ts';

export interface RemoveArgs {
  /** That of all recordings. */
  folder: string;
  name: string;
  selection: Selection;
  /** Only what no run has asked for since the recording changed. */
  unused: boolean;
  /** Only what was recorded before this time, in milliseconds since the epoch. */
  before?: number | undefined;
}

export interface Removal {
  /** Of a part of the recording, which holds so many in all; absent where all of it goes. */
  exchanges?: number;
  inAll?: number;
  files: number;
  /** Bytes of these files. */
  size: number;
}

export interface Removed extends Removal {
  /** What stays, because this tool did not make it: locations in the recording's folder. */
  others: string[];
}

/**
 * Removes a recording, or some exchanges of it, while nobody records into it.
 *
 * @param confirm asked before anything is removed
 * @returns undefined where nothing was removed
 * @throws PatchgateError `bad-usage`, `recording-in-use`, `cannot-write`
 */
export async function runRemove(
  args: RemoveArgs,
  confirm: (removal: Removal) => Promise<boolean>,
): Promise<Removed | undefined> {
  const root = await findRecording(args.folder, args.name);
  const isPart = args.unused || args.before !== undefined || isSelecting(args.selection);
  return isPart ? removePart(root, args, confirm) : removeAll(root, confirm);
}

/** A journal or file that is broken is no reason not to remove it. */
async function removeAll(
  root: string,
  confirm: (removal: Removal) => Promise<boolean>,
): Promise<Removed | undefined> {
  const lock = takeLock(root, join(root, HIDDEN, LOCK));
  let isOver = false;
  try {
    const removal: Removal = { files: 0, size: 0 };
    for (const { file, kind } of walk(root)) {
      if (kind === 'other' || kind === 'tool') continue;
      removal.files++;
      removal.size += sizeOf(file);
    }
    if (!(await confirm(removal))) return undefined;
    const others: string[] = [];
    const folders = new Set<string>();
    for (const { file, location, kind } of [...walk(root)]) {
      // The lock goes last.
      if (location === `${HIDDEN}/${LOCK}`) continue;
      if (kind === 'other') others.push(location);
      else await remove(file);
      folders.add(dirname(file));
    }
    lock.release();
    isOver = true;
    for (const folder of [...folders, join(root, HIDDEN)]) await removeEmpty(folder, root);
    await removeEmpty(root, root);
    return { ...removal, others };
  } finally {
    if (!isOver) lock.release();
  }
}

async function removePart(
  root: string,
  args: RemoveArgs,
  confirm: (removal: Removal) => Promise<boolean>,
): Promise<Removed | undefined> {
  const isChosen = chooser(args.selection);
  // What waits in the journal comes into the files, and nobody else writes.
  const store = await openStore(args.folder, args.name, { writable: true });
  try {
    const isUnused = args.unused ? await unusedIn(root, args.name) : () => true;
    const isOld = ({ meta }: Exchange) =>
      args.before === undefined || Date.parse(meta.recordedAt) < args.before;
    let chosen = 0;
    const goes = (exchange: Exchange, index: number) => {
      if (!isChosen(exchange)) return false;
      chosen++;
      return isOld(exchange) && isUnused(exchange, index);
    };
    const removal = countExchanges(root, goes);
    if (chosen === 0 && isSelecting(args.selection)) throw nothingSelected(args.name);
    if (removal.exchanges === 0 || !(await confirm(removal))) return undefined;
    await removeExchanges(root, goes, (folder) => removeEmpty(folder, root));
    return { ...removal, others: [] };
  } finally {
    await store.close();
    await removeEmpty(root, root);
  }
}

/** @throws PatchgateError `bad-usage` where nothing is known of a run, or the last one failed */
async function unusedIn(root: string, name: string): Promise<(exchange: Exchange, index: number) => boolean> {
  const runs = await readRuns(root, changedAt(root));
  const again = `run all that uses it, to its end: patchgate exec --recording ${name} -- npm test`;
  if (runs === undefined || runs.isCut)
    throw new PatchgateError('bad-usage', `--unused: no run has replayed ${name} here since it changed`, {
      hint: again,
    });
  if (runs.hasFailed)
    throw new PatchgateError(
      'bad-usage',
      `--unused: the last run of ${name} failed, so it may not have asked for all that is needed`,
      { hint: again },
    );
  return runs.isUnused;
}

async function remove(file: string): Promise<void> {
  try {
    await rm(file, { force: true });
  } catch (error) {
    throw new PatchgateError('cannot-write', `cannot remove ${file}: ${messageOf(error)}`, {
      hint: 'correct the permissions of its folder',
      cause: error,
    });
  }
}

/** With the folders above it that are empty then, up to the recording's own. */
async function removeEmpty(folder: string, root: string): Promise<void> {
  for (let one = folder; one.length >= root.length; one = dirname(one)) {
    try {
      await rmdir(one);
    } catch (error) {
      // Not empty, or gone already.
      if (systemCode(error) !== 'ENOENT') return;
    }
  }
}
