import type { Dirent, Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';

/** The word for standard input. */
export const STDIN = '-';

const HINT = 'give JSON files, folders that hold some, or - for standard input';

/**
 * The files that the arguments mean, each once: a file itself, `-` for standard input, and of a folder all `*.json`
 * below it, in the order of their names. Below a folder `node_modules`, what starts with a dot and links to folders
 * are left out.
 *
 * @returns names as given (`bodies/a.json`), relative ones to `cwd`; `-` for standard input
 * @throws PatchgateError `bad-input` where an argument leads to nothing
 */
export async function findInputs(args: readonly string[], cwd: string): Promise<string[]> {
  if (args.length === 0) {
    throw new PatchgateError('bad-usage', 'nothing to judge was given', { hint: HINT });
  }
  const found = new Map<string, string>();
  for (const arg of args) {
    const files = arg === STDIN ? [STDIN] : await filesOf(arg, cwd);
    for (const file of files) {
      const key = file === STDIN ? STDIN : resolve(cwd, file);
      if (!found.has(key)) found.set(key, file);
    }
  }
  return [...found.values()];
}

async function filesOf(arg: string, cwd: string): Promise<string[]> {
  let stats: Stats;
  try {
    stats = await stat(resolve(cwd, arg));
  } catch (error) {
    const missing = systemCode(error) === 'ENOENT';
    throw new PatchgateError(
      'bad-input',
      `cannot read ${arg}: ${missing ? 'it does not exist' : messageOf(error)}`,
      {
        hint: HINT,
        cause: error,
      },
    );
  }
  if (!stats.isDirectory()) return [arg];
  const files = await filesBelow(arg.replace(/(?<=.)[/\\]+$/, ''), cwd);
  if (files.length === 0) {
    throw new PatchgateError('bad-input', `there is no *.json file below ${arg}`, {
      hint: 'give the folder of a recording, or of bodies',
    });
  }
  return files;
}

async function filesBelow(folder: string, cwd: string): Promise<string[]> {
  const files: string[] = [];
  for (const entry of await entriesOf(folder, cwd)) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) files.push(...(await filesBelow(path, cwd)));
    else if (entry.name.endsWith('.json')) files.push(path);
  }
  return files;
}

async function entriesOf(folder: string, cwd: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(resolve(cwd, folder), { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw new PatchgateError('bad-input', `cannot read the folder ${folder}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
