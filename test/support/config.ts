import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveConfig } from '../../src/settings/config.ts';
import type { SettingName } from '../../src/settings/settings.ts';
import { laterRefusal } from './errors.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Given {
  flags?: Record<string, unknown>;
  defaults?: Partial<Record<SettingName, unknown>>;
  env?: Record<string, string>;
  /** Content of a config file, and its name: patchgate.config.json where left out. */
  file?: unknown;
  name?: string;
}

/** The settings in a folder of their own. */
export function resolve({
  flags = {},
  defaults = {},
  env = {},
  file,
  name = 'patchgate.config.json',
}: Given) {
  const folder = temporaryFolder();
  if (file !== undefined)
    writeFileSync(join(folder, name), typeof file === 'string' ? file : JSON.stringify(file));
  return resolveConfig(flags, defaults, env, folder);
}

export const config = async (given: Given) => (await resolve(given)).config;
export const refused = (given: Given) => laterRefusal('bad-config', resolve(given));
