import type { JsonValue } from './json.ts';
import { tokensOf } from './pointer.ts';

/**
 * Patterns of JSON Pointers: in `/environments/0/*`, `*` is any one member or item; `""` is the whole body. Several
 * patterns are one tree, so that a value is walked once for all of them.
 */
export interface PatternNode {
  /** Whether a pattern ends here. */
  readonly matches: boolean;
  readonly named: ReadonlyMap<string, PatternNode>;
  /** For the members that are not among the named ones. */
  readonly others: PatternNode | undefined;
}

/** The tree of patterns, each written as a pointer is; undefined where there are none. */
export function patternTree(patterns: readonly string[]): PatternNode | undefined {
  return patterns.length === 0 ? undefined : nodeOf(patterns.map(tokensOf));
}

/** What the patterns say of a member or item; undefined: nothing, nor of anything below. */
export function patternsBelow(node: PatternNode, token: string | number): PatternNode | undefined {
  if (node.named.size === 0) return node.others;
  return node.named.get(String(token)) ?? node.others;
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

/** A value without the places that are meant, copied only as far as something goes. The whole: undefined. */
export function withoutMatches(value: JsonValue, node: PatternNode): JsonValue | undefined {
  if (node.matches) return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    let copy: JsonValue[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const item = value[i] as JsonValue;
      const below = patternsBelow(node, i);
      const rest = below ? withoutMatches(item, below) : item;
      if (rest !== item) copy ??= value.slice(0, i);
      if (rest !== undefined) copy?.push(rest);
    }
    return copy ?? value;
  }
  let isSame = true;
  const members: [string, JsonValue][] = [];
  for (const name of Object.keys(value)) {
    const item = value[name] as JsonValue;
    const below = patternsBelow(node, name);
    const rest = below ? withoutMatches(item, below) : item;
    if (rest !== item) isSame = false;
    if (rest !== undefined) members.push([name, rest]);
  }
  return isSame ? value : Object.fromEntries(members);
}

function nodeOf(rests: readonly (readonly string[])[]): PatternNode {
  const named = new Map<string, PatternNode>();
  for (const [first] of rests) {
    if (first !== undefined && first !== '*' && !named.has(first)) {
      named.set(first, below(rests, first) as PatternNode);
    }
  }
  return { matches: rests.some((rest) => rest.length === 0), named, others: below(rests, '*') };
}

/** What `*` means holds for the named members too. */
function below(rests: readonly (readonly string[])[], token: string): PatternNode | undefined {
  const next = rests.filter(([first]) => first === token || first === '*').map((rest) => rest.slice(1));
  return next.length === 0 ? undefined : nodeOf(next);
}
