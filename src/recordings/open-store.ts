import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, PatchgateError, systemCode } from '../errors.ts';
import { FollowedJournal } from './journal/followed-journal.ts';
import { Journal } from './journal/journal.ts';
import { loadJournal } from './journal/load-journal.ts';
import { type LockWords, takeLock } from './lock.ts';
import { LowdbStore, type StoreOptions } from './lowdb-store.ts';
import { makeFolders } from './store/folders.ts';
import { HIDDEN, hideFromGit, LOCK, leaveHidden } from './store/hidden-folder.ts';
import { checkRecordingName } from './store/location.ts';
import type { RecordingStore } from './store.ts';

export interface OpenOptions extends StoreOptions {
  /** What is said where somebody else writes to it. Default: what whoever records has to know. */
  lockWords?: LockWords;
}

/**
 * Opens the recording `name` in a folder of recordings. Nothing of it is read before it is asked for, but the journal.
 * To write, it can be opened once at a time, by whichever process; reading goes on beside that.
 *
 * @throws PatchgateError `bad-usage` (the name), `cannot-read`, `cannot-write` (the folder), `bad-recording` (the journal, or
 *  a file that it is for), `recording-in-use`
 */
export async function openStore(
  folder: string,
  name: string,
  options: OpenOptions = {},
): Promise<RecordingStore> {
  checkRecordingName(name);
  const root = join(folder, name);
  return options.writable ? openToWrite(root, name, options) : openToRead(root, name, options);
}

async function openToWrite(root: string, name: string, options: OpenOptions): Promise<RecordingStore> {
  await makeFolder(root);
  const hidden = join(root, HIDDEN);
  const lock = takeLock(root, join(hidden, LOCK), options.lockWords);
  const leave = () => leaveHidden(hidden, () => lock.release());
  let journal: Journal | undefined;
  try {
    hideFromGit(hidden);
    const journalFolder = join(hidden, 'journal');
    const { segments, waiting } = await loadJournal(root, journalFolder);
    journal = new Journal(journalFolder, segments, options.durability === 'fsync');
    const store = new LowdbStore(root, name, { journal, waiting, catchUp: () => 0, leave }, options);
    if (segments.length > 0) {
      await store.foldRemains();
      options.onNotice?.(`what an earlier run had left in the journal of ${root} is in its files now`);
    }
    return store;
  } catch (error) {
    journal?.close();
    leave();
    throw error;
  }
}

async function openToRead(root: string, name: string, options: StoreOptions): Promise<RecordingStore> {
  await checkFolder(root);
  const folder = join(root, HIDDEN, 'journal');
  const followed = new FollowedJournal(root, folder);
  const opened = {
    journal: new Journal(folder, followed.segments),
    waiting: followed.waiting,
    catchUp: () => followed.catchUp(),
    leave: () => followed.close(),
  };
  return new LowdbStore(root, name, opened, options);
}

async function makeFolder(folder: string): Promise<void> {
  try {
    makeFolders(folder, false);
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new PatchgateError('cannot-write', `cannot record into ${folder}: ${messageOf(error)}`, {
      hint: 'choose another folder with --recordings, or correct its permissions',
      cause: error,
    });
  }
}

/** A recording that is not there is an empty one; something else in its place is a mistake. */
async function checkFolder(folder: string): Promise<void> {
  let isFolder: boolean;
  try {
    isFolder = (await stat(folder)).isDirectory();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw new PatchgateError('cannot-read', `cannot read the recording ${folder}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (isFolder) return;
  throw new PatchgateError('cannot-read', `${folder} is no folder`, {
    hint: 'a recording is a folder: give another name with --recording',
  });
}
