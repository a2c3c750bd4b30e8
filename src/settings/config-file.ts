import { existsSync, readFileSync, writeSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf, PatchgateError } from '../errors.ts';
import { parseFile, type Source } from '../schemas/check.ts';

export const CONFIG_FILES = ['patchgate.config.js', 'patchgate.config.mjs', 'patchgate.config.json'];

/** A config file that was read; its values are not checked yet. */
export interface ConfigFile extends Source {
  /** Absolute. */
  file: string;
  /** Absolute; paths and globs in it start from it. */
  folder: string;
  values: Readonly<Record<string, unknown>>;
}

const wrong = (message: string, hint: string, cause?: unknown) =>
  new PatchgateError('bad-config', message, { hint, cause });

/**
 * The config file that is named, or that of the folder or of the nearest one above that has any; undefined if none has.
 *
 * @returns its absolute name
 * @throws PatchgateError `bad-config`: it is not there, or there are two in one folder
 */
export function findConfigFile(named: unknown, cwd: string): string | undefined {
  if (named !== undefined) {
    const file = resolve(cwd, String(named));
    if (existsSync(file)) return file;
    throw wrong(`the config file ${named} does not exist`, 'name one file with --config or PATCHGATE_CONFIG');
  }
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const [file, second] = CONFIG_FILES.map((name) => join(folder, name)).filter((name) => existsSync(name));
    if (file === undefined && folder !== dirname(folder)) continue;
    if (file === undefined) return undefined;
    if (second === undefined) return file;
    const both = `${shortPath(file, cwd)}, ${shortPath(second, cwd)}`;
    throw wrong(`there are two config files: ${both}`, 'keep the right one, or name it with --config');
  }
}

/** @throws PatchgateError `bad-config`, naming the place */
export async function readConfigFile(file: string, cwd: string): Promise<ConfigFile> {
  const where = shortPath(file, cwd);
  const { content, text } = /\.json$/i.test(file)
    ? readJson(file, where)
    : { content: await exportOf(file, where), text: undefined };
  const hint = 'write export default { recording: "checkout" }; in JSON, { "recording": "checkout" }';
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw wrong(`the config file ${where} holds no object with settings`, hint);
  return { file, where, folder: dirname(file), values: { ...content }, ...(text !== undefined && { text }) };
}

function readJson(file: string, where: string): { content: unknown; text: string } {
  let text: string;
  try {
    // A byte order mark is skipped.
    text = new TextDecoder().decode(readFileSync(file));
  } catch (error) {
    throw wrong(`cannot read the config file ${where}: ${messageOf(error)}`, 'it must be a file', error);
  }
  const hint = 'correct the JSON, which has no comments; a patchgate.config.mjs may have some';
  return { content: parseFile({ where, text }, 'bad-config', hint), text };
}

/** What a config file in JavaScript exports by default. @throws PatchgateError `bad-config`, with the line where Node tells it */
async function exportOf(file: string, where: string): Promise<unknown> {
  const onExit = () => {
    // It must not look like a check that found nothing.
    writeSync(2, `patchgate: ${where} ends the process: it calls process.exit, or awaits without end\n`);
    process.exitCode = 2;
  };
  process.once('exit', onExit);
  try {
    return ((await import(pathToFileURL(file).href)) as { default?: unknown }).default;
  } catch (error) {
    const place = placeIn(String((error as Error)?.stack), file);
    const line = place === '' && error instanceof SyntaxError ? await askNode(file) : place;
    const hint = 'a config file is an ES module, patchgate.config.mjs: export default { … }';
    throw wrong(`${where}${line}: ${messageOf(error).split('\n', 1)}`, hint, error);
  } finally {
    process.off('exit', onExit);
  }
}

/** `:3:7`, or `:3`, if a text of Node names the file with a line. */
function placeIn(text: string, file: string): string {
  const behind = text.split(`${pathToFileURL(file).href}`)[1] ?? text.split(file)[1] ?? '';
  return /^:\d+(?::\d+)?/.exec(behind)?.[0] ?? '';
}

/** `:3`, or nothing. The error of a module that does not parse has no line: Node only prints it. Runs nothing of the file. */
async function askNode(file: string): Promise<string> {
  const { spawnSync } = await import('node:child_process');
  const options = { input: readFileSync(file), encoding: 'utf8', timeout: 5000 } as const;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--check'], options);
  return /^\[stdin\](:\d+)$/m.exec(stderr ?? '')?.[1] ?? '';
}

/** A file's name as seen from a folder, if that is shorter than the whole. */
export function shortPath(file: string, cwd: string): string {
  const seen = relative(cwd, file) || '.';
  return seen.length < file.length ? seen : file;
}

/** A path that stands in a file of `folder`, as it is to be used in `cwd`. An empty one is none. */
export function pathFrom(folder: string, path: string, cwd: string): string {
  if (path === '' || isAbsolute(path) || folder === resolve(cwd)) return path;
  return shortPath(resolve(folder, path), cwd);
}
