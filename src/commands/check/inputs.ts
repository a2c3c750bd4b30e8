/** The files to judge. */
import { realpathSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { PatchgateError, whyUnreadable } from '../../errors.ts';
import { nearest } from '../../model/nearest.ts';
import { nameOf, readBytes, STDIN } from '../input.ts';

const HINT = 'give files, folders, globs, names of recordings, or - for standard input';

const bad = (message: string, hint = HINT) => new PatchgateError('bad-input', message, { hint });

/**
 * The files that the arguments mean, each once: a file itself, `-` for standard input, and of a folder, a recording or a glob the
 * files below it, sorted.
 *
 * @param recordings folder of the recordings that can be given by name
 * @param own the config file and reports: they are not judged unless they are named
 * @throws PatchgateError `bad-input` if an argument leads to nothing
 */
export async function findInputs(
  args: readonly string[],
  recordings: string,
  own: readonly (string | undefined)[],
): Promise<string[]> {
  if (args.length === 0) throw new PatchgateError('bad-usage', 'nothing to judge was given', { hint: HINT });
  const here = realpathSync('.');
  const left = new Set(own.flatMap((file) => (file === undefined ? [] : resolve(here, file))));
  const found = new Map<string, string>();
  for (const arg of args)
    for (const file of await filesOf(arg, recordings)) {
      // Links may lead to the same file, and round in circles.
      const key = file === arg ? resolve(here, file) : realpathSync(file);
      if (!found.has(key) && (file === arg || !left.has(key))) found.set(key, file);
    }
  if (found.size > 0) return [...found.values()];
  throw bad('there is nothing to judge but the config file and reports');
}

async function filesOf(arg: string, recordings: string): Promise<string[]> {
  const isFolder = arg === STDIN ? false : isFolderAt(arg);
  if (isFolder === false) return [arg];
  const { globSync, isDynamicPattern } = await import('tinyglobby');
  const isGlob = isFolder === undefined && isDynamicPattern(arg);
  const folder = isGlob ? '.' : isFolder ? arg : await recordingFolder(arg, recordings);
  const options = { ignore: '**/node_modules/**', caseSensitiveMatch: false };
  const names = globSync(isGlob ? arg : '**/*', { ...options, cwd: folder }).sort();
  // What does not name files means those that a folder is searched for.
  const isNamed = isGlob && /\.[\w{},]+$/.test(arg);
  const found = isNamed ? names : names.filter((name) => /\.(?:json|har)$/i.test(name));
  if (found.length > 0) return isGlob ? found : found.map((name) => join(folder, name));
  throw bad(isGlob ? `no file matches ${arg}` : `there is no *.json or *.har file below ${folder}`);
}

/** Undefined if there is no such thing. */
function isFolderAt(name: string): boolean | undefined {
  try {
    return statSync(name, { throwIfNoEntry: false })?.isDirectory();
  } catch (error) {
    throw bad(`cannot read ${name}: ${whyUnreadable(error)}`);
  }
}

/** The folder of a recording that is given by its name. */
async function recordingFolder(name: string, folder: string): Promise<string> {
  const { recordingNames } = await import('../../recordings/files.ts');
  const names = await recordingNames(folder);
  if (names.includes(name)) return relative('', join(folder, name));
  const near = nearest(name, names);
  const hint = near ? `did you mean the recording ${near}?` : HINT;
  throw bad(`cannot read ${name}: there is no such file, folder or recording`, hint);
}

export interface Input {
  kind: 'body' | 'recording' | 'har';
  /** As given; `<stdin>` for standard input. */
  name: string;
  /** Absolute; undefined: standard input. */
  path: string | undefined;
  bytes: Buffer;
}

/** Reads a file, and tells its kind by its first member, or else by its name. @throws PatchgateError `bad-input` */
export async function readInput(file: string, bodyLimit: number): Promise<Input> {
  const bytes = await readBytes(file);
  const kind = kindOf(bytes.toString('latin1', 0, 256).replace(/^ï»¿/, ''), file);
  // One byte past the limit shows that it is too large.
  const read = kind === 'body' ? bytes.subarray(0, bodyLimit + 1) : bytes;
  return { kind, name: nameOf(file), path: file === STDIN ? undefined : resolve(file), bytes: read };
}

function kindOf(start: string, name: string): Input['kind'] {
  if (/^\s*\{\s*"(?:formatVersion|exchanges)"\s*:/.test(start)) return 'recording';
  if (/^\s*\{\s*"log"\s*:/.test(start) || /\.har$/i.test(name)) return 'har';
  // A broken recording is no body.
  const isInPlace = /(?:^|[/\\])[A-Z-]+\.json$/.test(name);
  return isInPlace && !/^\s*\{\s*(?:\}|"(?:[^"\\]|\\.)*"\s*:)/.test(start) ? 'recording' : 'body';
}
