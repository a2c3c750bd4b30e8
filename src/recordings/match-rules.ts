import { PatchgateError } from '../errors.ts';
import { isPointer } from '../json/pointer.ts';
import { type PatternNode, patternTree } from '../json/pointer-pattern.ts';
import type { NormalizeRequest } from '../model/normalize-request.ts';
import { DEFAULT_REDACTION, type Redaction } from './redact/redaction.ts';

/** The settings that say which requests are the same, as `Config` has them. */
export interface MatchSettings {
  /** Names of headers that must be equal too, in any letter case. */
  matchHeaders: readonly string[];
  /** Patterns of places that are taken out of both bodies. `""`: no body counts. */
  ignorePointers: readonly string[];
  /** Names of parameters that are taken out of both queries. */
  ignoreQuery: readonly string[];
  /** Comes before all others. */
  normalizeRequest: NormalizeRequest | undefined;
}

/** When a request that is sent is a recorded one: the settings, made ready once. They hold for both alike. */
export interface MatchRules {
  /** In lower case: what the recorder keeps besides. */
  headers: ReadonlySet<string>;
  ignored: PatternNode | undefined;
  ignoredQuery: ReadonlySet<string>;
  normalize: NormalizeRequest | undefined;
  /** What recorded requests went through, and what is shown goes through. */
  redaction: Redaction;
  /** What they were made of, less the function: to make them again in another thread. */
  settings: Omit<Partial<MatchSettings>, 'normalizeRequest'>;
  /** Requests of a method and path with equal bytes of query and body always match. */
  isByBytes: boolean;
}

/** @throws PatchgateError `bad-config` for a pattern that is none */
export function matchRules(
  settings: Partial<MatchSettings> = {},
  redaction: Redaction = DEFAULT_REDACTION,
): MatchRules {
  const { matchHeaders = [], ignoreQuery = [], ignorePointers = [], normalizeRequest: normalize } = settings;
  const ignored = treeOf('ignorePointers', ignorePointers);
  return {
    headers: new Set(matchHeaders.map((name) => name.toLowerCase()).sort()),
    ignored,
    ignoredQuery: new Set(ignoreQuery),
    normalize,
    redaction,
    settings: { matchHeaders, ignoreQuery, ignorePointers },
    isByBytes: matchHeaders.length === 0 && normalize === undefined,
  };
}

/** Method, path, query and body: what counts where no setting says more. */
export const DEFAULT_RULES: MatchRules = matchRules();

function treeOf(setting: string, patterns: readonly string[]): PatternNode | undefined {
  const wrong = patterns.find((pattern) => !isPointer(pattern));
  if (wrong === undefined) return patternTree(patterns);
  throw new PatchgateError('bad-config', `${setting}: ${JSON.stringify(wrong)} is no JSON Pointer`, {
    hint: 'begin it with a slash, and write * for any one member or item: /environments/*/id',
  });
}
