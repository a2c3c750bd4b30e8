import { resolve } from 'node:path';
import { PatchgateError } from '../../errors.ts';
import { nearest } from '../../model/nearest.ts';
import { printable } from '../../server/printable.ts';
import { type Resolved, resolveConfig } from '../../settings/config.ts';
import { CONFIG_FILES } from '../../settings/find-config-file.ts';
import { COMMAND_DEFAULTS } from '../../settings/settings.ts';
import { table } from '../recordings/table.ts';
import { type ShownSetting, shownExtras, shownSettings } from './shown-settings.ts';

export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
}

/**
 * The settings in force: first what somebody said, then the defaults, then what is not set. In JSON, version 1 (a member
 * may be added within it, none is taken away or changes its meaning):
 *
 * ```
 * { "version": 1,
 *   "command": "proxy",                      whose defaults they are; null: nobody's
 *   "file": "/work/patchgate.config.json",   the config file that was read; null: none was found
 *   "settings": {                            all of them
 *     "timeout": { "value": "30s",           as a config file has it; null: not set
 *       "origin": "config file",             or "default", "environment", "flag"; null: not set
 *       "where": "patchgate.config.json:3:3",       or "PATCHGATE_TIMEOUT", "--timeout"; null otherwise
 *       "unused": true } },                         only of what the command does not go by
 *   "extras": {                              those that the file has
 *     "rules": { "value": {…}, "where": … }  severities; of overrides, bodies and suppressions the number, of customRules
 * } }                                        the names by operation, of normalizeRequest true
 * ```
 *
 * @param command whose own defaults hold: `proxy`
 * @throws PatchgateError where a setting is wrong
 */
export async function configText(
  flags: Readonly<Record<string, unknown>>,
  command: string | undefined,
  format: 'text' | 'json',
  { env, cwd }: Surroundings,
): Promise<string> {
  const resolved = await resolveConfig(flags, defaultsOf(command), env, cwd);
  return format === 'json' ? json(resolved, command) : text(resolved, command, cwd);
}

function defaultsOf(command: string | undefined): Record<string, unknown> {
  if (command === undefined) return {};
  const known: Readonly<Record<string, Record<string, unknown>>> = COMMAND_DEFAULTS;
  const defaults = Object.hasOwn(known, command) ? known[command] : undefined;
  if (defaults) return defaults;
  const names = Object.keys(known);
  const near = nearest(command, names);
  throw new PatchgateError('bad-usage', `there are no defaults of ${JSON.stringify(command)}`, {
    hint: near ? `did you mean "${near}"?` : `it is one of: ${names.join(', ')}`,
  });
}

function text(resolved: Resolved, command: string | undefined, cwd: string): string {
  const all = shownSettings(resolved, command);
  const unheeded = all.filter(({ isUnheeded }) => isUnheeded).map(({ name }) => name);
  const shown = all.filter(({ isUnheeded }) => !isUnheeded);
  const given = [...shown.filter(({ where }) => where !== undefined), ...shownExtras(resolved)];
  const defaults = shown.filter(({ origin }) => origin === 'default');
  const unset = shown.filter(({ origin }) => origin === undefined).map(({ name }) => name);
  const { file } = resolved;
  const paragraphs = [
    file
      ? [`Config file: ${file.where}`]
      : [`Config file: none (no ${CONFIG_FILES.join(', ')} in ${resolve(cwd)} or above)`],
    rowsOf(given),
    rowsOf(defaults),
    unheeded.length > 0 ? [`Not used by ${command}: ${unheeded.join(', ')}`] : [],
    [`Not set: ${unset.join(', ')}`],
  ].filter((lines) => lines.length > 0);
  return paragraphs.map((lines) => lines.map((line) => `${printable(line)}\n`).join('')).join('\n');
}

function rowsOf(settings: readonly ShownSetting[]): string[] {
  return table(
    settings.map(({ name, value, where = 'default' }) => [name, shownValue(value), where]),
    [],
  );
}

/** Texts without quotes, all else as in JSON. */
function shownValue(value: ShownSetting['value']): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

function json(resolved: Resolved, command = null as string | null): string {
  const settings = shownSettings(resolved, command ?? undefined).map(
    ({ name, value = null, origin = null, where = null, isUnheeded }) => [
      name,
      { value, origin, where, ...(isUnheeded && { unused: true }) },
    ],
  );
  const extras = shownExtras(resolved).map(({ name, value, where }) => [name, { value, where }]);
  const content = {
    version: 1,
    command,
    file: resolved.file?.file ?? null,
    settings: Object.fromEntries(settings),
    extras: Object.fromEntries(extras),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}
