import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { messageOf, PatchgateError } from '../errors.ts';
import { parseFile, shownValue } from '../schemas/check.ts';
import type { ConfigSource } from './extras.ts';

export const CONFIG_FILES = ['patchgate.config.js', 'patchgate.config.mjs', 'patchgate.config.json'];

/** A config file that was read; its values are not checked yet. */
export interface ConfigFile extends ConfigSource {
  /** Absolute. */
  file: string;
  values: Readonly<Record<string, unknown>>;
}

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
    if (file !== undefined && second !== undefined)
      throw wrong(
        `there are two config files: ${shortPath(file, cwd)} and ${shortPath(second, cwd)}`,
        'keep one of them, or name it with --config',
      );
    if (file !== undefined && isAnothers(file, folder))
      throw wrong(
        `the config file ${shortPath(file, cwd)} is another user's, in a folder where everybody can put files`,
        'look what it does; to use it all the same, name it with --config',
      );
    if (file !== undefined || folder === dirname(folder)) return file;
  }
}

function namedFile(named: unknown, cwd: string): string {
  const misused = (text: string, hint: string) => new PatchgateError('bad-usage', text, { hint });
  if (typeof named !== 'string') throw misused('--config is given more than once', 'give it once');
  if (named === '') throw misused('--config names no file', 'give a path, or leave it out');
  const file = resolve(cwd, named);
  if (existsSync(file)) return file;
  const hint = 'check the path given with --config or PATCHGATE_CONFIG';
  throw wrong(`the config file ${named} does not exist`, hint);
}

/** A link that leads nowhere is there, too: reading it says so. A folder that may not be entered has no config file. */
function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Everybody may write into it, and take away what is theirs alone. */
const SHARED = 0o1002;

/** Such as /tmp: a config found there, which may be a program, could be anybody's. Linux guards links by the same rule. */
function isAnothers(file: string, folder: string): boolean {
  const isShared = (statSync(folder).mode & SHARED) === SHARED;
  return isShared && lstatSync(file).uid !== process.getuid?.();
}

/** @throws PatchgateError `bad-config`, naming the place */
export async function readConfigFile(file: string, cwd: string): Promise<ConfigFile> {
  const where = shortPath(file, cwd);
  const isJson = /\.json$/i.test(file);
  const { content, text } = isJson ? readJson(file, where) : await programIn(file, where);
  if (!isPlainObject(content))
    throw wrong(
      `the config file ${where} holds ${Array.isArray(content) ? 'a list' : shownValue(content)}, not settings`,
      isJson ? 'write { "recording": "checkout" }' : 'write export default { recording: "checkout" }',
    );
  return { file, where, folder: dirname(file), values: content, ...(text !== undefined && { text }) };
}

/** In UTF-8; a byte order mark is skipped. */
function readJson(file: string, where: string): { content: unknown; text: string } {
  const text = readText(file, where);
  return { content: parseFile({ where, text }, 'bad-config', (offset) => hintAt(text, offset)), text };
}

/** What editors take in their own settings, and JSON does not. */
function hintAt(text: string, offset: number): string {
  if (text[offset] === '/') return 'JSON has no comments: take them out, or write a patchgate.config.mjs';
  const isAfterComma = text.slice(0, offset).trimEnd().endsWith(',');
  if (isAfterComma && /[\]}]/.test(text[offset] ?? ''))
    return 'JSON has no comma after the last one: take it out';
  return 'correct the JSON';
}

function readText(file: string, where: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    const why = error instanceof TypeError ? 'it is not in UTF-8' : messageOf(error);
    throw wrong(
      `cannot read the config file ${where}: ${why}`,
      'it must be a file in UTF-8 that can be read',
      error,
    );
  }
}

async function programIn(file: string, where: string): Promise<{ content: unknown; text?: never }> {
  const { readProgramConfig } = await import('./read-program-config.ts');
  const { content } = await readProgramConfig(file, where);
  try {
    // A copy: what a program gives could change, or be made anew at each look.
    return { content: isPlainObject(content) ? { ...content } : content };
  } catch (error) {
    throw failsToBeRead(error, where);
  }
}

/** What a program exports can have members that throw. */
export function failsToBeRead(error: unknown, where: string): PatchgateError {
  const hint = 'a member of what it exports failed with this when it was read';
  return wrong(`${where}: ${messageOf(error)}`, hint, error);
}

/** No list, and nothing whose members are somewhere else, such as a Map. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const above: unknown = Object.getPrototypeOf(value);
  return above === null || Object.getPrototypeOf(above) === null;
}

function wrong(text: string, hint: string, cause?: unknown): PatchgateError {
  return new PatchgateError('bad-config', text, { hint, cause });
}

/** A file's name as seen from a folder, where that is shorter than the whole. */
export function shortPath(file: string, cwd: string): string {
  const seen = relative(cwd, file) || '.';
  return seen.length < file.length ? seen : file;
}

/** A path that stands in a file of `folder`, as it is to be used in `cwd`. An empty one is none. */
export function pathFrom(folder: string, path: string, cwd: string): string {
  if (path === '' || isAbsolute(path) || folder === resolve(cwd)) return path;
  return shortPath(resolve(folder, path), cwd);
}
