import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import { nearest } from '../../model/nearest.ts';
import { checkRecordingName } from '../../recordings/files/location.ts';

/**
 * The folder of a recording that must be there.
 *
 * @param folder that of all recordings
 * @throws PatchgateError `bad-usage`, `cannot-read`
 */
export async function findRecording(folder: string, name: string): Promise<string> {
  checkRecordingName(name);
  const root = join(folder, name);
  if (await isFolder(root)) return root;
  const names = await recordingNames(folder);
  const near = nearest(name, names);
  throw new PatchgateError('bad-usage', `there is no recording ${JSON.stringify(name)} in ${folder}`, {
    hint: near
      ? `did you mean ${near}?`
      : names.length > 0
        ? `there are: ${names.slice(0, 10).join(', ')}${names.length > 10 ? ', …' : ''}`
        : 'choose another folder with --recordings, or record one: patchgate proxy <target> --record --recording NAME',
  });
}

/** Names of the recordings in a folder, sorted; none where the folder is not there. @throws PatchgateError `cannot-read` */
export async function recordingNames(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder);
    const names: string[] = [];
    for (const name of entries) if (isName(name) && (await isFolder(join(folder, name)))) names.push(name);
    return names.sort();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw new PatchgateError('cannot-read', `cannot read ${folder}: ${messageOf(error)}`, { cause: error });
  }
}

/** A link to one, too: a recording that several projects share. */
function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

function isName(name: string): boolean {
  try {
    checkRecordingName(name);
    return true;
  } catch {
    return false;
  }
}
