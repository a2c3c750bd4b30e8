import { PatchgateError } from '../errors.ts';
import type { SeveritySetting } from '../model/finding.ts';
import type { NormalizeRequest } from '../model/normalize-request.ts';
import type { Rule } from '../model/rule.ts';
import type { SeverityOverride } from '../model/severity-override.ts';
import { type BodyMapping, checkBodies } from './extras/check-bodies.ts';
import { checkCustomRules } from './extras/check-custom-rules.ts';
import { checkOverrides } from './extras/check-overrides.ts';
import { checkRules } from './extras/check-rules.ts';
import { checkSuppressions, type Suppression } from './extras/check-suppressions.ts';
import { type ExtraSource, placed } from './extras/source.ts';

/** What a config file says beside the settings of the table: no flag and no variable could. */
export interface Extras {
  /** Severities by rule name. */
  rules: Record<string, SeveritySetting>;
  /** Severities for some files or paths alone. */
  overrides: SeverityOverride[];
  /** What the bodies of some files are judged as. */
  bodies: BodyMapping[];
  /** Findings that do not count. */
  suppressions: Suppression[];
  /** Rules of one's own, by operation. */
  customRules: Record<string, Rule[]>;
  /** Gives a request, recorded or sent, the form in which both are compared. */
  normalizeRequest: NormalizeRequest | undefined;
  /** What is meant by a JSON Pointer in all this, and where it stands, for messages: `rules["x.y"] in patchgate.config.json:4:5`. */
  placeOf(pointer: string): string;
}

export type ExtraName = Exclude<keyof Extras, 'placeOf'>;

export const EXTRAS: readonly ExtraName[] = [
  'rules',
  'overrides',
  'bodies',
  'suppressions',
  'customRules',
  'normalizeRequest',
];

/** @param given the values of a config file, or of a program's settings. @throws PatchgateError `bad-config`, naming the place */
export async function checkExtras(
  given: Readonly<Record<string, unknown>>,
  source: ExtraSource,
): Promise<Extras> {
  return {
    rules: checkRules(given.rules, source),
    overrides: await checkOverrides(given.overrides, source),
    bodies: await checkBodies(given.bodies, source),
    suppressions: await checkSuppressions(given.suppressions, source),
    customRules: checkCustomRules(given.customRules, source),
    normalizeRequest: checkFunction(given.normalizeRequest, source),
    placeOf: (pointer) => placed(pointer, source, isOfRules(pointer) ? 'name' : 'value'),
  };
}

/** Of a severity, what is wrong is the name that it is given for. */
function isOfRules(pointer: string): boolean {
  return /^\/(?:overrides\/\d+\/)?rules\//.test(pointer);
}

function checkFunction(given: unknown, source: ExtraSource): NormalizeRequest | undefined {
  if (given === undefined || typeof given === 'function') return given as NormalizeRequest | undefined;
  throw new PatchgateError('bad-config', `${placed('/normalizeRequest', source)} is no function`, {
    hint: 'write a function in patchgate.config.mjs: normalizeRequest(request) { …; return request; }',
  });
}
