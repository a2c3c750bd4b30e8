import { dirname } from 'node:path';
import { PatchgateError } from '../errors.ts';
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
  const isJson = file.endsWith('.json');
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
  // A copy: what a program gives could change, or be made anew at each look.
  return { file, where, folder: dirname(file), values: { ...content }, ...(text !== undefined && { text }) };
}

async function programIn(file: string, where: string): Promise<{ content: unknown; text?: never }> {
  const { readProgramConfig } = await import('./read-program-config.ts');
  return { content: await readProgramConfig(file, where) };
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
