import { redactionOf } from '../../recordings/redaction/redaction.ts';
import type { Origin, Resolved } from '../../settings/config.ts';
import { placeIn } from '../../settings/extras/source.ts';
import { EXTRAS, type ExtraName, type Extras } from '../../settings/extras.ts';
import {
  flagOf,
  SETTINGS,
  type Setting,
  type SettingName,
  UNHEEDED,
  variableOf,
} from '../../settings/settings.ts';
import { type WrittenValue, writtenValue } from './written-value.ts';

/** One setting as it is in force. */
export interface ShownSetting {
  name: string;
  /** As a config file can have it; undefined where nothing is set. */
  value?: WrittenValue | Readonly<Record<string, unknown>>;
  origin?: Origin;
  /** `patchgate.config.json:3:3`, `PATCHGATE_PORT`, `--port`; undefined for a default. */
  where?: string;
  /** The command does not go by it. */
  isUnheeded?: true;
}

/** Every setting of the table. @param command by which they are to hold: `check` */
export function shownSettings({ config, origins, file }: Resolved, command = ''): ShownSetting[] {
  const redaction = redactionOf(config);
  return (Object.keys(SETTINGS) as SettingName[]).sort().map((name) => {
    const setting: Setting = SETTINGS[name];
    const origin = origins[name] ?? (config[name] === undefined ? undefined : 'default');
    if (origin === undefined) return { name };
    const value = writtenValue(setting, config[name], redaction);
    if (origin === 'default') return { name, value, origin };
    const isUnheeded = origin !== 'flag' && UNHEEDED[command]?.includes(name);
    const where = {
      'config file': () => file && placeIn(file, `/${name}`, 'name'),
      environment: () => variableOf(name),
      flag: () => `--${flagOf(name)}`,
    }[origin]();
    return { name, value, origin, ...(isUnheeded && { isUnheeded }), ...(where !== undefined && { where }) };
  });
}

/** What else the config file says: severities and names of rules, and of all else how much there is. */
export function shownExtras({ config, file }: Resolved): ShownSetting[] {
  if (!file) return [];
  return EXTRAS.filter((name) => file.values[name] !== undefined).map((name) => ({
    name,
    value: summaryOf(name, config),
    origin: 'config file',
    where: placeIn(file, `/${name}`, 'name'),
  }));
}

function summaryOf(name: ExtraName, config: Extras): NonNullable<ShownSetting['value']> {
  if (name === 'rules') return config.rules;
  if (name === 'normalizeRequest') return true;
  if (name !== 'customRules') return config[name].length;
  return Object.fromEntries(
    Object.entries(config.customRules).map(([operation, rules]) => [
      operation,
      rules.map((rule) => rule.name),
    ]),
  );
}
