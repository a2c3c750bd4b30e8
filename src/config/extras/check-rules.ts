import { PatchgateError } from '../../errors.ts';
import type { SeveritySetting } from '../../model/finding.ts';
import { isObject } from '../../model/json.ts';

/** Severities by rule name. Whether there are such rules, only the gate knows. @throws PatchgateError `bad-config` */
export function checkRules(given: unknown, what: string): Record<string, SeveritySetting> {
  if (given === undefined) return {};
  if (!isObject(given)) {
    throw new PatchgateError('bad-config', `${what} must be an object of rule names and severities`);
  }
  for (const [name, severity] of Object.entries(given)) {
    if (severity !== 'error' && severity !== 'warn' && severity !== 'off') {
      throw new PatchgateError(
        'bad-config',
        `${what}: ${JSON.stringify(name)} is ${JSON.stringify(severity)}`,
        {
          hint: 'a severity is one of: error, warn, off',
        },
      );
    }
  }
  return given as Record<string, SeveritySetting>;
}
