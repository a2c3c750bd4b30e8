/** The files to judge. */
import { statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { PatchgateError, whyUnreadable } from '../../errors.ts';
import { nearest } from '../../model/nearest.ts';
import type { Remark } from '../../reporters/report.ts';
import { amount } from '../../reporters/wording.ts';
import { nameOf, readBytes, STDIN } from '../input.ts';

const HINT = 'give files, folders, globs, names of recordings, or - for standard input';
const INPUT_NAME = /\.(?:json|har)$/i;

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
): Promise<{ files: string[]; remarks: Remark[] }> {
  if (args.length === 0) throw new PatchgateError('bad-usage', 'nothing to judge was given', { hint: HINT });
  const left = new Set(own.flatMap((file) => (file === undefined ? [] : resolve(file))));
  const found = new Map<string, string>();
  const remarks: Remark[] = [];
  for (const arg of args) {
    const { files, folder } = await filesOf(arg, recordings);
    if (folder !== undefined) remarks.push(...(await journalsBelow(folder)));
    for (const file of files) {
      const key = file === STDIN ? file : resolve(file);
      if (!found.has(key) && (file === arg || !left.has(key))) found.set(key, file);
    }
  }
  if (found.size > 0) return { files: [...found.values()], remarks };
  const message = 'there is nothing to judge but the config file and reports';
  throw new PatchgateError('bad-input', message, { hint: HINT });
}

async function filesOf(arg: string, recordings: string): Promise<{ files: string[]; folder?: string }> {
  const isFolder = arg === STDIN ? false : isFolderAt(arg);
  if (isFolder === false) return { files: [arg] };
  const { globSync, isDynamicPattern } = await import('tinyglobby');
  const options = { ignore: '**/node_modules/**', caseSensitiveMatch: false, followSymbolicLinks: false };
  if (isFolder === undefined && isDynamicPattern(arg)) {
    const files = globSync(arg, options).sort();
    // One that ends in stars means the files that a folder is searched for.
    const meant = /\.[\w{},]+$/.test(arg) ? files : files.filter((file) => INPUT_NAME.test(file));
    if (meant.length > 0) return { files: meant };
    throw new PatchgateError('bad-input', `no file matches ${arg}`, {
      hint: 'check the glob, which starts from the working directory: "bodies/**/*.json"',
    });
  }
  const folder = isFolder ? arg : await recordingFolder(arg, recordings);
  const names = globSync('**/*.{json,har}', { ...options, cwd: folder }).sort();
  if (names.length > 0) return { files: names.map((name) => join(folder, name)), folder };
  throw new PatchgateError('bad-input', `there is no *.json or *.har file below ${folder}`, {
    hint: 'give the folder of a recording, or of bodies',
  });
}

/** Undefined if there is no such thing. */
function isFolderAt(name: string): boolean | undefined {
  try {
    return statSync(name, { throwIfNoEntry: false })?.isDirectory();
  } catch (error) {
    const message = `cannot read ${name}: ${whyUnreadable(error)}`;
    throw new PatchgateError('bad-input', message, { hint: HINT, cause: error });
  }
}

/** The folder of a recording that is given by its name. */
async function recordingFolder(name: string, folder: string): Promise<string> {
  const { recordingNames } = await import('../../recordings/find-recording.ts');
  const names = await recordingNames(folder);
  if (names.includes(name)) return relative('', join(folder, name));
  const near = nearest(name, names);
  throw new PatchgateError('bad-input', `cannot read ${name}: there is no such file, folder or recording`, {
    hint: near ? `did you mean the recording ${near}?` : HINT,
  });
}

/** A killed recorder leaves exchanges in its journal, in no file. */
async function journalsBelow(folder: string): Promise<Remark[]> {
  const { globSync } = await import('tinyglobby');
  const hidden = globSync('**/.patchgate', { cwd: folder, dot: true, onlyDirectories: true, absolute: true });
  if (hidden.length === 0) return [];
  const { readWaiting } = await import('../../recordings/merge-files.ts');
  return hidden.flatMap((place): Remark | [] => {
    const root = dirname(join(place, '.'));
    const waiting = [...readWaiting(root).frames.values()].flat().length;
    if (waiting === 0) return [];
    const message = `${relative('', root)}: ${amount(waiting, 'exchange')} in its journal alone, and not judged`;
    return { severity: 'warn', message, hint: 'patchgate recordings scrub moves them into files' };
  });
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
