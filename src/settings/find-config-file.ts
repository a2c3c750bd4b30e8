import { existsSync, lstatSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { PatchgateError } from '../errors.ts';
import { shortPath } from './short-path.ts';

export const CONFIG_FILES = ['patchgate.config.js', 'patchgate.config.mjs', 'patchgate.config.json'];

/**
 * The config file that is named, or that of the folder or of the nearest one above that has any; undefined where none has.
 *
 * @returns its absolute name
 * @throws PatchgateError `bad-usage`, `bad-config`: it is not there, or there are two in one folder
 */
export function findConfigFile(named: unknown, cwd: string): string | undefined {
  if (named !== undefined) return namedFile(named, cwd);
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const [file, second] = CONFIG_FILES.map((name) => join(folder, name)).filter(isThere);
    if (file !== undefined && second !== undefined) {
      throw new PatchgateError(
        'bad-config',
        `there are two config files: ${shortPath(file, cwd)} and ${shortPath(second, cwd)}`,
        { hint: 'keep one of them, or name it with --config' },
      );
    }
    if (file !== undefined && isAnothers(file, folder)) {
      throw new PatchgateError(
        'bad-config',
        `the config file ${shortPath(file, cwd)} is another user's, in a folder where everybody can put files`,
        { hint: 'look what it does; to use it all the same, name it with --config' },
      );
    }
    if (file !== undefined || folder === dirname(folder)) return file;
  }
}

/** A link that leads nowhere is there, too: reading it says so. What may not be entered shows nobody a config file. */
function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Such as /tmp: a config found there, which may be a program, could be anybody's. Linux guards links by the same rule. */
function isAnothers(file: string, folder: string): boolean {
  const isShared = (statSync(folder).mode & SHARED) === SHARED;
  return isShared && lstatSync(file).uid !== process.getuid?.();
}

/** Everybody may write into it, and take away what is theirs alone. */
const SHARED = 0o1002;

function namedFile(named: unknown, cwd: string): string {
  if (typeof named !== 'string') {
    throw new PatchgateError('bad-usage', '--config is given more than once', { hint: 'give it once' });
  }
  if (named === '') {
    throw new PatchgateError('bad-usage', '--config names no file', { hint: 'give a path, or leave it out' });
  }
  const file = resolve(cwd, named);
  if (existsSync(file)) return file;
  throw new PatchgateError('bad-config', `the config file ${named} does not exist`, {
    hint: 'check the path given with --config or PATCHGATE_CONFIG',
  });
}
