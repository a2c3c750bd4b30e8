import { isObject, type JsonValue, member } from '../json/json.ts';
import { pointerOf } from '../json/pointer.ts';
import { type PatternNode, withoutMatches } from '../json/pointer-pattern.ts';
import type { RecordedResponse, StoredBody } from '../model/exchange.ts';
import { bodyBytes, jsonOf } from './body.ts';
import { compareJson, sameBodyText, sameText, type Tokens } from './compare-json.ts';
import { cut, shownJson } from './explain.ts';
import { redactHeader, redactText } from './redact/redact.ts';
import type { Redaction } from './redact/redaction.ts';

/** Headers of answers that are compared. */
const HEADERS = ['content-type', 'location'];
const MOST_SHOWN = 20;

export interface DriftRules {
  /** Places in JSON bodies that may differ. */
  ignored: PatternNode | undefined;
  /** Hides secrets in the lines. */
  redaction: Redaction;
}

interface Drift {
  count: number;
  /** One for each difference, at most 20. */
  lines: string[];
}

/**
 * Compares a live answer with the recorded one: status, media type, location and body. Answers of another status differ in nothing else.
 *
 * @param live as a recording would keep it
 */
export function compareAnswers(
  recorded: RecordedResponse,
  live: RecordedResponse,
  { ignored, redaction }: DriftRules,
): Drift {
  const drift: Drift = { count: 0, lines: [] };
  const add = (line: () => string) => {
    if (drift.count++ < MOST_SHOWN) drift.lines.push(line());
  };
  if (recorded.status !== live.status) {
    add(() => `the status is ${live.status}, recorded ${recorded.status}`);
    return drift;
  }
  for (const name of HEADERS) {
    const [before, now] = [recorded, live].map(({ headers }) => headers[name] && String(headers[name]));
    if (before === now || (before && now && sameText(plain(name, before), plain(name, now)))) continue;
    const shown = (value: string) => cut(JSON.stringify(redactHeader(name, value, redaction)));
    add(() => `the header ${name} ${changed(before && shown(before), now && shown(now))}`);
  }
  if (!ignored?.matches) compareBodies(recorded.body, live.body);
  if (drift.count > MOST_SHOWN) drift.lines.push(`${drift.count - MOST_SHOWN} more`);
  return drift;

  function compareBodies(before: StoredBody | undefined, now: StoredBody | undefined): void {
    const [was, is] = [before && jsonOf(before), now && jsonOf(now)];
    if (isOmitted(before) || isOmitted(now))
      add(() => 'the body was not compared: it is too long, or cannot be decoded');
    else if (was !== undefined && is !== undefined) compareValues(was, is);
    else if (kindOf(before) !== kindOf(now))
      add(() => `the body is ${kindOf(now)}, recorded as ${kindOf(before)}`);
    else if (before && now && 'text' in before && 'text' in now) compareTexts(before.text, now.text);
    else {
      const [bytes, others] = [bodyBytes(before), bodyBytes(now)];
      if (!bytes.equals(others))
        add(() => `the bytes differ: live ${others.length}, recorded ${bytes.length}`);
    }
  }

  function compareTexts(before: string, now: string): void {
    if (sameBodyText(before, now)) return;
    const [a, b] = fromDifference(before, now);
    const shown = (text: string) => cut(JSON.stringify(redactText(text, redaction)));
    add(() => `the text differs: live ${shown(b)}, recorded ${shown(a)}`);
  }

  function compareValues(was: JsonValue, is: JsonValue): void {
    const without = (value: JsonValue) => (ignored ? (withoutMatches(value, ignored) as JsonValue) : value);
    const before = without(was);
    compareJson(before, aligned(before, without(is)), (tokens: Tokens, a, b) => {
      const place = pointerOf(tokens) || 'the body';
      add(() => {
        const [old, live] = typeof a === 'string' && typeof b === 'string' ? fromDifference(a, b) : [a, b];
        const shown = (value: JsonValue | undefined) => value !== undefined && shownJson(value, redaction);
        return `${place} ${changed(shown(old) || undefined, shown(live) || undefined)}`;
      });
      return true;
    });
  }
}

function changed(recorded: string | undefined, live: string | undefined): string {
  if (live === undefined) return `is gone, recorded ${recorded}`;
  return recorded === undefined ? `is new: live ${live}` : `is ${live}, recorded ${recorded}`;
}

/** Neither letter case nor spaces count in a media type. */
function plain(name: string, value: string): string {
  return name === 'content-type' ? value.toLowerCase().replace(/\s*;\s*/g, ';') : value;
}

function isOmitted(body: StoredBody | undefined): body is { omitted: number } {
  return body !== undefined && 'omitted' in body;
}

function kindOf(body: StoredBody | undefined): string {
  if (body === undefined) return 'nothing';
  if ('base64' in body) return 'bytes that are no text';
  return jsonOf(body) === undefined ? 'text' : 'JSON';
}

/** Pairs the items of lists by their `id` or `key`, in the same order: one item more or less changes no other pair. */
function aligned(recorded: JsonValue | undefined, live: JsonValue): JsonValue {
  if (Array.isArray(recorded) && Array.isArray(live)) {
    const [before, now] = [byId(recorded), byId(live)];
    if (!before || !now || !isSameOrder(before, now))
      return live.map((item, i) => aligned(recorded[i], item));
    const placed = [...before].map(([id, item]) => now.has(id) && aligned(item, now.get(id) as JsonValue));
    const added = [...now].flatMap(([id, item]) => (before.has(id) ? [] : [item]));
    return [...placed.map((item) => (item === false ? undefined : item)), ...added] as JsonValue[];
  }
  if (!isObject(recorded) || !isObject(live)) return live;
  return Object.fromEntries(
    Object.entries(live).map(([name, value]) => [name, aligned(member(recorded, name), value)]),
  );
}

function isSameOrder(before: ReadonlyMap<JsonValue, unknown>, now: ReadonlyMap<JsonValue, unknown>): boolean {
  const common = [...now.keys()].filter((id) => before.has(id));
  return [...before.keys()].filter((id) => now.has(id)).every((id, i) => id === common[i]);
}

/** Undefined unless each item has an id of its own. */
function byId(items: readonly JsonValue[]): Map<JsonValue, JsonValue> | undefined {
  const found = new Map(items.map((item) => [member(item, 'id') ?? member(item, 'key'), item] as const));
  const isId = (id: unknown) => typeof id === 'string' || typeof id === 'number';
  return found.size === items.length && [...found.keys()].every(isId) ? (found as never) : undefined;
}

/** Two redacted texts from shortly before the first character that differs. */
function fromDifference(a: string, b: string): [string, string] {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const start = Math.max(a.lastIndexOf('\n', at - 1) + 1, at - 20);
  return start < 20 ? [a, b] : [`…${a.slice(start)}`, `…${b.slice(start)}`];
}
