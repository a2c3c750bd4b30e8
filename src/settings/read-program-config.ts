import { spawnSync } from 'node:child_process';
import { readFileSync, writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { messageOf, PatchgateError, systemCode } from '../errors.ts';

const wrong = (message: string, hint: string, cause?: unknown) =>
  new PatchgateError('bad-config', message, { hint, cause });

/**
 * What a config file in JavaScript exports by default: settings, not a function or a promise of them. In an object of its own,
 * since what has a `then` would be awaited.
 *
 * @param where its name, for messages
 * @throws PatchgateError `bad-config`, with the line where Node tells it
 */
export async function readProgramConfig(file: string, where: string): Promise<{ content: unknown }> {
  let module: { default?: unknown };
  const onExit = () => sayEnded(where);
  process.once('exit', onExit);
  try {
    module = (await import(pathToFileURL(file).href)) as typeof module;
  } catch (error) {
    throw doesNotLoad(error, file, where);
  } finally {
    process.off('exit', onExit);
  }
  const { default: content } = module;
  if (!('default' in module))
    throw wrong(
      `the config file ${where} has no default export`,
      'write export default { recording: "checkout" }',
    );
  if (typeof content === 'function')
    throw wrong(
      `the config file ${where} exports a function`,
      'export the settings themselves: export default { … }',
    );
  if (content instanceof Promise)
    throw wrong(`the config file ${where} exports a promise`, 'write export default await …');
  return { content };
}

/** A config that ends the process, or waits for ever, must not look like a check that found nothing. */
function sayEnded(where: string): void {
  const hint = 'it calls process.exit, or awaits what never comes';
  const { message, exitCode } = wrong(`the config file ${where} ends the process`, hint);
  writeSync(process.stderr.fd, `patchgate: ${message}\n  ${hint}\n`);
  process.exitCode = exitCode;
}

function doesNotLoad(error: unknown, file: string, where: string): PatchgateError {
  if (systemCode(error)?.startsWith('ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING'))
    return wrong(
      `the config file ${where} is a program, and Jest does not let it be imported`,
      'write it as patchgate.config.json, or start Jest with NODE_OPTIONS=--experimental-vm-modules',
      error,
    );
  const missing = missingModuleOf(error);
  if (missing !== undefined) {
    const isFile = /^[./]|^[a-z]:/i.test(missing);
    const toInstall = `install ${packageOf(missing)} among the devDependencies of the project`;
    const hint = isFile ? 'check the path of the import' : toInstall;
    return wrong(`the config file ${where} imports ${missing}, which is not there`, hint, error);
  }
  const isSyntax = error instanceof Error && error.name === 'SyntaxError';
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const place = placeIn(stack, file) ?? (isSyntax ? askNode(file) : '');
  const [message = ''] = messageOf(error).split('\n');
  const hint = isSyntax ? 'correct the JavaScript' : 'the config file failed with this when it was loaded';
  return wrong(`${where}${place}: ${message}`, HINTS.find(([of]) => of.test(message))?.[1] ?? hint, error);
}

/** What to do where Node takes a file for something else than it is. */
const HINTS: readonly [message: RegExp, hint: string][] = [
  [
    /^(?:Unexpected token 'export'|Cannot use import statement outside)/,
    'Node takes it for CommonJS here: name it patchgate.config.mjs',
  ],
  [
    /^(?:module|exports|require) is not defined in ES module/,
    'it is an ES module: write import, and export default { … }',
  ],
  [/^Unknown file extension/, 'a config file ends in .js, .mjs or .json'],
  [/^Directory import/, 'name a file: patchgate.config.mjs'],
];

/** The module that was not found: a package's name, or a file. */
function missingModuleOf(error: unknown): string | undefined {
  if (!/^(?:ERR_)?MODULE_NOT_FOUND$/.test(systemCode(error) ?? '')) return undefined;
  return /^Cannot find (?:package|module) '([^'\n]+)'/.exec(messageOf(error))?.[1];
}

/** `@scope/name/part` -> `@scope/name` */
function packageOf(name: string): string {
  return /^(?:@[^/]*\/)?[^/]*/.exec(name)?.[0] ?? name;
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
