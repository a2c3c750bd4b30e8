import { isObject, isRecord } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import { jsonOf } from '../../recordings/body.ts';
import { sameText } from '../../recordings/matching/same-text.ts';
import { REDACTED } from '../../recordings/redaction/redacted.ts';
import type { ExpectedExchange } from './assertions.ts';
import { equalTo, isLike, type Runner } from './runner.ts';
import { type Facts, headerText, queryOf, UNKNOWN } from './seen-exchange.ts';

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
    if (part !== 'headers' || !isPlain(value))
      return yield* differences(actual, valueFor(part, value, actual), [], shown);
    for (const [name, one] of Object.entries(value))
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
    const here = { pointer: pointerOf(path), expected, actual: shownOf(actual, shown) };
    const isShown = Array.isArray(actual) === Array.isArray(shown) && isPlain(actual) === isPlain(shown);
    // What is hidden as a whole shows no place within.
    for (const difference of within(actual, expected, path, shown, here)) {
      yield isShown ? difference : here;
      if (!isShown) return;
    }
  }

  /** @param here the difference where there are no places within */
  function* within(
    actual: unknown,
    expected: unknown,
    path: readonly (string | number)[],
    shown: unknown,
    here: Omit<Difference, 'part'>,
  ): Iterable<Omit<Difference, 'part'>> {
    const some = partOf(expected);
    if (Array.isArray(expected) && Array.isArray(actual)) {
      if (expected.length > actual.length && expected.at(-1) === undefined) yield here;
      for (let i = 0; i < Math.max(expected.length, actual.length); i++)
        yield* differences(actual[i], expected[i], [...path, i], own(shown, i));
    } else if (some && isObject(actual)) {
      for (const [name, value] of Object.entries(some))
        yield* differences(own(actual, name), value, [...path, name], own(shown, name));
    } else if (isPlain(expected) && isPlain(actual)) {
      for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
        // A name can be a secret, too.
        const isNamed = Object.hasOwn(expected, name) || own(shown, name) !== undefined;
        const place = [...path, isNamed ? name : REDACTED];
        yield* differences(own(actual, name), own(expected, name), place, own(shown, name));
      }
    } else yield here;
  }
}

/** @param shown in its place */
function shownOf(actual: unknown, shown: unknown): unknown {
  return actual !== undefined && (shown === undefined || shown === UNKNOWN) ? REDACTED : shown;
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
  if (part === 'headers' && isPlain(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        name.toLowerCase(),
        headerText(name.toLowerCase(), textOf(one)),
      ]),
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
  const isBare = expected === null || typeof expected === 'number' || typeof expected === 'boolean';
  if (typeof actual === 'string') return isBare ? JSON.stringify(expected) : text;
  return typeof text === 'string' && !Buffer.isBuffer(actual) ? (jsonOf({ text }) ?? expected) : expected;
}

/** What `expect.objectContaining` of either runner looks for. */
function partOf(expected: unknown): object | undefined {
  if (typeof expected !== 'object' || expected === null || !('asymmetricMatch' in expected)) return undefined;
  const { sample } = expected as { sample?: unknown };
  return String(expected) === 'ObjectContaining' && isObject(sample) ? sample : undefined;
}

function isPlain(value: unknown): value is object {
  return isRecord(value) && !('asymmetricMatch' in value);
}

function own(value: unknown, name: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string | number, unknown>)[name];
}
