import { PatchgateError } from '../../errors.ts';
import { isObject } from '../../json/json.ts';
import { escapeToken } from '../../json/pointer.ts';
import type { SeveritySetting } from '../../model/finding.ts';
import { nearest } from '../../model/nearest.ts';
import { shownValue } from '../shown-value.ts';
import { type ExtraSource, placed } from './source.ts';

export const SEVERITIES: readonly SeveritySetting[] = ['error', 'warn', 'off'];

/**
 * Severities by rule name. Whether there are such rules, only the gate knows.
 *
 * @param pointer where in the config they stand: `/overrides/0/rules`
 * @throws PatchgateError `bad-config`, naming the place
 */
export function checkRules(
  given: unknown,
  source: ExtraSource,
  pointer = '/rules',
): Record<string, SeveritySetting> {
  if (given === undefined) return {};
  if (!isObject(given)) {
    throw new PatchgateError(
      'bad-config',
      `${placed(pointer, source)} must be an object of rule names and severities`,
      { hint: '{ "schema.unknown-field": "error" }' },
    );
  }
  for (const [name, severity] of Object.entries(given)) {
    if (SEVERITIES.includes(severity as SeveritySetting)) continue;
    const near = typeof severity === 'string' ? nearest(severity, SEVERITIES) : undefined;
    throw new PatchgateError(
      'bad-config',
      `${placed(`${pointer}/${escapeToken(name)}`, source)}: ${shownValue(severity)} is not taken`,
      { hint: `a severity is one of: ${SEVERITIES.join(', ')}${near ? `; did you mean "${near}"?` : ''}` },
    );
  }
  return given as Record<string, SeveritySetting>;
}
