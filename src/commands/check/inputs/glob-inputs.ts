import { readdirSync } from 'node:fs';
import { isAbsolute, sep } from 'node:path';
import { globSync } from 'tinyglobby';
import { PatchgateError, systemCode, whyUnreadable } from '../../../errors.ts';
import { INPUT_NAME, walkFolder } from './walk-folder.ts';

/**
 * The files that a glob means, sorted: those that it matches, and of a folder that it matches what is below. Where the last part
 * of the glob says nothing of the name (`bodies/**`), those alone that a folder is searched for.
 *
 * @throws PatchgateError `bad-input` where it matches nothing, or a folder cannot be read
 */
export function globInputs(glob: string, cwd: string, onRecording: (folder: string) => void): string[] {
  const pattern = sep === '\\' ? glob.replaceAll(sep, '/') : glob;
  const found = matching(pattern, cwd);
  const isOpen = /(?:^|\/)\*+$/.test(pattern);
  const files = new Set<string>();
  let walked: string | undefined;
  for (const name of found.sort()) {
    if (!name.endsWith('/')) {
      if (!isOpen || INPUT_NAME.test(name)) files.add(name);
    } else if (walked === undefined || !name.startsWith(walked)) {
      // Sorted, a folder stands before all that is below it.
      walked = name;
      for (const file of walkFolder(name.slice(0, -1), cwd, onRecording)) files.add(file);
    }
  }
  if (files.size > 0) return [...files].sort();
  throw new PatchgateError('bad-input', `no file matches ${glob}`, {
    hint: 'check the glob, which starts from the working directory: "bodies/**/*.json"',
  });
}

/** Names of files, and of folders with a slash at the end. */
function matching(pattern: string, cwd: string): string[] {
  let trouble: { folder: string; error: unknown } | undefined;
  const found = globSync(pattern, {
    cwd,
    absolute: isAbsolute(pattern),
    onlyFiles: false,
    expandDirectories: false,
    followSymbolicLinks: false,
    ignore: ['**/node_modules/**'],
    fs: {
      // What cannot be read would be left out without a word.
      readdirSync: ((folder: string, options: { withFileTypes: true }) => {
        try {
          return readdirSync(folder, options);
        } catch (error) {
          if (systemCode(error) !== 'ENOENT') trouble ??= { folder, error };
          throw error;
        }
      }) as typeof readdirSync,
    },
  });
  if (!trouble) return found;
  throw new PatchgateError(
    'bad-input',
    `cannot read the folder ${trouble.folder}: ${whyUnreadable(trouble.error)}`,
    { hint: 'correct its permissions, or give the files that are to be judged', cause: trouble.error },
  );
}
