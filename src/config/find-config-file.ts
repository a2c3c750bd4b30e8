import { existsSync } from 'node:fs';
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
    const [file, second] = CONFIG_FILES.map((name) => join(folder, name)).filter((one) => existsSync(one));
    if (file !== undefined && second !== undefined) {
      throw new PatchgateError(
        'bad-config',
        `there are two config files: ${shortPath(file, cwd)} and ${shortPath(second, cwd)}`,
        { hint: 'keep one of them, or name it with --config' },
      );
    }
    if (file !== undefined || folder === dirname(folder)) return file;
  }
}

function namedFile(named: unknown, cwd: string): string {
  if (typeof named !== 'string') {
    throw new PatchgateError('bad-usage', '--config is given more than once', { hint: 'give it once' });
  }
  const file = resolve(cwd, named);
  if (existsSync(file)) return file;
  throw new PatchgateError('bad-config', `the config file ${named} does not exist`, {
    hint: 'check the path given with --config or PATCHGATE_CONFIG',
  });
}
