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
  return new Walk(redaction, onFound).clean(value, redaction.pointers);
}

class Walk {
  readonly #redaction: Redaction;
  readonly #onFound: OnFound | undefined;
  /** Of the place that is looked at. */
  readonly #tokens: (string | number)[] = [];
  readonly #shortest: number;

  constructor(redaction: Redaction, onFound: OnFound | undefined) {
    this.#redaction = redaction;
    this.#onFound = onFound;
    this.#shortest = redaction.patterns.length > 0 ? 1 : SHORTEST;
  }

  clean(value: JsonValue, node: PatternNode | undefined): JsonValue {
    if (node?.matches) return this.#hidden(value, `the pointer ${this.#place}`);
    if (typeof value === 'string') return value.length < this.#shortest ? value : this.#text(value);
    if (typeof value === 'number') return this.#number(value);
    if (typeof value !== 'object' || value === null) return value;
    return Array.isArray(value) ? this.#list(value, node) : this.#object(value, node);
  }

  get #place(): string {
    return redactText(pointerOf(this.#tokens), this.#redaction);
  }

  #hidden(value: JsonValue, what: string): string {
    if (value !== REDACTED) this.#onFound?.({ what, place: this.#place, isDetected: false, value });
    return REDACTED;
  }

  #text(text: string): string {
    const { mayBeIn } = this.#redaction;
    const name = this.#tokens.at(-1);
    if (!mayBeIn(text)) return text;
    return typeof name === 'string' && isCodeName(name)
      ? redactPlain(text, this.#redaction, this.#place, this.#onFound)
      : redactText(text, this.#redaction, this.#place, this.#onFound);
  }

  /** One that matches as a whole or in part: there is no placeholder for some digits. */
  #number(value: number): JsonValue {
    const { patterns, texts } = this.#redaction;
    if (patterns.length === 0 && texts.length === 0) return value;
    const text = String(value);
    return texts.includes(text) || patterns.some((pattern) => (text.match(pattern)?.join('') ?? '') !== '')
      ? REDACTED
      : value;
  }

  /** The name by which the value of a member is a secret. */
  #secretName(name: string, value: JsonValue, beside: JsonObject): string | undefined {
    const { members } = this.#redaction;
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

  #list(list: JsonValue[], node: PatternNode | undefined): JsonValue {
    let copy: JsonValue[] | undefined;
    for (let i = 0; i < list.length; i++) {
      const item = list[i] as JsonValue;
      this.#tokens.push(i);
      const clean = this.clean(item, node && patternsBelow(node, i));
      this.#tokens.pop();
      if (clean !== item) {
        copy ??= list.slice();
        copy[i] = clean;
      }
    }
    return copy ?? list;
  }

  #object(object: JsonObject, node: PatternNode | undefined): JsonValue {
    let copy: JsonObject | undefined;
    let renamed: Map<string, string> | undefined;
    for (const name in object) {
      const item = object[name] as JsonValue;
      this.#tokens.push(name);
      const secretName = this.#secretName(name, item, object);
      const clean =
        secretName === undefined
          ? this.clean(item, node && patternsBelow(node, name))
          : this.#hidden(item, `the name "${secretName}"`);
      // A name can be a secret itself.
      const cleanName = name.length < this.#shortest ? name : this.#text(name);
      this.#tokens.pop();
      if (clean !== item) {
        copy ??= { ...object };
        copy[name] = clean;
      }
      if (cleanName !== name) renamed = (renamed ?? new Map()).set(name, cleanName);
    }
    if (!renamed) return copy ?? object;
    const entries = Object.entries(copy ?? object);
    return Object.fromEntries(entries.map(([name, item]) => [renamed.get(name) ?? name, item]));
  }
}
