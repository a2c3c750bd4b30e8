import { isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { skipSpace } from '../../json/json-lexer.ts';
import { skipString } from '../../json/json-text.ts';
import { pointerOf } from '../../json/pointer.ts';
import { type PatternNode, patternsBelow } from '../../json/pointer-pattern.ts';
import { isDeeperThan, MAX_JSON_DEPTH } from '../body.ts';
import { isCodeName } from './code.ts';
import { endOfJson } from './json-span.ts';
import { isHarmless, isOpenSecret, wordsOf } from './names.ts';
import { redactPlain, SHORTEST } from './redact-plain.ts';
import { isRedacted, REDACTED, SplicedText } from './redacted.ts';
import type { FoundSecret, OnFound, Redaction } from './redaction.ts';
import { mayHoldSecret } from './shapes.ts';

/** Members that say what the `value` beside them is called. */
const NAMING = ['name', 'key', 'Name', 'Key', 'header', 'field'];
/** Names of what only identifies. */
const ID = /(?:^|-)(?:ids?|etag|hash|digest|checksum|cursor|ref|sha|uuid|integrity|fingerprint)$/;

/** Redacts a text of any kind: one that a string holds. */
export type RedactString = (text: string, redaction: Redaction, place: string, onFound?: OnFound) => string;

/** A JSON value, copied only as far as something in it changes. */
export function redactValue(
  value: JsonValue,
  redaction: Redaction,
  redactText: RedactString,
  onFound?: OnFound,
): JsonValue {
  const { members, patterns, texts } = redaction;
  const shortest = patterns.length > 0 ? 1 : SHORTEST;
  const hidesNumbers = patterns.length > 0 || texts.length > 0;
  /** Of the place that is looked at. */
  const tokens: (string | number)[] = [];
  const place = () => redactPlain(pointerOf(tokens), redaction, '');
  const found = onFound && ((one: FoundSecret) => onFound({ ...one, place: place() }));
  return clean(value, redaction.pointers);

  function clean(value: JsonValue, node: PatternNode | undefined): JsonValue {
    if (node?.matches) return hidden(value, () => `the pointer ${place()}`);
    if (typeof value === 'string') return value.length < shortest ? value : cleanText(value, tokens.at(-1));
    if (typeof value === 'number') return hidesNumbers && isSecretNumber(String(value)) ? REDACTED : value;
    if (typeof value !== 'object' || value === null) return value;
    return Array.isArray(value) ? cleanList(value, node) : cleanObject(value, node);
  }

  function hidden(value: JsonValue, what: () => string): JsonValue {
    if (typeof value === 'string' && isRedacted(value)) return value;
    onFound?.({ what: what(), place: place(), isDetected: false, value });
    return REDACTED;
  }

  function cleanText(text: string, name: string | number | undefined): string {
    if (typeof name !== 'string') return redactText(text, redaction, 'body', found);
    if (isId(name, text)) return text;
    const redact = isCodeName(name) ? redactPlain : redactText;
    return redact(text, redaction, 'body', found);
  }

  /** An id has the shape of a token. */
  function isId(name: string, text: string): boolean {
    return (
      /^[\w.:=/+-]+$/.test(text) &&
      texts.length + patterns.length === 0 &&
      ID.test(wordsOf(name)) &&
      !/^(?:eyJ|A[KSI][A-Zz]a?|gh[pousr]_|sk[_-])/.test(text)
    );
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
    if (members.mayHave(name) && isOpenSecret(name, value)) return name;
    if (name === 'value' || name === 'Value') {
      const called = nameBeside(beside);
      return called !== undefined && members.has(called) && !isHarmless(called, value) ? called : undefined;
    }
    // What OAuth has in exchange for a token.
    return name === 'code' && !members.keeps(name) && (beside.grant_type ?? beside.redirect_uri) !== undefined
      ? name
      : undefined;
  }

  function cleanList(list: JsonValue[], node: PatternNode | undefined): JsonValue {
    let copy: JsonValue[] | undefined;
    const called = nameOfPair(list);
    for (let i = 0; i < list.length; i++) {
      const item = list[i] as JsonValue;
      tokens.push(i);
      const changed =
        i === 1 && called !== undefined
          ? hidden(item, () => `the name "${called}"`)
          : clean(item, node && patternsBelow(node, i));
      tokens.pop();
      if (changed === item) continue;
      copy ??= list.slice();
      copy[i] = changed;
    }
    return copy ?? list;
  }

  /** `["password", "x"]`, as lists of headers and fields have it. */
  function nameOfPair(list: JsonValue[]): string | undefined {
    const [name, value] = list;
    if (list.length !== 2 || typeof name !== 'string' || typeof value !== 'string') return undefined;
    return typeof tokens.at(-1) === 'number' && members.has(name) && !members.has(value) ? name : undefined;
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
      const cleanName = name.length < shortest ? name : redactPlain(name, redaction, 'body', found);
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

/** `{"name": "DB_PASSWORD", "value": "x"}`; the last token of a JSON Patch's `path`. */
function nameBeside(object: JsonObject): string | undefined {
  const { op, path } = object;
  if (typeof op === 'string' && typeof path === 'string') return path.slice(path.lastIndexOf('/') + 1);
  return NAMING.map((naming) => object[naming]).find((text) => typeof text === 'string');
}

const JSON_BEGIN = /^\s*[[{"]/;
const JSON_LINE = /^[ \t]*(?:data:[ \t]?)?[[{]/m;
const BEFORE_JSON = /^\s*(?:data:\s?)?/;

/** JSON in a text: one document, or one a line, as events have it. Undefined: it is none. */
export function redactJsonText(
  text: string,
  redaction: Redaction,
  redactText: RedactString,
  place: string,
  onFound?: OnFound,
): string | undefined {
  if (JSON_BEGIN.test(text)) {
    const value = parse(text);
    if (value !== undefined) return redactDocument(text, value, redaction, redactText, place, onFound);
  }
  if (!text.includes('\n') || !JSON_LINE.test(text)) return undefined;
  let isJson = false;
  const lines = text.split('\n').map((line) => {
    const before = BEFORE_JSON.exec(line)?.[0] ?? '';
    const json = line.slice(before.length).trimEnd();
    const value = /^[[{]/.test(json) ? parse(json) : undefined;
    if (value === undefined) return redactText(line, redaction, place, onFound);
    isJson = true;
    const clean = redactDocument(json, value, redaction, redactText, place, onFound);
    return before + clean + line.slice(before.length + json.length);
  });
  return isJson ? lines.join('\n') : undefined;
}

/** Each string of it is no text of its own to look for shapes in if the whole holds none. */
function redactDocument(
  text: string,
  value: JsonValue,
  redaction: Redaction,
  redactText: RedactString,
  place: string,
  onFound?: OnFound,
): string {
  const detects = redaction.detects && (text.includes('\\u') || mayHoldSecret(text));
  const within = detects === redaction.detects ? redaction : { ...redaction, detects };
  if (typeof value === 'string') {
    const clean = redactText(value, within, place, onFound);
    return clean === value ? text : JSON.stringify(clean);
  }
  const clean = redactValue(value, within, redactText, onFound);
  if (clean === value) return text;
  return splicedJson(text, value, clean);
}

/** The text with the values that differ replaced, all else as it was written: numbers, spaces, members that come twice. */
function splicedJson(text: string, before: JsonValue, after: JsonValue): string {
  const spliced = new SplicedText(text);
  splice(skipSpace(text, 0), before, after);
  return spliced.toString();

  /** @returns the offset behind the value that starts here */
  function splice(start: number, was: Value, is: Value): number {
    if (isObject(was) && isObject(is) && text[start] === '{') return spliceMembers(start, was, is);
    if (Array.isArray(was) && Array.isArray(is) && text[start] === '[') return spliceItems(start, was, is);
    const end = endOfJson(text, start);
    if (was !== is) spliced.replace(start, end, JSON.stringify(is));
    return end;
  }

  function spliceMembers(start: number, was: JsonObject, is: JsonObject): number {
    const names = Object.keys(was);
    const newNames = Object.keys(is);
    let at = skipSpace(text, start + 1);
    while (text[at] === '"') {
      const end = skipString(text, at);
      const name = JSON.parse(text.slice(at, end)) as string;
      const newName = Object.hasOwn(is, name) ? name : (newNames[names.indexOf(name)] ?? REDACTED);
      if (newName !== name) spliced.replace(at, end, JSON.stringify(newName));
      at = splice(skipSpace(text, skipSpace(text, end) + 1), was[name], is[newName]);
      at = skipSpace(text, at);
      if (text[at] === ',') at = skipSpace(text, at + 1);
    }
    return at + 1;
  }

  function spliceItems(start: number, was: JsonValue[], is: JsonValue[]): number {
    let at = skipSpace(text, start + 1);
    for (let i = 0; i < was.length; i++) {
      at = skipSpace(text, splice(at, was[i], is[i]));
      if (text[at] === ',') at = skipSpace(text, at + 1);
    }
    return at + 1;
  }
}

type Value = JsonValue | undefined;

/** An object, a list, or a string that holds one. */
function parse(text: string): JsonValue | undefined {
  // An exception takes longer than a look at the end.
  if (!/[\]}"]\s{0,64}$/.test(text.slice(-65))) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    if (typeof value === 'string') return JSON_BEGIN.test(value) ? value : undefined;
    const isJson = typeof value === 'object' && value !== null && !isDeeperThan(MAX_JSON_DEPTH, value);
    return isJson ? value : undefined;
  } catch {
    return undefined;
  }
}
