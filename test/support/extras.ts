import { checkFile } from '../../src/schemas/check.ts';
import { type ConfigSource, type ExtraName, type Extras, extrasOf } from '../../src/settings/extras.ts';

/** One of the extras, as a config file or a program gives it. */
async function readExtra<N extends ExtraName>(
  name: N,
  given: unknown,
  source: ConfigSource,
): Promise<Extras[N]> {
  const values = given === undefined ? {} : { [name]: given };
  checkFile('config', values, source, 'bad-config');
  return (await extrasOf(values, source))[name];
}

export const checkOverrides = (given: unknown, source: ConfigSource) => readExtra('overrides', given, source);
export const checkCustomRules = (given: unknown, source: ConfigSource) =>
  readExtra('customRules', given, source);
