import { PatchgateError } from '../errors.ts';
import { pointerOf } from '../json/pointer.ts';
import type { SeveritySetting } from '../model/finding.ts';
import type { NormalizeRequest } from '../model/normalize-request.ts';
import type { Rule } from '../model/rule.ts';
import type { SeverityOverride } from '../model/severity-override.ts';
import { placed, type Source, shownValue } from '../schemas/check.ts';
import type { UserConfig } from './define-config.ts';
import { type FilePredicate, filePatterns, type PathPredicate, pathCompiler, pathPatterns } from './globs.ts';

/** Where settings come from. */
export interface ConfigSource extends Source {
  /** Absolute; file patterns start from it. */
  folder: string;
}

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

/** What the bodies of some files are judged as, where nothing in them says it: an operation's, or those of a PATCH to a path. */
export interface BodyMapping {
  files: FilePredicate;
  operation?: string;
  path?: string;
  /** For messages: `bodies[1].operation in patchgate.config.json:12:20`. */
  place: string;
}

/** Findings that are not to count, and why. */
export interface Suppression {
  rule: string;
  /** Where: all of those that are given must hold, and one of them is. */
  files?: FilePredicate;
  paths?: PathPredicate;
  /** JSON Pointer of the finding, `*` for any one member or item. */
  pointer?: string;
  reason: string;
  /** The last day on which it holds, in UTC: `2026-12-31`. */
  expires?: string;
  /** For messages: `suppressions[2]`, and `suppressions[2].rule in patchgate.config.json:12:5`. */
  name: string;
  rulePlace: string;
}

/**
 * The extras among the values of a config file, or of a program's settings. Whether there are such rules, operations and paths,
 * only the gate knows.
 *
 * @param values as the schema has them
 * @throws PatchgateError `bad-config`: a day that there is not
 */
export async function extrasOf(
  values: Readonly<Record<string, unknown>>,
  source: ConfigSource,
): Promise<Extras> {
  const { rules, overrides, bodies, suppressions, customRules, normalizeRequest } = values as UserConfig;
  const { folder } = source;
  return {
    rules: { ...rules },
    overrides: await Promise.all(
      (overrides ?? []).map(async ({ files, paths, rules }) => ({
        ...(files && { ofFile: await filePatterns([files].flat(), folder) }),
        ...(paths && { paths: { globs: [paths].flat(), compile: await pathCompiler() } }),
        rules,
      })),
    ),
    bodies: (await Promise.all(
      (bodies ?? []).map(async ({ files, operation, path }, index) => ({
        files: await filePatterns([files].flat(), folder),
        ...(operation === undefined ? { path } : { operation }),
        place: placed(source, pointerOf(['bodies', index, operation === undefined ? 'path' : 'operation'])),
      })),
    )) as BodyMapping[],
    suppressions: await Promise.all(
      (suppressions ?? []).map(async ({ files, paths, ...plain }, index) => ({
        ...(plain as Pick<Suppression, 'rule' | 'reason'>),
        ...(plain.expires !== undefined && { expires: day(plain.expires, source, index) }),
        ...(files && { files: await filePatterns([files].flat(), folder) }),
        ...(paths && { paths: await pathPatterns([paths].flat()) }),
        name: `suppressions[${index}]`,
        rulePlace: placed(source, `/suppressions/${index}/rule`),
      })),
    ),
    customRules: { ...customRules } as Record<string, Rule[]>,
    normalizeRequest,
    // Of a severity, what is wrong is the name that it is given for.
    placeOf: (pointer) =>
      placed(source, pointer, /^\/(?:overrides\/\d+\/)?rules\//.test(pointer) ? pointer : undefined),
  };
}

/** The 30th of February is read as the 2nd of March. */
function day(given: string, source: ConfigSource, index: number): string {
  const time = Date.parse(`${given}T00:00:00Z`);
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(given)) return given;
  const place = placed(source, `/suppressions/${index}/expires`);
  throw new PatchgateError('bad-config', `invalid value ${shownValue(given)} for ${place}`, {
    hint: 'it takes the last day on which it holds: 2026-12-31',
  });
}
