import type { JsonObject, JsonValue } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import { type PatternNode, patternsBelow } from '../../json/pointer-pattern.ts';
import { isCodeName, redactPlain, redactText, SHORTEST } from './redact-text.ts';
import { REDACTED } from './redacted.ts';
import type { OnFound, Redaction } from './redaction.ts';
import { isHarmless } from './secret-names.ts';

/** Members that say what the `value` beside them is called. */
const NAMING = ['name', 'key', 'Name', 'Key'];

/** A JSON value, copied only as far as something in it changes. */
export function redactJson(value: JsonValue, redaction: Redaction, onFound?: OnFound): JsonValue {
  const { members, patterns, texts } = redaction;
  const shortest = patterns.length > 0 ? 1 : SHORTEST;
  const hidesNumbers = patterns.length > 0 || texts.length > 0;
  /** Of the place that is looked at. */
  const tokens: (string | number)[] = [];
  const place = () => redactText(pointerOf(tokens), redaction);
  return clean(value, redaction.pointers);

  function clean(value: JsonValue, node: PatternNode | undefined): JsonValue {
    if (node?.matches) return hidden(value, () => `the pointer ${place()}`);
    if (typeof value === 'string') return value.length < shortest ? value : cleanText(value);
    if (typeof value === 'number') return hidesNumbers && isSecretNumber(String(value)) ? REDACTED : value;
    if (typeof value !== 'object' || value === null) return value;
    return Array.isArray(value) ? cleanList(value, node) : cleanObject(value, node);
  }

  function hidden(value: JsonValue, what: () => string): string {
    if (value !== REDACTED) onFound?.({ what: what(), place: place(), isDetected: false, value });
    return REDACTED;
  }

  function cleanText(text: string): string {
    if (!redaction.mayBeIn(text)) return text;
    const name = tokens.at(-1);
    const redact = typeof name === 'string' && isCodeName(name) ? redactPlain : redactText;
    return redact(text, redaction, place(), onFound);
  }

  /** One that matches as a whole or in part: there is no placeholder for some digits. */
  function isSecretNumber(text: string): boolean {
    return (
      texts.includes(text) || patterns.some((pattern) => text.match(pattern)?.some((part) => part !== ''))
    );
  }

  /** The name by which the value of a member is a secret. */
  function secretName(name: string, value: JsonValue, beside: JsonObject): string | undefined {
    if (members.has(name)) return isHarmless(name, value) ? undefined : name;
    if (name === 'value' || name === 'Value') {
      // As lists of variables and headers have it: `{"name": "DB_PASSWORD", "value": "x"}`.
      const called = NAMING.map((naming) => beside[naming]).find((text) => typeof text === 'string');
      return called !== undefined && members.has(called) && !isHarmless(called, value) ? called : undefined;
    }
    // What OAuth has in exchange for a token.
    const isGrant = name === 'code' && (beside.grant_type ?? beside.redirect_uri) !== undefined;
    return isGrant && !members.isTakenBack(name) ? name : undefined;
  }

  function cleanList(list: JsonValue[], node: PatternNode | undefined): JsonValue {
    let copy: JsonValue[] | undefined;
    for (let i = 0; i < list.length; i++) {
      const item = list[i] as JsonValue;
      tokens.push(i);
      const changed = clean(item, node && patternsBelow(node, i));
      tokens.pop();
      if (changed === item) continue;
      copy ??= list.slice();
      copy[i] = changed;
    }
    return copy ?? list;
  }

  function cleanObject(object: JsonObject, node: PatternNode | undefined): JsonValue {
    let copy: JsonObject | undefined;
    let renamed: Map<string, string> | undefined;
    for (const name in object) {
      const item = object[name] as JsonValue;
      tokens.push(name);
      const secret = secretName(name, item, object);
      const changed =
        secret === undefined
          ? clean(item, node && patternsBelow(node, name))
          : hidden(item, () => `the name "${secret}"`);
      // A name can be a secret itself.
      const cleanName = name.length < shortest ? name : cleanText(name);
      tokens.pop();
      if (changed !== item) {
        copy ??= { ...object };
        copy[name] = changed;
      }
      if (cleanName !== name) renamed = (renamed ?? new Map()).set(name, cleanName);
    }
    if (!renamed) return copy ?? object;
    const entries = Object.entries(copy ?? object);
    return Object.fromEntries(entries.map(([name, item]) => [renamed.get(name) ?? name, item]));
  }
}
