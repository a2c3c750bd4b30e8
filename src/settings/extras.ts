import type { Rule } from '../model/rule.ts';
import type { SeverityOverride } from '../model/severity-override.ts';
import { placed, type Source } from '../schemas/check.ts';
import type { UserConfig } from './define-config.ts';
import { filePatterns, pathCompiler } from './globs.ts';

/** Where settings come from. */
export interface ConfigSource extends Source {
  /** Absolute; file patterns start from it. */
  folder: string;
}

/** What a config file says beside the settings of the table: no flag and no variable could. */
export interface Extras {
  /** Severities by rule, for some files or paths or for all. */
  overrides: SeverityOverride[];
  /** Rules of one's own, by operation. */
  customRules: Record<string, Rule[]>;
  /** What is meant by a JSON Pointer in all this, and where it stands, for messages: `overrides[0].rules["x.y"] in patchgate.config.json:4:5`. */
  placeOf(pointer: string): string;
}

export type ExtraName = Exclude<keyof Extras, 'placeOf'>;

export const EXTRAS: readonly ExtraName[] = ['overrides', 'customRules'];

/**
 * The extras among the values of a config file, or of a program's settings. Whether there are such rules and operations, only the
 * gate knows.
 *
 * @param values as the schema has them
 */
export async function extrasOf(
  values: Readonly<Record<string, unknown>>,
  source: ConfigSource,
): Promise<Extras> {
  const { overrides, customRules } = values as UserConfig;
  const { folder } = source;
  return {
    overrides: await Promise.all(
      (overrides ?? []).map(async ({ files, paths, rules }) => ({
        ...(files && { ofFile: await filePatterns([files].flat(), folder) }),
        ...(paths && { paths: { globs: [paths].flat(), compile: await pathCompiler() } }),
        rules,
      })),
    ),
    customRules: { ...customRules } as Record<string, Rule[]>,
    // Of a severity, what is wrong is the name that it is given for.
    placeOf: (pointer) =>
      placed(source, pointer, /^\/overrides\/\d+\/rules\//.test(pointer) ? pointer : undefined),
  };
}
