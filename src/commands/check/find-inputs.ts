import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { PatchgateError, systemCode, whyUnreadable } from '../../errors.ts';
import { nearest } from '../../model/nearest.ts';
import { HIDDEN } from '../../recordings/store/hidden-folder.ts';
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
/** What is judged of a folder. */
const INPUT_NAME = /\.(?:json|har)$/i;
const GLOB = /[*?[\]{}]|[@!+]\(/;

/**
 * The files that the arguments mean, each once: a file itself, `-` for standard input, and of a folder, a recording or a glob
 * the files below it, in the order of their names. Below a folder `node_modules`, what starts with a dot and links to folders
 * are left out.
 *
 * @returns names as given (`bodies/a.json`), relative ones to `cwd`; `-` for standard input
 * @throws PatchgateError `bad-input` where an argument leads to nothing, or something cannot be read
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
  const stats = await statsOf(arg, cwd);
  if (stats && !stats.isDirectory()) return [arg];
  if (!stats && GLOB.test(arg)) return filesOfGlob(arg, folders);
  const folder = stats ? arg.replace(/(?<=.)[/\\]+$/, '') : await recordingFolder(arg, folders);
  const prefix = folder === '.' ? '' : `${folder}${folder.endsWith('/') ? '' : '/'}`;
  const names = (await search(belowOf(''), resolve(cwd, folder))).map((name) => prefix + name);
  await tellOfJournals(names, folders);
  const inputs = names.filter((name) => isInput(name.slice(prefix.length)));
  if (inputs.length > 0) return inputs;
  const message = `there is no *.json or *.har file below ${folder}`;
  throw new PatchgateError('bad-input', message, { hint: 'give the folder of a recording, or of bodies' });
}

/**
 * The files that match a glob, and those below the folders that match. Where the last part of the glob does not tell the name
 * (`bodies/**`), those alone that a folder is searched for.
 */
async function filesOfGlob(glob: string, folders: InputFolders): Promise<string[]> {
  const pattern = sep === '\\' ? glob.replaceAll(sep, '/') : glob;
  const isOpen = /(?:^|\/)\*+$/.test(pattern);
  const matching = await search([pattern], folders.cwd);
  const below = await search(belowOf(`${pattern.replace(/\/\*\*$/, '')}/`), folders.cwd);
  await tellOfJournals(below, folders);
  const files = [...(isOpen ? matching.filter(isInput) : matching), ...below.filter(isInput)];
  if (files.length > 0) return [...new Set(files)].sort();
  throw new PatchgateError('bad-input', `no file matches ${glob}`, {
    hint: 'check the glob, which starts from the working directory: "bodies/**/*.json"',
  });
}

function isInput(name: string): boolean {
  return INPUT_NAME.test(name) && !name.split('/').includes(HIDDEN);
}

/** What is below folders, and what recorders left there. @param base `""`, or a glob with a slash at its end */
function belowOf(base: string): string[] {
  return [`${base}**`, `${base}${HIDDEN}/*`, `${base}**/${HIDDEN}/*`];
}

/** The files that match, sorted. */
async function search(patterns: readonly string[], cwd: string): Promise<string[]> {
  const { globSync } = await import('tinyglobby');
  let trouble: { folder: string; error: unknown } | undefined;
  const found = globSync([...patterns], {
    cwd,
    absolute: patterns.some(isAbsolute),
    expandDirectories: false,
    followSymbolicLinks: false,
    ignore: ['**/node_modules/**'],
    fs: {
      // What cannot be read would be left out without a word.
      readdirSync: ((folder: string, options: { withFileTypes: true }) => {
        try {
          return readdirSync(folder, options).map((entry) => withLink(folder, entry));
        } catch (error) {
          if (systemCode(error) !== 'ENOENT') trouble ??= { folder, error };
          throw error;
        }
      }) as typeof readdirSync,
    },
  });
  if (trouble) {
    const message = `cannot read the folder ${trouble.folder}: ${whyUnreadable(trouble.error)}`;
    throw new PatchgateError('bad-input', message, {
      hint: 'correct its permissions, or give the files that are to be judged',
      cause: trouble.error,
    });
  }
  return found.sort();
}

/** A link to a file counts as that file. */
function withLink(folder: string, entry: Dirent): Dirent {
  if (!entry.isSymbolicLink()) return entry;
  if (statSync(join(folder, entry.name), { throwIfNoEntry: false })?.isDirectory()) return entry;
  return Object.assign(Object.create(entry), { isFile: () => true, isSymbolicLink: () => false });
}

/** Undefined where there is no such thing. */
async function statsOf(name: string, cwd: string): Promise<Stats | undefined> {
  try {
    return await stat(resolve(cwd, name));
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

/** What a killed recorder left in its journal is in no file, and has no place that a finding could name. */
async function tellOfJournals(names: readonly string[], { cwd, say }: InputFolders): Promise<void> {
  const own = names.filter((name) => name.split('/').at(-2) === HIDDEN);
  if (own.length === 0) return;
  const { waitingIn } = await import('../../recordings/store.ts');
  for (const folder of new Set(own.map((name) => dirname(dirname(name))))) {
    const count = waitingIn(resolve(cwd, folder)).length;
    if (count === 0) continue;
    const what = `${count === 1 ? '1 exchange is' : `${count} exchanges are`} only in the recording's journal, and not judged`;
    const why = 'its recorder still runs or was killed; starting one again moves them into files';
    say?.(`${visible(folder)}: ${what}: ${why}\n`);
  }
}
