import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { PatchgateError, systemCode, whyUnreadable } from '../../errors.ts';
import { nearest } from '../../model/nearest.ts';
import { HIDDEN } from '../../recordings/disk.ts';
import { visible } from '../../reporters/wording.ts';
import { STDIN } from './read-input.ts';

interface InputFolders {
  /** From which names start. */
  cwd: string;
  /** With the recordings that can be given by name; relative to `cwd`. */
  recordings?: string | undefined;
  /** Takes lines for people, each with its end. */
  say?: ((text: string) => void) | undefined;
}

const HINT = 'give files, folders, globs, names of recordings, or - for standard input';
/** Names of the files that are judged of a folder. */
const INPUT_NAME = /\.(?:json|har)$/i;
const GLOB = /[*?[\]{}]|[@!+]\(/;

/**
 * The files that the arguments mean, each once: a file itself, `-` for standard input, and of a folder, a recording or a glob
 * the files below it, sorted. Below a folder `node_modules`, names that start with a dot and links to folders are left out.
 *
 * @returns names as given (`bodies/a.json`), relative ones to `cwd`; `-` for standard input
 * @throws PatchgateError `bad-input` if an argument leads to nothing, or something cannot be read
 */
export async function findInputs(args: readonly string[], folders: InputFolders): Promise<string[]> {
  if (args.length === 0) throw new PatchgateError('bad-usage', 'nothing to judge was given', { hint: HINT });
  const found = new Map<string, string>();
  for (const arg of args) {
    for (const file of arg === STDIN ? [STDIN] : await filesOf(arg, folders)) {
      const key = file === STDIN ? STDIN : resolve(folders.cwd, file);
      if (!found.has(key)) found.set(key, file);
    }
  }
  return [...found.values()];
}

async function filesOf(arg: string, folders: InputFolders): Promise<string[]> {
  const { cwd } = folders;
  if (arg === '') throw new PatchgateError('bad-usage', 'an argument is empty', { hint: HINT });
  const stats = statsOf(arg, cwd);
  if (stats && !stats.isDirectory()) return [arg];
  if (!stats && GLOB.test(arg)) return filesOfGlob(arg, folders);
  const folder = stats ? arg.replace(/(?<=.)[/\\]+$/, '') : await recordingFolder(arg, folders);
  const inputs = (await filesBelow(folder, folders)).filter((name) => INPUT_NAME.test(name));
  if (inputs.length > 0) return inputs.map((name) => within(folder, name));
  const message = `there is no *.json or *.har file below ${folder}`;
  throw new PatchgateError('bad-input', message, { hint: 'give the folder of a recording, or of bodies' });
}

/**
 * The files that match a glob, and those below the folders that match. A glob that ends in stars does not tell a file's name:
 * it means the files that a folder is searched for.
 */
async function filesOfGlob(glob: string, folders: InputFolders): Promise<string[]> {
  const { default: picomatch } = await import('picomatch');
  const pattern = sep === '\\' ? glob.replaceAll(sep, '/') : glob;
  const { base, glob: rest } = picomatch.scan(pattern);
  const matches = picomatch(rest);
  const isOpen = /(?:^|\/)\*+$/.test(rest);
  const isMeant = (name: string) => {
    const parts = name.split('/');
    const isBelow = parts.some((_, index) => matches(parts.slice(0, index + 1).join('/')));
    return isBelow && (INPUT_NAME.test(name) || (!isOpen && matches(name)));
  };
  const isThere = base === '' || statsOf(base, folders.cwd)?.isDirectory();
  const files = isThere ? (await filesBelow(base || '.', folders)).filter(isMeant) : [];
  if (files.length > 0) return files.map((name) => within(base || '.', name));
  throw new PatchgateError('bad-input', `no file matches ${glob}`, {
    hint: 'check the glob, which starts from the working directory: "bodies/**/*.json"',
  });
}

function within(folder: string, name: string): string {
  return folder === '.' ? name : `${folder}${folder.endsWith('/') ? '' : '/'}${name}`;
}

/** The files below a folder, as `a/b.json`, sorted. Recorders' journals on the way are told of. */
async function filesBelow(folder: string, folders: InputFolders): Promise<string[]> {
  const top = resolve(folders.cwd, folder);
  const names: string[] = [];
  const hidden: string[] = [];
  const search = (prefix: string) => {
    for (const entry of entriesOf(join(top, prefix))) {
      const name = `${prefix}${entry.name}`;
      if (entry.name === HIDDEN) hidden.push(within(folder, prefix.replace(/\/$/, '')).replace(/\/$/, ''));
      if (entry.name === 'node_modules' || entry.name.startsWith('.')) continue;
      if (entry.isDirectory()) search(`${name}/`);
      else if (entry.isFile() || (entry.isSymbolicLink() && statsOf(name, top)?.isFile())) names.push(name);
    }
  };
  search('');
  if (hidden.length > 0) await tellOfJournals(hidden, folders);
  return names.sort();
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const message = `cannot read the folder ${folder}: ${whyUnreadable(error)}`;
    throw new PatchgateError('bad-input', message, {
      hint: 'correct its permissions, or give the files that are to be judged',
      cause: error,
    });
  }
}

/** Undefined if there is no such thing. */
function statsOf(name: string, cwd: string): Stats | undefined {
  try {
    return statSync(resolve(cwd, name));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined;
    const message = `cannot read ${name}: ${whyUnreadable(error)}`;
    throw new PatchgateError('bad-input', message, { hint: HINT, cause: error });
  }
}

/** The folder of a recording that is given by its name. */
async function recordingFolder(name: string, { cwd, recordings }: InputFolders): Promise<string> {
  const { recordingNames } = await import('../../recordings/find-recording.ts');
  const names = recordings === undefined ? [] : await recordingNames(resolve(cwd, recordings));
  if (recordings !== undefined && names.includes(name)) {
    const folder = join(recordings, name);
    const near = relative(cwd, resolve(cwd, folder));
    return (near.startsWith('..') ? folder : near).replaceAll(sep, '/');
  }
  const near = nearest(name, names);
  const isName = !/[/\\.]/.test(name);
  const why = isName ? 'there is no such file, folder or recording' : 'it does not exist';
  const listed = `; recordings: ${names.slice(0, 10).join(', ')}${names.length > 10 ? ', …' : ''}`;
  throw new PatchgateError('bad-input', `cannot read ${name}: ${why}`, {
    hint: near ? `did you mean the recording ${near}? ${HINT}` : HINT + (names.length > 0 ? listed : ''),
  });
}

/** A killed recorder leaves exchanges in its journal, in no file that a finding could name. */
async function tellOfJournals(folders: readonly string[], { cwd, say }: InputFolders): Promise<void> {
  const { readWaiting } = await import('../../recordings/merge-files.ts');
  for (const folder of folders) {
    const count = [...readWaiting(resolve(cwd, folder)).frames.values()].flat().length;
    if (count === 0) continue;
    const what = `${count === 1 ? '1 exchange is' : `${count} exchanges are`} only in the recording's journal, and not judged`;
    const why = 'its recorder still runs or was killed; starting one again moves them into files';
    say?.(`${visible(folder)}: ${what}: ${why}\n`);
  }
}
