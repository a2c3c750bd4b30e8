import type { JsonValue } from '../../json/json.ts';
import { syntaxErrorOf } from '../../json/json-text.ts';
import { pointerOf } from '../../json/pointer.ts';
import { matchesPattern, type PatternNode } from '../../json/pointer-pattern.ts';
import type { RecordedResponse, StoredHeaders } from '../../model/exchange.ts';
import { bodyBytes, jsonOf } from '../body.ts';
import {
  type CompareArrays,
  compareJson,
  type OnDifference,
  sameBodyText,
  sameText,
} from '../matching/compare-json.ts';
import { cut, shownJson } from '../matching/shown-value.ts';
import { redactHeader, redactText } from '../redaction/redact.ts';
import { REDACTED } from '../redaction/redacted.ts';
import type { Redaction } from '../redaction/redaction.ts';
import type { DriftRule } from './drift-rules.ts';
import { pairItems } from './pair-items.ts';

type Tokens = readonly (string | number)[];

/** One place where a live answer is not the recorded one. What its message quotes is redacted and cut. */
export interface Drift {
  rule: DriftRule;
  /** `status`, `body`, or the header's name after `headers/`. */
  at: 'status' | 'body' | `headers/${string}`;
  /** JSON Pointer in the recorded body; `""` for all of it, and for what is not in it. */
  pointer: string;
  message(): string;
}

/** Of differences that are alike (one rule, one place but for the indexes of items) so many are told one by one. */
const MOST_ALIKE = 3;

/** The differences of one answer: all are counted, and a field that changed in ten thousand items is told in a few lines. */
export class Drifts {
  /** All places that differ. */
  count = 0;
  /** Those that are told, in their order. */
  readonly told: Drift[] = [];
  readonly #alike = new Map<string, number>();

  add(rule: DriftRule, at: Drift['at'], message: () => string, tokens: Tokens = []): void {
    this.count++;
    // `/items/*/price`: the place in whichever item.
    const pattern = pointerOf(tokens.map((token) => (typeof token === 'number' ? '*' : token)));
    const key = `${rule} ${at} ${pattern}`;
    const count = (this.#alike.get(key) ?? 0) + 1;
    this.#alike.set(key, count);
    if (count > MOST_ALIKE) return;
    const whole = () => {
      const further = (this.#alike.get(key) as number) - MOST_ALIKE;
      const isCut = count === MOST_ALIKE && further > 0;
      return isCut ? `${message()}; ${further} more like it at ${pattern}` : message();
    };
    this.told.push({ rule, at, pointer: pointerOf(tokens), message: whole });
  }
}

/** What makes two answers differ. */
export interface DriftRules {
  /** Places in JSON bodies that may be anything. */
  ignored: PatternNode | undefined;
  /** Names in lower case of the headers that count. */
  headers: ReadonlySet<string>;
  redaction: Redaction;
}

/**
 * How a live answer differs from the recorded one. Of an answer with another status nothing else is compared: it is another
 * kind of answer, of which everything differs. Pure.
 *
 * @param recorded redacted as the live one is
 * @param live as a recording would keep it, its body with it
 */
export function compareAnswers(
  recorded: RecordedResponse,
  live: RecordedResponse,
  rules: DriftRules,
): Drifts {
  const drifts = new Drifts();
  if (recorded.status !== live.status) {
    drifts.add('drift.status', 'status', () => `the status is ${live.status}, recorded ${recorded.status}`);
    return drifts;
  }
  for (const name of rules.headers)
    compareHeader(name, recorded.headers, live.headers, rules.redaction, drifts);
  if (!rules.ignored?.matches) {
    compareBodies(contentOf(recorded), contentOf(live), rules, drifts);
  }
  return drifts;
}

function compareHeader(
  name: string,
  recorded: StoredHeaders,
  live: StoredHeaders,
  redaction: Redaction,
  drifts: Drifts,
): void {
  const [before, now] = [textOf(name, recorded), textOf(name, live)];
  if (before === now) return;
  if (before !== undefined && now !== undefined && sameText(plain(name, before), plain(name, now))) return;
  const shown = (value: string) => cut(JSON.stringify(redactHeader(name, value, redaction)));
  drifts.add('drift.header', `headers/${name}`, () => {
    if (now === undefined) return `the header ${name} is gone, recorded ${shown(before as string)}`;
    if (before === undefined) return `the header ${name} is new: live ${shown(now)}`;
    return `the header ${name} is ${shown(now)}, recorded ${shown(before)}`;
  });
}

function textOf(name: string, headers: StoredHeaders): string | undefined {
  return Object.hasOwn(headers, name) ? [headers[name] as string | string[]].flat().join(', ') : undefined;
}

/** The case of a media type says nothing, nor do the spaces around its parameters. */
function plain(name: string, value: string): string {
  return name === 'content-type' ? value.toLowerCase().replace(/\s*;\s*/g, ';') : value;
}

/** What is compared of a body; `notKept` says why there are no bytes. */
type Content =
  | { kind: 'none' }
  | { kind: 'JSON'; json: JsonValue }
  | { kind: 'text'; text: string }
  | { kind: 'bytes'; bytes: Buffer }
  | { kind: 'bytes'; notKept: string };

function contentOf({ headers, body }: Pick<RecordedResponse, 'headers' | 'body'>): Content {
  if (body === undefined) return { kind: 'none' };
  if ('omitted' in body) return { kind: 'bytes', notKept: whyNotKept(textOf('content-encoding', headers)) };
  const json = jsonOf(body);
  if (json !== undefined) return { kind: 'JSON', json };
  return 'text' in body ? { kind: 'text', text: body.text } : { kind: 'bytes', bytes: bodyBytes(body) };
}

/** @param coding that which was not undone */
function whyNotKept(coding: string | undefined): string {
  if (coding === undefined) return 'is longer than the 16 MiB that recordings keep';
  return `cannot be decoded (${cut(JSON.stringify(coding))}), or gives too much`;
}

function shownKind(content: Content): string {
  if (content.kind === 'none') return 'nothing';
  if (content.kind === 'bytes') return 'bytes that are no text';
  if (content.kind === 'JSON' || !/^\s*[[{]/.test(content.text)) return content.kind;
  if (syntaxErrorOf(content.text)) return 'no valid JSON';
  return 'JSON that not all readers understand alike (a name twice, a large number, very deep)';
}

function compareBodies(before: Content, now: Content, rules: DriftRules, drifts: Drifts): void {
  const differ = (message: () => string) => drifts.add('drift.body', 'body', message);
  if (before.kind === 'JSON' && now.kind === 'JSON') compareValues(before.json, now.json, rules, drifts);
  else if ('notKept' in now) differ(() => `the body was not compared: it ${now.notKept}`);
  else if (before.kind !== now.kind) {
    const message = () => `the body is ${shownKind(now)}, recorded as ${shownKind(before)}`;
    drifts.add('drift.type-changed', 'body', message);
  } else if (before.kind === 'text' && now.kind === 'text') {
    const [a, b] = [before.text, now.text];
    if (a === b || sameBodyText(a, b)) return;
    const [was, is] = differentParts(a, b);
    const shown = (line: string) => cut(JSON.stringify(redactText(line, rules.redaction)));
    differ(() => `the text is another one: live ${shown(is)}, recorded ${shown(was)}`);
  } else if ('bytes' in before && 'bytes' in now && !before.bytes.equals(now.bytes)) {
    differ(() => `the bytes are other ones: live ${now.bytes.length}, recorded ${before.bytes.length}`);
  }
}

/** Both are redacted in the same way; a placeholder in the recorded one stands for any value. */
function compareValues(recorded: JsonValue, live: JsonValue, rules: DriftRules, drifts: Drifts): void {
  const shown = (value: JsonValue | undefined) => shownJson(value as JsonValue, rules.redaction);
  const add = (rule: DriftRule, tokens: Tokens, message: (name: string) => string) => {
    // The comparison goes on with the tokens.
    const place = [...tokens];
    drifts.add(rule, 'body', () => message(nameOf(place)), place);
  };

  const tell: OnDifference = (tokens, before, now) => {
    if (matchesPattern(rules.ignored, tokens)) return true;
    if (now === undefined || before === undefined) {
      // A name with a placeholder in it may be any.
      if (String(tokens.at(-1)).includes(REDACTED)) return true;
      if (now === undefined)
        add('drift.removed', tokens, (name) => `${name} is gone, recorded ${shown(before)}`);
      else add('drift.added', tokens, (name) => `${name} is new: live ${shown(now)}`);
    } else if (typeOf(before) !== typeOf(now)) {
      const types = `${typeOf(now)}, recorded as ${typeOf(before)}`;
      const values = () => `live ${shown(now)}, recorded ${shown(before)}`;
      add('drift.type-changed', tokens, (name) => `${name} is ${types}: ${values()}`);
    } else {
      add('drift.value-changed', tokens, (name) => {
        const areTexts = typeof before === 'string' && typeof now === 'string';
        const [was, is] = areTexts ? differentParts(before, now) : [before, now];
        return `${name} is ${shown(is)}, recorded ${shown(was)}`;
      });
    }
    return true;
  };

  const compareArrays: CompareArrays = (tokens, before, now, compareItem) => {
    if (matchesPattern(rules.ignored, tokens)) return true;
    const { pairs, removed, added, isReordered } = pairItems(before, now);
    for (const [was, is] of pairs) compareItem(was, is);
    const counts = (index: number) => !matchesPattern(rules.ignored, [...tokens, index]);
    const some = (items: JsonValue[], [index, ...others]: readonly number[], what: string) =>
      index === undefined
        ? []
        : `${others.length + 1} ${what} (${shown(items[index])}${others.length > 0 ? ', …' : ''})`;
    const [removedItems, addedItems] = [removed.filter(counts), added.filter(counts)];
    if (removedItems.length + addedItems.length > 0)
      add('drift.items', tokens, (name) => {
        const said = [some(before, removedItems, 'gone'), some(now, addedItems, 'new')].flat().join(', ');
        return `${name} has ${now.length} ${now.length === 1 ? 'item' : 'items'}, recorded ${before.length}: ${said}`;
      });
    if (isReordered) add('drift.value-changed', tokens, (name) => `${name} has its items in another order`);
    return true;
  };

  compareJson(recorded, live, tell, undefined, compareArrays);
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Of a name, as much as is read. */
const LONGEST_NAME = 100;

function nameOf(tokens: Tokens): string {
  const last = tokens.at(-1);
  if (last === undefined) return 'the body';
  return typeof last === 'number' ? `item ${last}` : JSON.stringify(last.slice(0, LONGEST_NAME));
}

/** Characters that are shown before the first one that differs. */
const BEFORE = 20;
/** Of a line, what is looked at to show its beginning. */
const LOOKED_AT = 4096;

/**
 * The parts of two texts from which it can be seen how they differ: their first lines that do, from shortly before the first
 * character that does. Both texts are redacted: a part of a secret would no longer look like one.
 */
function differentParts(a: string, b: string): [string, string] {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const line = at === 0 ? 0 : a.lastIndexOf('\n', at - 1) + 1;
  const start = at - line > 2 * BEFORE ? at - BEFORE : line;
  const partOf = (text: string) => {
    const end = text.indexOf('\n', start);
    const part = text.slice(start, Math.min(end < 0 ? text.length : end, start + LOOKED_AT));
    return start > line ? `…${part}` : part;
  };
  return [partOf(a), partOf(b)];
}
