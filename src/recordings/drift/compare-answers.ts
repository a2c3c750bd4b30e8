import { canonical } from '../../json/canonical.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import { matchesPattern, type PatternNode } from '../../json/pointer-pattern.ts';
import type { RecordedResponse, StoredHeaders } from '../../model/exchange.ts';
import { bodyBytes, jsonOf } from '../body.ts';
import { sameBodyText, sameText } from '../compare-json.ts';
import { cut, shownJson } from '../explain.ts';
import { redactHeader, redactText } from '../redaction/redact.ts';
import { REDACTED } from '../redaction/redacted.ts';
import type { Redaction } from '../redaction/redaction.ts';

type Tokens = readonly (string | number)[];

/** Headers of answers that are compared. */
const HEADERS = ['content-type', 'location'];

/** What may differ, and what no message may quote. */
export interface DriftRules {
  /** Places in JSON bodies that may be anything. */
  ignored: PatternNode | undefined;
  redaction: Redaction;
}

/** Of differences in one place of several items so many are told one by one. */
const MOST_ALIKE = 3;

/** The differences of one answer: all are counted, and a field that changed in ten thousand items is told in a few lines. */
class Drifts {
  count = 0;
  readonly #alike = new Map<string, { lines: (() => string)[]; more: number }>();

  /** @param tokens of the place, read at once */
  add(line: () => string, tokens: Tokens = []): void {
    this.count++;
    const pattern = pointerOf(tokens.map((token) => (typeof token === 'number' ? '*' : token)));
    const group = this.#alike.get(pattern) ?? { lines: [], more: 0 };
    this.#alike.set(pattern, group);
    if (group.lines.length < MOST_ALIKE) group.lines.push(line);
    else group.more++;
  }

  /** A line for each, or for several that are alike. */
  lines(): string[] {
    return [...this.#alike].flatMap(([pattern, { lines, more }]) => [
      ...lines.map((line) => line()),
      ...(more > 0 ? [`${more} more like it at ${pattern}`] : []),
    ]);
  }
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
): Pick<Drifts, 'count' | 'lines'> {
  const drifts = new Drifts();
  if (recorded.status !== live.status) {
    drifts.add(() => `the status is ${live.status}, recorded ${recorded.status}`);
    return drifts;
  }
  for (const name of HEADERS) compareHeader(name, recorded.headers, live.headers, rules.redaction, drifts);
  if (!rules.ignored?.matches) compareBodies(contentOf(recorded), contentOf(live), rules, drifts);
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
  drifts.add(() => {
    if (now === undefined) return `the header ${name} is gone, recorded ${shown(before as string)}`;
    if (before === undefined) return `the header ${name} is new: live ${shown(now)}`;
    return `the header ${name} is ${shown(now)}, recorded ${shown(before)}`;
  }, [name]);
}

function textOf(name: string, headers: StoredHeaders): string | undefined {
  return Object.hasOwn(headers, name) ? [headers[name] as string | string[]].flat().join(', ') : undefined;
}

/** The case of a media type says nothing, nor do the spaces around its parameters. */
function plain(name: string, value: string): string {
  return name === 'content-type' ? value.toLowerCase().replace(/\s*;\s*/g, ';') : value;
}

/** What is compared of a body. */
type Content =
  | { kind: 'none' | 'too long' }
  | { kind: 'JSON'; json: JsonValue }
  | { kind: 'text'; text: string }
  | { kind: 'bytes'; bytes: Buffer };

function contentOf({ body }: RecordedResponse): Content {
  if (body === undefined) return { kind: 'none' };
  if ('omitted' in body) return { kind: 'too long' };
  const json = jsonOf(body);
  if (json !== undefined) return { kind: 'JSON', json };
  return 'text' in body ? { kind: 'text', text: body.text } : { kind: 'bytes', bytes: bodyBytes(body) };
}

const KINDS = {
  ...{ none: 'nothing', 'too long': 'too long' },
  ...{ bytes: 'bytes that are no text', text: 'text', JSON: 'JSON' },
} as const;

function compareBodies(before: Content, now: Content, rules: DriftRules, drifts: Drifts): void {
  if (before.kind === 'too long' || now.kind === 'too long')
    drifts.add(() => 'the body was not compared: it is too long, or cannot be decoded');
  else if (before.kind === 'JSON' && now.kind === 'JSON') compareJson(before.json, now.json, rules, drifts);
  else if (before.kind !== now.kind)
    drifts.add(() => `the body is ${KINDS[now.kind]}, recorded as ${KINDS[before.kind]}`);
  else if (before.kind === 'text' && now.kind === 'text') {
    const [a, b] = [before.text, now.text];
    if (a === b || sameBodyText(a, b)) return;
    const [was, is] = differentParts(a, b);
    const shown = (line: string) => cut(JSON.stringify(redactText(line, rules.redaction)));
    drifts.add(() => `the text is another one: live ${shown(is)}, recorded ${shown(was)}`);
  } else if ('bytes' in before && 'bytes' in now && !before.bytes.equals(now.bytes))
    drifts.add(() => `the bytes are other ones: live ${now.bytes.length}, recorded ${before.bytes.length}`);
}

/** A placeholder in the recorded value stands for any value. */
function compareJson(recorded: JsonValue, live: JsonValue, rules: DriftRules, drifts: Drifts): void {
  const tokens: (string | number)[] = [];
  const shown = (value: JsonValue | undefined) => shownJson(value as JsonValue, rules.redaction);
  const add = (rest: () => string) => {
    const place = pointerOf(tokens) || 'the body';
    drifts.add(() => `${place} ${rest()}`, tokens);
  };
  compare(recorded, live);

  function compare(before: JsonValue | undefined, now: JsonValue | undefined): void {
    if (before === now || matchesPattern(rules.ignored, tokens)) return;
    if (now === undefined) add(() => `is gone, recorded ${shown(before)}`);
    else if (before === undefined) add(() => `is new: live ${shown(now)}`);
    else if (before === REDACTED) return;
    else if (Array.isArray(before) && Array.isArray(now)) compareArrays(before, now);
    else if (isObject(before) && isObject(now)) compareObjects(before, now);
    else if (typeof before === 'string' && typeof now === 'string') {
      if (sameText(before, now)) return;
      const [was, is] = differentParts(before, now);
      add(() => `is ${shown(is)}, recorded ${shown(was)}`);
    } else add(() => `is ${shown(now)}, recorded ${shown(before)}`);
  }

  function below(token: string | number, before: JsonValue | undefined, now: JsonValue | undefined): void {
    tokens.push(token);
    compare(before, now);
    tokens.pop();
  }

  function compareObjects(before: JsonObject, now: JsonObject): void {
    for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
      const [was, is] = [before, now].map((one) => (Object.hasOwn(one, name) ? one[name] : undefined));
      // A name with a placeholder in it may be any.
      if (was !== undefined && is === undefined && name.includes(REDACTED)) continue;
      below(name, was, is);
    }
  }

  function compareArrays(before: JsonValue[], now: JsonValue[]): void {
    const pairs = pairItems(before, now);
    for (const [was, is] of pairs) below(was ?? is ?? 0, before[was ?? -1], now[is ?? -1]);
    const order = pairs.flatMap(([was, is]) => (was === undefined || is === undefined ? [] : is));
    if (order.some((is, i) => is < (order[i - 1] ?? -1))) add(() => 'has its items in another order');
  }
}

type Pair = readonly [recorded: number | undefined, live: number | undefined];

/**
 * Pairs the items of two arrays by their ids or keys, if all have one; else by their places, from both ends, so that one item more
 * or less does not make all behind it differ.
 */
function pairItems(before: JsonValue[], now: JsonValue[]): Pair[] {
  for (const name of ['id', 'key']) {
    const [wasAt, isAt] = [indexesBy(name, before), indexesBy(name, now)];
    if (!wasAt || !isAt) continue;
    const added = [...isAt].filter(([key]) => !wasAt.has(key));
    return [
      ...[...wasAt].map(([key, was]): Pair => [was, isAt.get(key)]),
      ...added.map(([, is]): Pair => [undefined, is]),
    ];
  }
  const [texts, others] = [before, now].map((items) => items.map((item) => canonical(item))) as [
    string[],
    string[],
  ];
  const shorter = Math.min(before.length, now.length);
  let atEnd = 0;
  if (before.length !== now.length) {
    let atStart = 0;
    while (atStart < shorter && texts[atStart] === others[atStart]) atStart++;
    while (atEnd < shorter - atStart && texts.at(-1 - atEnd) === others.at(-1 - atEnd)) atEnd++;
  }
  // Those at the end are equal.
  return Array.from({ length: Math.max(before.length, now.length) - atEnd }, (_, i): Pair => {
    return [i < before.length - atEnd ? i : undefined, i < now.length - atEnd ? i : undefined];
  });
}

/** Undefined where the member does not name each item. */
function indexesBy(name: string, items: readonly JsonValue[]): Map<JsonValue, number> | undefined {
  const found = new Map<JsonValue, number>();
  for (const [index, item] of items.entries()) {
    const value = member(item, name);
    if ((typeof value !== 'string' && typeof value !== 'number') || found.has(value)) return undefined;
    found.set(value, index);
  }
  return found;
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
