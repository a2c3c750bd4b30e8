import { dirname } from 'node:path';
import { messageOf, PatchgateError } from '../errors.ts';
import type { ExtraSource } from './extras/source.ts';
import { readJsonConfig } from './read-json-config.ts';
import { shortPath } from './short-path.ts';
import { shownValue } from './shown-value.ts';

/** A config file that was read; its values are not checked yet. */
export interface ConfigFile extends ExtraSource {
  /** Absolute. */
  file: string;
  values: Readonly<Record<string, unknown>>;
}

/** @throws PatchgateError `bad-config`, naming the place */
export async function readConfigFile(file: string, cwd: string): Promise<ConfigFile> {
  const where = shortPath(file, cwd);
  const isJson = /\.json$/i.test(file);
  const { content, text } = isJson ? readJsonConfig(file, where) : await programIn(file, where);
  if (!isPlainObject(content)) {
    throw new PatchgateError(
      'bad-config',
      `the config file ${where} holds ${kindOf(content)}, not settings`,
      {
        hint: isJson ? 'write { "recording": "checkout" }' : 'write export default { recording: "checkout" }',
      },
    );
  }
  return { file, where, folder: dirname(file), values: content, ...(text !== undefined && { text }) };
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
  return new PatchgateError('bad-config', `${where}: ${messageOf(error)}`, {
    hint: 'a member of what it exports failed with this when it was read',
    cause: error,
  });
}

/** No list, and nothing whose members are somewhere else, such as a Map. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const above: unknown = Object.getPrototypeOf(value);
  return above === null || Object.getPrototypeOf(above) === null;
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : shownValue(value);
}
