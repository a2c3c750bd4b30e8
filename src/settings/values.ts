import { messageOf, PatchgateError } from '../errors.ts';
import { parseUrl } from '../http/url.ts';
import { type PlaceOf, problemError, problemOf, shownValue, takesOf } from '../schemas/check.ts';
import { faultsAsWritten, readFaults, timeAsWritten } from './faults.ts';
import { DURATIONS, LONGEST_TIMER, lacksUnit, readAmount } from './read-amount.ts';
import { KINDS } from './schema.ts';
import { kindOf, SETTINGS, type Setting, type SettingName } from './settings.ts';

/** What a flag, a variable or a program gives, as a config file has it: `"80"` -> 80, 250 -> `"250ms"`. */
export function asWritten(name: SettingName, given: unknown): unknown {
  const setting: Setting = SETTINGS[name];
  const kind = kindOf(setting);
  if (typeof given === 'string') {
    if (setting.type === 'boolean' && /^(?:true|1)$/.test(given)) return true;
    if (setting.type === 'boolean' && /^(?:false|0)$/.test(given)) return false;
    const isNumber = setting.type === 'integer';
    if (isNumber && /^\d+$/.test(given)) return Number(given);
    return kind === 'fileOrOff' && given === 'false' ? false : given;
  }
  if (kind === 'faults') return faultsAsWritten(given);
  const isTime = kind === 'duration';
  return isTime ? timeAsWritten(given) : given;
}

/**
 * Whether values are as the schema of the config file has them.
 *
 * @throws PatchgateError `bad-config`, naming the place and what is taken there
 */
export function checkWritten(values: Readonly<Record<string, unknown>>, placeOf: PlaceOf): void {
  const problem = problemOf('config', values);
  if (!problem) return;
  const name = problem.pointer.slice(1);
  if (!Object.hasOwn(SETTINGS, name)) throw problemError(problem, placeOf, 'bad-config');
  throw wrong(name as SettingName, values[name], placeOf(problem.pointer));
}

/**
 * A setting's value as it is in force: durations in milliseconds, sizes in bytes.
 *
 * @param written as a config file has it, and the schema takes it
 * @throws PatchgateError `bad-config`, naming what is taken
 */
export function resolvedValue(name: SettingName, written: unknown, placeOf: PlaceOf): unknown {
  const setting: Setting = SETTINGS[name];
  const fail = (takes?: string) => wrong(name, written, placeOf(`/${name}`), takes);
  const atMost = (most: number, amount = 0) => {
    if (amount > most) throw fail();
    return amount;
  };
  switch (kindOf(setting)) {
    case 'url':
      if (!parseUrl(written as string)) throw fail();
      return written;
    case 'path':
      return (written as string).replace(/\/$/, '');
    case 'fileOrOff':
      return written === false ? '' : written;
    case 'duration':
      return atMost(LONGEST_TIMER, readAmount(written, DURATIONS));
    case 'texts':
    case 'secrets':
    case 'names':
    case 'tokens':
      return parts(written);
    case 'pointers':
      // An empty one in a list, as only a config file has it, is the whole body.
      return Array.isArray(written) && written.includes('') ? ['', ...parts(written)] : parts(written);
    case 'headers':
      return [written].flat();
    case 'patterns':
      return [written].flat().filter((source) => isPattern(source as string, fail));
    case 'faults':
      return readFaults(written as string, (pointer, at) =>
        placeOf(`/${name}${pointer}`, at && `/${name}${at}`),
      );
    default:
      if (setting.enum && typeof written === 'boolean') return written ? setting.bare : 'off';
      return written;
  }
}

/** The value of one setting that has no file: a flag's. @throws PatchgateError `bad-config` */
export function readValue(name: SettingName, given: unknown, where: string): unknown {
  const placeOf = () => where;
  const written = asWritten(name, given);
  checkWritten({ [name]: written }, placeOf);
  return resolvedValue(name, written, placeOf);
}

function wrong(
  name: SettingName,
  given: unknown,
  place: string,
  takes = takesFor(name, given),
): PatchgateError {
  const setting: Setting = SETTINGS[name];
  const isSecret = setting.secret || (kindOf(setting) === 'url' && String(given).includes('@'));
  const shown = isSecret && given !== '' ? '' : ` ${shownValue(given)}`;
  return new PatchgateError('bad-config', `invalid value${shown} for ${place}`, {
    hint: `it takes ${takes}`,
  });
}

function takesFor(name: SettingName, given: unknown): string {
  const setting: Setting = SETTINGS[name];
  const kind = kindOf(setting);
  if (kind === undefined) {
    const takes = takesOf(setting, given);
    // A recording's name comes to mind first.
    const isName = name === 'record' && typeof given === 'string' && !takes.includes('did you mean');
    return isName ? `${takes}; the name of a recording is the setting recording` : takes;
  }
  if (/^(?:duration|age)$/.test(kind) && lacksUnit(given))
    return `a unit, too: ${given}s, ${given}ms, ${given}m, ${given}h or ${given}d`;
  return takesOf(KINDS[kind], given);
}

/** A list, or a text that commas part; a flag that was given more than once may hold several each time. */
function parts(given: unknown): string[] {
  return [given]
    .flat()
    .flatMap((text) => String(text).split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

function isPattern(source: string, fail: (takes: string) => PatchgateError): boolean {
  try {
    new RegExp(source, 'u');
  } catch (error) {
    throw fail(`regular expressions of JavaScript (${messageOf(error)})`);
  }
  return source.trim() !== '';
}
