import { PatchgateError } from '../errors.ts';

type Given = string | readonly string[] | undefined;

/** The value of an option that yargs makes a list of if it is given twice. @throws PatchgateError `bad-usage` */
export function once(argv: Readonly<Record<string, unknown>>, flag: string): string | undefined {
  const values = all(argv[flag] as Given);
  if (values.length <= 1) return values[0];
  throw new PatchgateError('bad-usage', `--${flag} is given more than once`, { hint: 'give it once' });
}

export function all(given: Given): readonly string[] {
  return given === undefined ? [] : [given].flat();
}
