import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, PatchgateError } from '../../errors.ts';
import { FileStore, JOURNAL, type StoreOptions } from './file-store.ts';
import { makeFolders } from './folders.ts';
import { HIDDEN, hideFromGit, LOCK, leaveHidden } from './hidden-folder.ts';
import { linesIn } from './journal.ts';
import { brokenJournal, type JournalExchange, readLine } from './journal-line.ts';
import { checkRecordingName } from './location.ts';
import { type LockWords, takeLock } from './lock.ts';
import type { RecordingStore } from './recording-store.ts';
import { readFileIfThere, readIfThere } from './write-file.ts';

export interface OpenOptions extends StoreOptions {
  /** What is said where another process writes to it. Default: what a recorder has to know. */
  lockWords?: LockWords;
}

/**
 * Opens the recording `name` in a folder of recordings. Nothing of it is read before it is asked for, but the journal.
 * To write, it can be opened once at a time, by whichever process; who reads beside that sees what is there now.
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
  makeFolder(root);
  const hidden = join(root, HIDDEN);
  const lock = takeLock(root, join(hidden, LOCK), options.lockWords);
  const leave = () => leaveHidden(hidden, () => lock.release());
  try {
    hideFromGit(hidden);
    const { left, size } = readLeft(root);
    const store = new FileStore(root, name, options, size, leave);
    if (left.length > 0) {
      await store.takeIn(left);
      options.onNotice?.(`what an earlier run had left in the journal of ${root} is in its files now`);
    }
    return store;
  } catch (error) {
    leave();
    throw error;
  }
}

function openToRead(root: string, name: string, options: StoreOptions): RecordingStore {
  checkFolder(root);
  const store = new FileStore(root, name, options);
  // The journal before the files: what is moved into them meanwhile changes nothing when it is applied again.
  store.readJournal(readLeft(root).left);
  return store;
}

/** Something may stand in the journal. @param root the recording's folder */
export function hasJournal(root: string): boolean {
  return existsSync(join(root, JOURNAL));
}

/** What stands in the journal, and bytes of its whole lines. @throws PatchgateError `cannot-read`, `bad-recording` with file and line */
export function readLeft(root: string): { left: JournalExchange[]; size: number } {
  const file = join(root, JOURNAL);
  const { lines, size } = linesIn(readFileIfThere(file) ?? Buffer.alloc(0));
  const left = lines.map((line, index) => {
    const found = readLine(line);
    if (found) return found;
    throw brokenJournal(`${file}:${index + 1}:1`);
  });
  return { left, size };
}

function makeFolder(folder: string): void {
  try {
    makeFolders(folder, false);
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new PatchgateError('cannot-write', `cannot record into ${folder}: ${messageOf(error)}`, {
      hint: 'choose another folder with --recordings, or correct its permissions',
      cause: error,
    });
  }
}

/** A recording that is not there is an empty one; something else in its place is a mistake. */
function checkFolder(folder: string): void {
  const isFolder = readIfThere(folder, undefined, () => statSync(folder).isDirectory()) ?? true;
  if (isFolder) return;
  throw new PatchgateError('cannot-read', `${folder} is no folder`, {
    hint: 'a recording is a folder: give another name with --recording',
  });
}
