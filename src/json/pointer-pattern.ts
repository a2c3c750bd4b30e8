import type { JsonValue } from './json.ts';
import { tokensOf } from './pointer.ts';

/**
 * What patterns of JSON Pointers say of one place and those below. In `/environments/0/*`, `*` is any one member or item; `""` is the
 * whole body.
 */
export interface PatternNode {
  /** Whether a pattern ends here. */
  readonly matches: boolean;
  /** The tokens that the patterns have below this place. */
  readonly rests: readonly (readonly string[])[];
}

/** Of patterns, each written as a pointer is; undefined if there are none. */
export function patternTree(patterns: readonly string[]): PatternNode | undefined {
  return nodeOf(patterns.map(tokensOf));
}

function nodeOf(rests: readonly (readonly string[])[]): PatternNode | undefined {
  return rests.length === 0 ? undefined : { matches: rests.some((rest) => rest.length === 0), rests };
}

/** What the patterns say of a member or item; undefined: nothing, nor of anything below. */
export function patternsBelow({ rests }: PatternNode, token: string | number): PatternNode | undefined {
  const fitting = rests.filter(([first]) => first === '*' || first === String(token));
  return nodeOf(fitting.map((rest) => rest.slice(1)));
}

/** Whether one of the patterns means the place with these tokens, or a place above it. */
export function matchesPattern(node: PatternNode | undefined, tokens: readonly (string | number)[]): boolean {
  let at = node;
  for (const token of tokens) {
    if (at === undefined || at.matches) break;
    at = patternsBelow(at, token);
  }
  return at?.matches ?? false;
}

/** A copy of a value without the places that are meant. The whole: undefined. */
export function withoutMatches(value: JsonValue, node: PatternNode): JsonValue | undefined {
  if (node.matches) return undefined;
  if (typeof value !== 'object' || value === null) return value;
  const kept: [string, JsonValue][] = [];
  for (const [token, item] of Object.entries(value)) {
    const below = patternsBelow(node, token);
    const rest = below ? withoutMatches(item, below) : item;
    if (rest !== undefined) kept.push([token, rest]);
  }
  return Array.isArray(value) ? kept.map(([, item]) => item) : Object.fromEntries(kept);
}
