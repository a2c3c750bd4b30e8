import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf, PatchgateError } from '../errors.ts';
import { isObject } from '../model/json.ts';

const CONFIG_FILES = ['patchgate.config.js', 'patchgate.config.mjs', 'patchgate.config.json'];

/**
 * The config file that is named, or that of the folder; undefined where there is none.
 *
 * @throws PatchgateError `bad-usage`, `bad-config`
 */
export function findConfigFile(named: unknown, cwd: string): string | undefined {
  if (named !== undefined) {
    if (typeof named !== 'string') {
      throw new PatchgateError('bad-usage', '--config is given more than once', { hint: 'give it once' });
    }
    const file = resolve(cwd, named);
    if (!existsSync(file)) {
      throw new PatchgateError('bad-config', `the config file ${named} does not exist`, {
        hint: 'check the path given with --config or PATCHGATE_CONFIG',
      });
    }
    return file;
  }
  return CONFIG_FILES.map((name) => join(cwd, name)).find((file) => existsSync(file));
}

/** What a config file holds, unchecked but for being an object. @throws PatchgateError `bad-config` */
export async function readConfigFile(file: string): Promise<Record<string, unknown>> {
  let content: unknown;
  try {
    content = file.endsWith('.json')
      ? JSON.parse(readFileSync(file, 'utf8'))
      : ((await import(pathToFileURL(file).href)) as { default: unknown }).default;
  } catch (error) {
    throw new PatchgateError('bad-config', `cannot read the config file ${file}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (!isObject(content)) {
    throw new PatchgateError('bad-config', `the config file ${file} does not hold an object`, {
      hint: file.endsWith('.json')
        ? 'write { "recording": "checkout" }'
        : 'write export default { recording: "checkout" }',
    });
  }
  return content;
}
