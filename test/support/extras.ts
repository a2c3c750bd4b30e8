import { check } from '../../src/settings/check.ts';
import { type ExtraName, type Extras, extrasOf } from '../../src/settings/extras.ts';
import { config } from '../../src/settings/settings-validators.js';
import { placed, type Source } from '../../src/settings/source.ts';

/** One of the extras, as a config file or a program gives it. */
async function readExtra<N extends ExtraName>(name: N, given: unknown, source: Source): Promise<Extras[N]> {
  const values = given === undefined ? {} : { [name]: given };
  check(config, values, (pointer, at) => placed(source, pointer, at));
  return (await extrasOf(values, source))[name];
}

export const checkBodies = (given: unknown, source: Source) => readExtra('bodies', given, source);
export const checkOverrides = (given: unknown, source: Source) => readExtra('overrides', given, source);
export const checkSuppressions = (given: unknown, source: Source) => readExtra('suppressions', given, source);
export const checkCustomRules = (given: unknown, source: Source) => readExtra('customRules', given, source);
