import { PatchgateError } from '../errors.ts';
import { pointerOf } from '../json/pointer.ts';
import { nearest } from '../model/nearest.ts';
import { type ExtraSource, placeIn } from './extras/source.ts';
import { EXTRAS } from './extras.ts';
import { GONE, SETTINGS, variableOf } from './settings.ts';

/** What a gate within a test takes beside the settings. */
const OF_TESTS: readonly string[] = ['failOnMiss', 'notice'];

/**
 * Whether there are such settings.
 *
 * @param others keys that are taken beside them
 * @throws PatchgateError `bad-config`, with what was probably meant
 */
export function checkKeys(
  given: Readonly<Record<string, unknown>>,
  source: ExtraSource,
  others: readonly string[],
): void {
  const known = [...Object.keys(SETTINGS), ...EXTRAS];
  for (const key of Object.keys(given)) {
    if (known.includes(key) || others.includes(key)) continue;
    const near = nearest(key, [...known, ...OF_TESTS]);
    const hint = GONE[key] ?? (near ? `did you mean "${near}"?` : `known keys: ${known.join(', ')}`);
    throw new PatchgateError(
      'bad-config',
      `unknown key ${JSON.stringify(key)} in ${placeIn(source, pointerOf([key]), 'name')}`,
      {
        hint:
          near && OF_TESTS.includes(near) ? `${hint} only the options of patchgate/testing have it` : hint,
      },
    );
  }
}

/**
 * A misspelt variable would be silently without effect: near misses are refused, others may be someone else's.
 *
 * @throws PatchgateError `bad-config`
 */
export function checkVariables(env: Readonly<Record<string, unknown>>): void {
  const known = [...Object.keys(SETTINGS).map(variableOf), 'PATCHGATE_CONFIG', 'PATCHGATE_URL'];
  const bare = (name: string) => name.slice('PATCHGATE_'.length);
  for (const name of EXTRAS) {
    if (!env[variableOf(name)]) continue;
    throw new PatchgateError('bad-config', `there is no environment variable ${variableOf(name)}`, {
      hint: `only a config file has ${name}`,
    });
  }
  for (const [name, instead] of Object.entries(GONE)) {
    if (!env[variableOf(name)]) continue;
    throw new PatchgateError('bad-config', `there is no environment variable ${variableOf(name)} any more`, {
      hint: instead,
    });
  }
  for (const variable of Object.keys(env)) {
    if (!variable.startsWith('PATCHGATE_') || known.includes(variable)) continue;
    const near = nearest(bare(variable), known.map(bare));
    if (near) {
      throw new PatchgateError('bad-config', `unknown environment variable ${variable}`, {
        hint: `did you mean PATCHGATE_${near}?`,
      });
    }
  }
}
