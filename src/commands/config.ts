import { resolve } from 'node:path';
import type { CommandModule } from 'yargs';
import { judgingGate } from '../app/gate.ts';
import { PatchgateError } from '../errors.ts';
import { redactText } from '../recordings/redact/redact.ts';
import { REDACTED } from '../recordings/redact/redacted.ts';
import { redactionOf } from '../recordings/redact/redaction.ts';
import { placeIn, withMeant } from '../schemas/check.ts';
import { printable } from '../server/printable.ts';
import { type Config, EXTRAS, type Resolved, resolveConfig } from '../settings/config.ts';
import { CONFIG_FILES } from '../settings/config-file.ts';
import {
  COMMAND_DEFAULTS,
  flagOf,
  kindOf,
  SETTING_NAMES,
  type SettingName,
  settingOf,
  variableOf,
} from '../settings/settings.ts';
import { flagsOf, withSettings } from './options.ts';
import { standardOutput } from './output.ts';

export const config: CommandModule = {
  builder: (yargs) =>
    // They are many, and each has its place in another command's help.
    SETTING_NAMES.reduce((all, name) => all.hide(flagOf(name)), withSettings(yargs, SETTING_NAMES))
      .positional('command', { type: 'string', describe: 'With the defaults of this command' })
      .example('$0 config', 'what holds here')
      .example('$0 config proxy --port 8080', 'what patchgate proxy --port 8080 would run with'),
  handler: async (argv) => {
    const command = argv.command as string | undefined;
    if (command !== undefined && !Object.hasOwn(COMMAND_DEFAULTS, command))
      throw new PatchgateError('bad-usage', `unknown command ${JSON.stringify(command)}`, {
        hint: `it is one of: ${withMeant(Object.keys(COMMAND_DEFAULTS), command)}`,
      });
    const defaults = COMMAND_DEFAULTS[command as keyof typeof COMMAND_DEFAULTS] ?? {};
    const resolved = await resolveConfig(flagsOf(argv), defaults);
    // It checks what names rules and operations.
    await judgingGate({ ...resolved.config, target: undefined });
    await standardOutput().write(configText(resolved));
  },
};

/** First what was given, and where; then the defaults; then what is not set. */
function configText({ config, origins, file }: Resolved): string {
  const given: string[] = [];
  const defaults: string[] = [];
  const unset: string[] = [];
  for (const name of SETTING_NAMES) {
    const origin = origins[name];
    if (config[name] === undefined || (origin === 'default' && shown(name, config) === '')) unset.push(name);
    else if (origin === undefined || origin === 'default') defaults.push(`${name}: ${shown(name, config)}`);
    else {
      const inFile = file && placeIn(file, `/${name}`, 'name');
      const where = { 'config file': inFile, environment: variableOf(name), flag: `--${flagOf(name)}` };
      given.push(`${name}: ${shown(name, config)} (${where[origin]})`);
    }
  }
  for (const name of EXTRAS)
    if (file?.values[name] !== undefined) given.push(`${name} (${placeIn(file, `/${name}`, 'name')})`);
  const none = `none (no ${CONFIG_FILES.join(', ')} in ${resolve('.')} or above)`;
  const lines = [
    `Config file: ${file?.where ?? none}`,
    ...given,
    '',
    ...defaults,
    '',
    `Not set: ${unset.join(', ')}`,
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}

/** As one could write it. Secrets are not shown. */
function shown(name: SettingName, config: Config): string {
  const value: unknown = config[name];
  const kind = kindOf(name);
  if (kind === 'headers' || kind === 'tokens')
    return (value as string[]).map((text) => text.replace(/=(?!env:).+$/, `=${REDACTED}`)).join(', ');
  if (settingOf(name).secret) return REDACTED;
  if (kind === 'faults') return config.fault.map(({ text }) => text).join('; ');
  if (kind === 'duration') return Number(value) % 1000 === 0 ? `${Number(value) / 1000}s` : `${value}ms`;
  if (kind === 'fileOrOff' && value === '') return 'false';
  return redactText([value].flat().join(', '), redactionOf(config));
}
