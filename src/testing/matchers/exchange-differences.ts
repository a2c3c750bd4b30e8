import { types } from 'node:util';
import { isObject } from '../../model/json.ts';
import { pointerOf } from '../../model/pointer.ts';
import { jsonOf } from '../../recordings/body.ts';
import { sameText } from '../../recordings/matching/same-text.ts';
import { REDACTED } from '../../recordings/redaction/redacted.ts';
import type { ExpectedExchange } from './assertions.ts';
import { equalTo, isLike, type Runner } from './runner.ts';
import { type Facts, queryOf, UNKNOWN } from './seen-exchange.ts';

/** A place where an exchange is not as expected. */
export interface Difference {
  part: keyof Facts;
  /** Of a body or query: the JSON Pointer of a place in it. */
  pointer: string;
  /** Undefined: nothing is expected there. */
  expected: unknown;
  /** What is shown of what is there. Undefined: there is nothing. `UNKNOWN`: nobody can say. */
  actual: unknown;
}

const PARTS = ['method', 'path', 'query', 'headers', 'body', 'status', 'session'] as const;

/** Differences that are counted; nobody reads more. */
export const MOST_COUNTED = 100;

/** Says how exchanges differ from the one that is expected; not at all: that is it. What is given is the facts, and what is shown
 *  of them. */
export function differing(
  runner: Runner,
  expected: ExpectedExchange,
): (facts: Facts, shown: Facts) => Difference[] {
  const equals = equalTo(runner);
  const wanted = PARTS.flatMap((part): [keyof Facts, unknown][] =>
    expected[part] === undefined ? [] : [[part, wantedOf(part, expected[part])]],
  );
  return (facts, shown) => {
    const found: Difference[] = [];
    for (const [part, value] of wanted) {
      for (const difference of ofPart(part, value, facts[part], shown[part])) {
        found.push({ part, ...difference });
        if (found.length >= MOST_COUNTED) return found;
      }
    }
    return found;
  };

  function* ofPart(part: keyof Facts, value: unknown, actual: unknown, shown: unknown) {
    if (part !== 'headers') return yield* differences(actual, valueFor(part, value, actual), [], shown);
    for (const [name, one] of Object.entries(value as object))
      yield* differences(own(actual, name), one, [name], own(shown, name));
  }

  function* differences(
    actual: unknown,
    wanted: unknown,
    path: readonly (string | number)[],
    shown: unknown,
  ): Iterable<Omit<Difference, 'part'>> {
    const expected = written(wanted);
    if (actual === UNKNOWN) return yield { pointer: '', expected, actual };
    if (isFilledIn(actual, expected) || isLike(actual, expected) || equals(actual, expected)) return;
    const some = partOf(expected);
    if (Array.isArray(expected) && Array.isArray(actual)) {
      for (let i = 0; i < Math.max(expected.length, actual.length); i++)
        yield* differences(actual[i], expected[i], [...path, i], own(shown, i));
    } else if (some && isObject(actual)) {
      for (const [name, value] of Object.entries(some))
        yield* differences(own(actual, name), value, [...path, name], own(shown, name));
    } else if (isPlain(expected) && isPlain(actual)) {
      for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)]))
        yield* differences(own(actual, name), own(expected, name), [...path, name], own(shown, name));
    } else
      yield {
        pointer: pointerOf(path),
        expected,
        // What is hidden as a whole has no such place.
        actual: actual !== undefined && shown === undefined ? REDACTED : shown,
      };
  }
}

/** What JSON makes of a Date, or of an object of a class that says so. */
function written(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === 'function' && !('asymmetricMatch' in value) ? toJSON.call(value, '') : value;
}

/** A placeholder stands for any value, and within a text for any text; but not for none. Either may come from a recording. */
function isFilledIn(actual: unknown, expected: unknown): boolean {
  if (actual === REDACTED) return expected !== undefined;
  if (expected === REDACTED) return actual !== undefined;
  if (typeof actual !== 'string' || typeof expected !== 'string') return false;
  return sameText(actual, expected) || sameText(expected, actual);
}

/** An expectation in the form that facts have. */
function wantedOf(part: keyof Facts, value: unknown): unknown {
  if (part === 'method' && typeof value === 'string') return value.toUpperCase();
  if (part === 'headers')
    return Object.fromEntries(
      Object.entries(value as object).map(([name, one]) => [name.toLowerCase(), one]),
    );
  if (part !== 'query') return value;
  if (typeof value === 'string') return queryOf(value.replace(/^\?/, ''));
  if (Object.prototype.toString.call(value) === '[object URLSearchParams]') return queryOf(String(value));
  return isPlain(value)
    ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, textOf(one)]))
    : value;
}

/** In a query all is text. */
function textOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(textOf);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

/** A body that is expected as text or bytes, where the one that came is JSON: as the value that it is. */
function valueFor(part: keyof Facts, expected: unknown, actual: unknown): unknown {
  if (part !== 'body' || typeof actual === 'symbol') return expected;
  const text = ArrayBuffer.isView(expected)
    ? Buffer.from(expected.buffer, expected.byteOffset, expected.byteLength).toString()
    : expected;
  if (typeof actual === 'string') return text;
  return typeof text === 'string' && !Buffer.isBuffer(actual) ? (jsonOf({ text }) ?? expected) : expected;
}

/** What `expect.objectContaining` of either runner looks for. */
function partOf(expected: unknown): object | undefined {
  if (typeof expected !== 'object' || expected === null || !('asymmetricMatch' in expected)) return undefined;
  const { sample } = expected as { sample?: unknown };
  return String(expected) === 'ObjectContaining' && isObject(sample) ? sample : undefined;
}

function isPlain(value: unknown): value is object {
  return (
    isObject(value) && !('asymmetricMatch' in value) && !Buffer.isBuffer(value) && !types.isRegExp(value)
  );
}

function own(value: unknown, name: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string | number, unknown>)[name];
}
