import { nearest } from '../model/nearest.ts';
import { flagOf, SETTINGS, type Setting, wordsOf } from '../settings/settings.ts';

const URL_FORM = /^https?:/i;
const FORMS: readonly [form: RegExp, flag: string][] = [
  [URL_FORM, 'target'],
  [/^\d+$/, 'port'],
  [/^[^-].*\.json$/i, 'seed'],
  [/^\w[\w.-]*$/, 'recording'],
];

/**
 * The option that a word was probably meant for: `--recording checkout`.
 *
 * @param args what was typed
 * @param options names of the command's options
 */
export function meantBy(
  word: string,
  args: readonly string[],
  options: readonly string[],
): string | undefined {
  const flag = FORMS.find(([form]) => form.test(word))?.[1];
  return (
    meantBehindFlag(word, args) ??
    (flag !== undefined && options.includes(flag) ? `--${flag} ${word}` : undefined)
  );
}

/** The same of a word behind an option whose value may be left out, and that does not take the word. */
export function meantBehindFlag(word: string, args: readonly string[]): string | undefined {
  const before = args[args.indexOf(word) - 1];
  const setting: Setting | undefined = Object.entries(SETTINGS).find(
    ([name]) => `--${flagOf(name)}` === before,
  )?.[1];
  if (setting?.bare === undefined || word.startsWith('-') || wordsOf(setting).includes(word))
    return undefined;
  const near = nearest(word, wordsOf(setting));
  if (near) return `${before}=${near}`;
  return before === '--record' && !URL_FORM.test(word) ? `${before} --recording ${word}` : undefined;
}
