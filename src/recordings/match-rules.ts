import { PatchgateError } from '../errors.ts';
import { isPointer } from '../json/pointer.ts';
import { type PatternNode, patternTree } from '../json/pointer-pattern.ts';
import { DEFAULT_REDACTION, type Redaction } from './redact/redaction.ts';

/** The settings that say which requests are the same, as `Config` has them. */
export interface MatchSettings {
  /** Names of headers that must be equal too, in any letter case. */
  matchHeaders: readonly string[];
  /** Patterns of places that are taken out of both bodies. `""`: no body counts. */
  ignorePointers: readonly string[];
  /** Names of parameters that are taken out of both queries. */
  ignoreQuery: readonly string[];
}

/** When a request that is sent is a recorded one: the settings, made ready once. */
export interface MatchRules {
  /** In lower case: the recorder keeps these, too. */
  headers: ReadonlySet<string>;
  ignored: PatternNode | undefined;
  ignoredQuery: ReadonlySet<string>;
  /** That of recorded requests, and of all that is shown. */
  redaction: Redaction;
  /** To make them again in another thread. */
  settings: Partial<MatchSettings>;
}

/** @throws PatchgateError `bad-config` for a pattern that is none */
export function matchRules(
  { matchHeaders = [], ignoreQuery = [], ignorePointers = [] }: Partial<MatchSettings> = {},
  redaction: Redaction = DEFAULT_REDACTION,
): MatchRules {
  const wrong = ignorePointers.find((pattern) => !isPointer(pattern));
  if (wrong !== undefined)
    throw new PatchgateError('bad-config', `ignorePointers: ${JSON.stringify(wrong)} is no JSON Pointer`, {
      hint: 'begin it with a slash, and write * for any one member or item: /environments/*/id',
    });
  return {
    headers: new Set(matchHeaders.map((name) => name.toLowerCase()).sort()),
    ignored: patternTree(ignorePointers),
    ignoredQuery: new Set(ignoreQuery),
    redaction,
    settings: { matchHeaders, ignoreQuery, ignorePointers },
  };
}

/** Without a setting, query and body count. */
export const DEFAULT_RULES: MatchRules = matchRules();
