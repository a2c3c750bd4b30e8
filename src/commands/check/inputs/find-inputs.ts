import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { PatchgateError, systemCode, whyUnreadable } from '../../../errors.ts';
import { nearest } from '../../../model/nearest.ts';
import { visible } from '../../../reporters/wording.ts';
import { walkFolder } from './walk-folder.ts';

/** The word for standard input. */
export const STDIN = '-';

export interface InputFolders {
  /** From which names start. */
  cwd: string;
  /** With the recordings that can be given by name; relative to `cwd`. */
  recordings?: string | undefined;
  /** Takes what people should know beside what is found: lines, each with its end. */
  say?: ((text: string) => void) | undefined;
}

const HINT = 'give files, folders, globs, names of recordings, or - for standard input';

const NAMES = '*.json, *.jsonl, *.ndjson or *.har';

const GLOB = /[*?[\]{}]|[@!+]\(/;

/**
 * The files that the arguments mean, each once: a file itself, `-` for standard input, and of a folder, a recording or a glob
 * what is below it, in the order of their names. Below a folder `node_modules`, what starts with a dot and links to folders
 * are left out.
 *
 * @returns names as given (`bodies/a.json`), relative ones to `cwd`; `-` for standard input
 * @throws PatchgateError `bad-input` where an argument leads to nothing, or something cannot be read
 */
export async function findInputs(args: readonly string[], folders: InputFolders): Promise<string[]> {
  if (args.length === 0) {
    throw new PatchgateError('bad-usage', 'nothing to judge was given', { hint: HINT });
  }
  const found = new Map<string, string>();
  for (const arg of args) {
    const files = arg === STDIN ? [STDIN] : await filesAndNotices(arg, folders);
    for (const file of files) {
      const key = file === STDIN ? STDIN : resolve(folders.cwd, file);
      if (!found.has(key)) found.set(key, file);
    }
  }
  return [...found.values()];
}

async function filesAndNotices(arg: string, folders: InputFolders): Promise<string[]> {
  const recordings: string[] = [];
  try {
    return await filesOf(arg, folders, (folder) => recordings.push(folder));
  } finally {
    if (recordings.length > 0) await tellOfJournals(recordings, folders);
  }
}

type OnRecording = (folder: string) => void;

async function filesOf(arg: string, folders: InputFolders, onRecording: OnRecording): Promise<string[]> {
  const { cwd } = folders;
  if (arg === '') throw new PatchgateError('bad-usage', 'an argument is empty', { hint: HINT });
  const stats = await statsOf(arg, cwd);
  if (!stats) {
    if (GLOB.test(arg)) return (await import('./glob-inputs.ts')).globInputs(arg, cwd, onRecording);
    return filesBelow(await recordingFolder(arg, folders), cwd, onRecording);
  }
  if (!stats.isDirectory()) return [arg];
  return filesBelow(arg.replace(/(?<=.)[/\\]+$/, ''), cwd, onRecording);
}

/** Undefined where there is no such thing. */
async function statsOf(name: string, cwd: string): Promise<Stats | undefined> {
  try {
    return await stat(resolve(cwd, name));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined;
    throw new PatchgateError('bad-input', `cannot read ${name}: ${whyUnreadable(error)}`, {
      hint: HINT,
      cause: error,
    });
  }
}

/** The folder of a recording that is given by its name. */
async function recordingFolder(name: string, { cwd, recordings }: InputFolders): Promise<string> {
  const names = recordings === undefined ? [] : await recordingsIn(resolve(cwd, recordings));
  if (recordings !== undefined && names.includes(name)) {
    const folder = join(recordings, name);
    const near = relative(cwd, resolve(cwd, folder));
    return (near.startsWith('..') ? folder : near).replaceAll(sep, '/');
  }
  const near = nearest(name, names);
  const isName = !/[/\\.]/.test(name);
  throw new PatchgateError(
    'bad-input',
    `cannot read ${name}: ${isName ? 'there is no such file, folder or recording' : 'it does not exist'}`,
    { hint: near ? `did you mean the recording ${near}? ${HINT}` : `${HINT}${listed(names)}` },
  );
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return '';
  return `; recordings: ${names.slice(0, 10).join(', ')}${names.length > 10 ? ', …' : ''}`;
}

async function recordingsIn(folder: string): Promise<string[]> {
  return (await import('../../../recordings/find-recording.ts')).recordingNames(folder);
}

function filesBelow(folder: string, cwd: string, onRecording: OnRecording): string[] {
  const files = walkFolder(folder, cwd, onRecording);
  if (files.length > 0) return files;
  throw new PatchgateError('bad-input', `there is no ${NAMES} file below ${folder}`, {
    hint: 'give the folder of a recording, or of bodies',
  });
}

/** What a killed recorder left in its journal is in no file, and has no place that a finding could name. */
async function tellOfJournals(recordings: readonly string[], { cwd, say }: InputFolders): Promise<void> {
  const { waitingIn } = await import('../../../recordings/store/open-store.ts');
  for (const folder of recordings) {
    const count = waitingIn(resolve(cwd, folder)).length;
    if (count === 0) continue;
    const what = count === 1 ? '1 exchange is' : `${count} exchanges are`;
    say?.(
      `${visible(folder)}: ${what} only in the recording's journal, and not judged: its recorder still runs or was killed; starting one again moves them into files\n`,
    );
  }
}
