import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf, PatchgateError, systemCode } from '../errors.ts';
import { nearest } from '../model/nearest.ts';
import { checkRecordingName } from './store/location.ts';

/** Names that a message lists. */
const MOST = 10;

/**
 * The folder of a recording that must be there: a misspelt name would be an empty recording, which answers nothing.
 *
 * @param folder that of all recordings
 * @param record how to record it
 * @throws PatchgateError `bad-usage`, `cannot-read`
 */
export async function findRecording(
  folder: string,
  name: string,
  record = 'choose another folder with --recordings, or record one: patchgate proxy <target> --record --recording NAME',
): Promise<string> {
  checkRecordingName(name);
  const root = join(folder, name);
  if (isFolder(root)) return root;
  const names = await recordingNames(folder);
  const near = nearest(name, names);
  // Which folder it starts from is what one is most often wrong about.
  const there =
    names.length > 0
      ? `there are: ${names.slice(0, MOST).join(', ')}${names.length > MOST ? ', …' : ''}`
      : `there is none in ${resolve(folder)}`;
  throw new PatchgateError('bad-usage', `there is no recording "${name}" in ${folder}/ (${there})`, {
    hint: near ? `did you mean "${near}"?` : record,
  });
}

/** Names of the recordings in a folder, sorted; none where the folder is not there. @throws PatchgateError `cannot-read` */
export async function recordingNames(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder);
    return names.filter((name) => isName(name) && isFolder(join(folder, name))).sort();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw new PatchgateError('cannot-read', `cannot read ${folder}: ${messageOf(error)}`, { cause: error });
  }
}

/** Or a link to one. At once: to have it looked up by another thread takes longer than to look. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    // What else is wrong with it is said by who opens it.
    return systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR';
  }
}

function isName(name: string): boolean {
  try {
    checkRecordingName(name);
    return true;
  } catch {
    return false;
  }
}
