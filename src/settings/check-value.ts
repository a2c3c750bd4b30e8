import { messageOf, PatchgateError } from '../errors.ts';
import { parseUrl } from '../http/url.ts';
import { isObject } from '../json/json.ts';
import { isPointerPattern } from '../json/pointer-pattern.ts';
import { nearest } from '../model/nearest.ts';
import { memberAt } from './extras/source.ts';
import { readFaults } from './faults/read-faults.ts';
import { LATENCIES, readLatency } from './faults/read-latency.ts';
import { DURATIONS, lacksUnit, readAmount, SIZES } from './read-amount.ts';
import type { Setting, SettingName } from './settings.ts';
import { shownValue } from './shown-value.ts';

/** As `isPlain` of the contract has it: servers read it in one way. One slash at its end counts for nothing. */
const PLAIN_PATH = /^(?!.*(?:\/\/|\/\.|\.\/|\.$))\/[\w~!$&'()*+,=:@./-]*$/;

/** What is meant by a pointer within a value, and where it stands, for messages. */
export type PlaceOfPart = (pointer: string, part?: 'name') => string;

/**
 * A setting's value as it is in force: durations in milliseconds, sizes in bytes.
 *
 * @param where for the message: `--timeout`
 * @param isTyped it comes from where numbers and true are no texts
 * @param at the same of a part of it, by the pointer within it: `faults[2].rate in patchgate.config.json:4:5`
 * @throws PatchgateError `bad-config`, naming what is taken
 */
export function checkValue(
  name: SettingName,
  setting: Setting,
  given: unknown,
  where: string,
  isTyped = false,
  at: PlaceOfPart = (pointer) => where + memberAt(pointer),
): unknown {
  const wrong = (takes: string) => {
    const isSecret = setting.secret || (setting.kind === 'url' && String(given).includes('@'));
    const shown = isSecret && given !== '' ? 'what is given' : shownValue(given);
    return new PatchgateError('bad-config', `${where}: ${shown} is not taken`, { hint: `it takes ${takes}` });
  };
  switch (setting.kind) {
    case 'string':
      if (setting.mayBeOff && (given === false || given === '' || (!isTyped && given === 'false'))) return '';
      if (typeof given !== 'string' || given === '') throw wrong('a text');
      return given;
    case 'url':
      if (typeof given !== 'string' || !/^https?:$/.test(parseUrl(given)?.protocol ?? ''))
        throw wrong('an http or https URL, whole: https://staging.example.com/api/v2');
      return given;
    case 'path':
      if (typeof given !== 'string' || !PLAIN_PATH.test(given))
        throw wrong(
          'a path in plain form, without dot segments, doubled slashes or coded characters: /api/v2',
        );
      return given.replace(/\/$/, '');
    case 'boolean':
      if (typeof given === 'boolean') return given;
      if (!isTyped && (given === 'true' || given === '1')) return true;
      if (!isTyped && (given === 'false' || given === '0')) return false;
      throw wrong('true or false');
    case 'integer': {
      // Which workspace that is, is just what nobody says then.
      if (name === 'account' && given === 'current') return undefined;
      const number = !isTyped && typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : given;
      const { min = 0, max = Number.MAX_SAFE_INTEGER } = setting;
      if (!Number.isSafeInteger(number) || (number as number) < min || (number as number) > max)
        throw wrong(`an integer from ${min} to ${max}`);
      return number;
    }
    case 'choice': {
      const word = given === true ? setting.bare : name === 'guard' && given === false ? 'off' : given;
      if (typeof word === 'string' && setting.choices?.includes(word)) return word;
      const words = listed(setting.choices, [given]);
      // A recording's name comes to mind first.
      const isName = name === 'record' && typeof given === 'string' && !words.includes('did you mean');
      throw wrong(`one of: ${words}${isName ? '; the name of a recording is the setting recording' : ''}`);
    }
    case 'list': {
      const items = checkList(given, (text) => text.split(','), wrong);
      const { choices } = setting;
      if (choices && !items.every((item) => choices.includes(item)))
        throw wrong(`any of: ${listed(choices, items)}`);
      return items;
    }
    case 'pointers':
      return checkPointers(given, wrong);
    case 'patterns':
      return checkPatterns(given, wrong);
    case 'duration': {
      const { min = 0, max = Number.MAX_SAFE_INTEGER } = setting;
      // A program counts in milliseconds, but hardly what may last for days.
      const isProgram = typeof given === 'number' && !isTyped && setting.max !== undefined;
      if (!isProgram && lacksUnit(given))
        throw wrong(`a unit, too: ${given}s, ${given}ms, ${given}m, ${given}h or ${given}d`);
      const milliseconds = readAmount(given, DURATIONS);
      if (milliseconds !== undefined && milliseconds < min) throw wrong('one that is longer: 500ms, 30s, 2m');
      if (milliseconds === undefined || milliseconds > max)
        throw wrong(
          setting.max === undefined
            ? 'a duration: 12h, 30d'
            : `a duration of at most ${Math.floor(max / 3_600_000)}h: 500ms, 30s, 2m`,
        );
      return milliseconds;
    }
    case 'latency': {
      const latency = readLatency(asWritten(given, isTyped));
      if (latency === undefined) throw wrong(LATENCIES);
      return latency;
    }
    case 'faults':
      return readFaults(asWritten(given, isTyped), at);
    case 'size': {
      const { max = Number.MAX_SAFE_INTEGER } = setting;
      const bytes = readAmount(given, SIZES);
      if (bytes === undefined || bytes > max)
        throw wrong(`a size of at most ${Math.floor(max / 1_048_576)}MiB: 65536, 512KiB, 5MiB`);
      return bytes;
    }
  }
}

/** A latency, or faults with latencies: a number in a file has no unit, as in a text; a program counts in milliseconds. */
function asWritten(given: unknown, isInFile: boolean): unknown {
  if (!isInFile) return given;
  if (typeof given === 'number') return String(given);
  if (!Array.isArray(given)) return given;
  return given.map((fault: unknown) =>
    isObject(fault) && typeof fault.latency === 'number'
      ? { ...fault, latency: String(fault.latency) }
      : fault,
  );
}

/** The words that are taken, and which of them was probably meant. */
function listed(choices: readonly string[] = [], given: readonly unknown[]): string {
  const wrong = given.find((word) => !choices.includes(word as string));
  const near = typeof wrong === 'string' ? nearest(wrong, choices) : undefined;
  return choices.join(', ') + (near === undefined ? '' : `; did you mean "${near}"?`);
}

/** One text, or several: those of a flag that was given more than once, or of a config file. */
function checkList(
  given: unknown,
  parts: (text: string) => string[],
  wrong: (takes: string) => PatchgateError,
): string[] {
  const texts = Array.isArray(given) ? given : typeof given === 'string' ? parts(given) : undefined;
  if (!texts?.every((text): text is string => typeof text === 'string')) throw wrong('texts');
  // A flag that was given more than once may hold several each time.
  const all = texts.flatMap((text) => parts(text)).map((text) => text.trim());
  return all.filter((text) => text !== '');
}

/** An empty one in a list, as only a config file has it, is the whole body. */
function checkPointers(given: unknown, wrong: (takes: string) => PatchgateError): string[] {
  const pointers = checkList(given, (text) => text.split(','), wrong);
  if (!pointers.every(isPointerPattern)) throw wrong('JSON Pointers, with * for any one: /environments/*/id');
  return Array.isArray(given) && given.includes('') ? ['', ...pointers] : pointers;
}

function checkPatterns(given: unknown, wrong: (takes: string) => PatchgateError): string[] {
  const sources = checkList(given, (text) => [text], wrong);
  for (const source of sources) {
    try {
      new RegExp(source, 'u');
    } catch (error) {
      throw wrong(`regular expressions of JavaScript (${messageOf(error)})`);
    }
  }
  return sources;
}
