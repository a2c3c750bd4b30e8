import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { messageOf, PatchgateError, systemCode } from '../errors.ts';

/**
 * What a config file in JavaScript exports by default: settings, not a function or a promise of them.
 *
 * @param where its name, for messages
 * @throws PatchgateError `bad-config`, with the line where Node tells it
 */
export async function readProgramConfig(file: string, where: string): Promise<unknown> {
  let module: { default?: unknown };
  try {
    module = (await import(pathToFileURL(file).href)) as typeof module;
  } catch (error) {
    throw doesNotLoad(error, file, where);
  }
  const { default: content } = module;
  const wrong = (does: string, hint: string) =>
    new PatchgateError('bad-config', `the config file ${where} ${does}`, { hint });
  if (!('default' in module))
    throw wrong('has no default export', 'write export default { recording: "checkout" }');
  if (typeof content === 'function')
    throw wrong('exports a function', 'export the settings themselves: export default { … }');
  if (content instanceof Promise) throw wrong('exports a promise', 'write export default await …');
  return content;
}

function doesNotLoad(error: unknown, file: string, where: string): PatchgateError {
  const missing = missingModuleOf(error);
  if (missing !== undefined) {
    const isFile = /^[./]|^[a-z]:/i.test(missing);
    return new PatchgateError(
      'bad-config',
      `the config file ${where} imports ${missing}, which is not there`,
      {
        hint: isFile ? 'check the path of the import' : `npm install --save-dev ${packageOf(missing)}`,
        cause: error,
      },
    );
  }
  const isSyntax = error instanceof Error && error.name === 'SyntaxError';
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const place = placeIn(stack, file) ?? (isSyntax ? askNode(file) : '');
  const [message = ''] = messageOf(error).split('\n');
  return new PatchgateError('bad-config', `${where}${place}: ${message}`, {
    hint: isSyntax ? 'correct the JavaScript' : 'the config file failed with this when it was loaded',
    cause: error,
  });
}

/** The module that was not found: a package's name, or a file. */
function missingModuleOf(error: unknown): string | undefined {
  if (!/^(?:ERR_)?MODULE_NOT_FOUND$/.test(systemCode(error) ?? '')) return undefined;
  return /^Cannot find (?:package|module) '([^'\n]+)'/.exec(messageOf(error))?.[1];
}

/** `@scope/name/part` -> `@scope/name` */
function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}

/** `:3:7`, or `:3`, where a text of Node names the file with a line. */
function placeIn(text: string, file: string): string | undefined {
  for (const name of [pathToFileURL(file).href, file]) {
    const at = text.indexOf(`${name}:`);
    const place = at < 0 ? undefined : /^:\d+(?::\d+)?/.exec(text.slice(at + name.length));
    if (place) return place[0];
  }
  return undefined;
}

/** `:3`, or nothing. The error of a module that does not parse has no line: Node only prints it. Runs nothing of the file. */
function askNode(file: string): string {
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--check'], {
    input: readFileSync(file),
    encoding: 'utf8',
    timeout: 5000,
  });
  return /^\[stdin\](:\d+)$/m.exec(stderr ?? '')?.[1] ?? '';
}
