import { isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { type PatternNode, patternsBelow } from '../../json/pointer-pattern.ts';
import { sameText } from '../matching/same-text.ts';
import { shownJson } from '../matching/shown-value.ts';
import { REDACTED } from '../redaction/redacted.ts';
import type { Redaction } from '../redaction/redaction.ts';
import { differentParts } from './different-parts.ts';
import type { Drifts, Tokens } from './drifts.ts';
import { pairItems } from './pair-items.ts';

/** What a comparison goes by, where it is in the two bodies. */
interface Patterns {
  ignored: PatternNode | undefined;
  sets: PatternNode | undefined;
}

/**
 * Compares a live body with the recorded one, pointer by pointer. Both are redacted in the same way; a placeholder in the recorded
 * one stands for any value.
 */
export function compareJson(
  recorded: JsonValue,
  live: JsonValue,
  patterns: Patterns,
  redaction: Redaction,
  drifts: Drifts,
): void {
  compare([], recorded, live, patterns);

  function compare(tokens: Tokens, before: JsonValue, now: JsonValue, at: Patterns): void {
    if (at.ignored?.isMeant || before === now || before === REDACTED) return;
    const [was, is] = [typeOf(before), typeOf(now)];
    if (was !== is) {
      drifts.add(
        'drift.type-changed',
        'body',
        tokens,
        () => `${named(tokens)} is ${is}, recorded as ${was}: live ${shown(now)}, recorded ${shown(before)}`,
      );
    } else if (Array.isArray(before)) compareItems(tokens, before, now as JsonValue[], at);
    else if (isObject(before)) compareMembers(tokens, before, now as JsonObject, at);
    else if (typeof before === 'string') compareTexts(tokens, before, now as string);
    else drifts.add('drift.value-changed', 'body', tokens, () => changed(tokens, before, now));
  }

  function compareTexts(tokens: Tokens, before: string, now: string): void {
    if (sameText(before, now)) return;
    drifts.add('drift.value-changed', 'body', tokens, () => {
      const [was, is] = differentParts(before, now);
      return changed(tokens, was, is);
    });
  }

  function changed(tokens: Tokens, before: JsonValue, now: JsonValue): string {
    return `${named(tokens)} is ${shown(now)}, recorded ${shown(before)}`;
  }

  function compareMembers(tokens: Tokens, before: JsonObject, now: JsonObject, at: Patterns): void {
    for (const name of Object.keys(before)) {
      const below = patternsAt(at, name);
      const value = before[name] as JsonValue;
      if (Object.hasOwn(now, name)) compare([...tokens, name], value, now[name] as JsonValue, below);
      else if (isCompared(name, below)) {
        drifts.add(
          'drift.removed',
          'body',
          [...tokens, name],
          () => `${named([name])} is gone, recorded ${shown(value)}`,
        );
      }
    }
    for (const name of Object.keys(now)) {
      if (Object.hasOwn(before, name) || !isCompared(name, patternsAt(at, name))) continue;
      drifts.add(
        'drift.added',
        'body',
        [...tokens, name],
        () => `${named([name])} is new: live ${shown(now[name] as JsonValue)}`,
      );
    }
  }

  function compareItems(tokens: Tokens, before: JsonValue[], now: JsonValue[], at: Patterns): void {
    const { pairs, gone, come, isReordered } = pairItems(before, now, at.sets);
    for (const [was, is] of pairs) {
      compare([...tokens, was], before[was] as JsonValue, now[is] as JsonValue, patternsAt(at, was));
    }
    const isIgnored = (index: number) => patternsAt(at, index).ignored?.isMeant;
    const lost = gone.filter((index) => !isIgnored(index));
    const won = come.filter((index) => !isIgnored(index));
    if (lost.length + won.length > 0) {
      drifts.add('drift.items', 'body', tokens, () => {
        const said = [
          ...(lost.length > 0 ? [`${lost.length} gone ${first(before, lost)}`] : []),
          ...(won.length > 0 ? [`${won.length} new ${first(now, won)}`] : []),
        ];
        return `${named(tokens)} has ${now.length} ${now.length === 1 ? 'item' : 'items'}, recorded ${before.length}: ${said.join(', ')}`;
      });
    }
    if (isReordered)
      drifts.add(
        'drift.value-changed',
        'body',
        tokens,
        () => `${named(tokens)} has its items in another order`,
      );
  }

  function first(items: readonly JsonValue[], [index = 0, ...others]: readonly number[]): string {
    return `(${shown(items[index])}${others.length > 0 ? ', …' : ''})`;
  }

  function shown(value: JsonValue | undefined): string {
    return value === undefined ? '' : shownJson(value, redaction);
  }
}

/** A name with a placeholder in it may be any. */
function isCompared(name: string, { ignored }: Patterns): boolean {
  return !ignored?.isMeant && !name.includes(REDACTED);
}

function patternsAt({ ignored, sets }: Patterns, token: string | number): Patterns {
  return {
    ignored: ignored && patternsBelow(ignored, token),
    sets: sets && patternsBelow(sets, token),
  };
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Of a name, as much as is read. */
const LONGEST_NAME = 100;

function named(tokens: Tokens): string {
  const last = tokens.at(-1);
  if (last === undefined) return 'the body';
  return typeof last === 'number' ? `item ${last}` : JSON.stringify(last.slice(0, LONGEST_NAME));
}
