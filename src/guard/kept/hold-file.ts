import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { messageOf, PatchgateError } from '../../errors.ts';
import { makeFolders } from '../../recordings/durable.ts';
import { HIDDEN, hideFromGit } from '../../recordings/files/hidden-folder.ts';
import { type Lock, type LockWords, takeLock } from '../../recordings/lock.ts';

const INSTEAD = 'give this one a file of its own with --state FILE';

const WORDS: LockWords = {
  thing: 'the state file',
  doing: 'keeping in it what it knows',
  instead: { here: INSTEAD, elsewhere: INSTEAD },
  place: 'name another file with --state',
};

/**
 * Makes this process the one that writes a state file, whose folder is made where it is missing.
 *
 * @throws PatchgateError `recording-in-use`, `cannot-write`
 */
export function holdFile(file: string): Lock {
  const folder = dirname(file);
  try {
    if (!existsSync(folder)) {
      makeFolders(folder, true);
      if (basename(folder) === HIDDEN) hideFromGit(folder);
    }
  } catch (error) {
    throw new PatchgateError('cannot-write', `cannot make the folder of ${file}: ${messageOf(error)}`, {
      hint: `correct its permissions, or ${WORDS.place}`,
      cause: error,
    });
  }
  return takeLock(file, `${file}.lock`, WORDS);
}
