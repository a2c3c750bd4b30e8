import { types } from 'node:util';
import { messageOf } from '../../errors.ts';
import { isObject } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import { grouped } from '../../reporters/wording.ts';
import type { ShownBody } from '../../server/show-exchange.ts';

/** A body as it was given to a matcher: the bytes that are judged, or why there are none. */
type GivenBody = { bytes: Buffer } | { wrong: string };

/**
 * Text and bytes are judged as they are; any other value as a client would write it, with two spaces a level, so that findings have
 * lines of their own. A body as `exchanges()` shows it is what it shows.
 *
 * @param limit bytes that the gate reads: a body that is longer only by its spaces is written without
 */
export function givenBody(body: unknown, limit: number): GivenBody {
  if (typeof body === 'string') return { bytes: Buffer.from(body) };
  if (types.isAnyArrayBuffer(body)) return { bytes: Buffer.from(body) };
  if (ArrayBuffer.isView(body)) return { bytes: Buffer.from(body.buffer, body.byteOffset, body.byteLength) };
  if (types.isPromise(body))
    return { wrong: 'the body is a promise\n  hint: await it, or use expect(…).resolves' };
  const shown = isShown(body) ? body : { json: body, size: 0, cut: undefined };
  if (shown.cut)
    return {
      wrong: `the body is cut: exchanges() shows the first 64 KiB of one, and this has ${grouped(shown.size)} bytes\n  hint: give the body itself, as the client sends it`,
    };
  if ('text' in shown) return { bytes: Buffer.from(shown.text) };
  if ('base64' in shown) return { bytes: Buffer.from(shown.base64, 'base64') };
  const wrong = unwritable(shown.json);
  if (wrong !== undefined) return { wrong };
  try {
    const spaced = jsonBytes(shown.json, 2);
    return { bytes: spaced.length > limit ? jsonBytes(shown.json) : spaced };
  } catch (error) {
    return { wrong: `there is no JSON for the body: ${messageOf(error)}` };
  }
}

/** Whether it has the members of a body that `exchanges()` shows, and no other. */
function isShown(value: unknown): value is ShownBody {
  if (!isObject(value)) return false;
  const { size, cut, ...rest } = value;
  const [[name, content] = [], ...others] = Object.entries(rest);
  return (
    others.length === 0 &&
    Number.isSafeInteger(size) &&
    (cut === undefined || cut === true) &&
    (name === 'json' || ((name === 'text' || name === 'base64') && typeof content === 'string'))
  );
}

/** @throws where a `toJSON` gives what JSON has not */
function jsonBytes(body: unknown, spaces?: number): Buffer {
  const text: string | undefined = JSON.stringify(body, null, spaces);
  if (text === undefined) throw new Error('its toJSON gives nothing');
  return Buffer.from(text);
}

/** A gate reads far fewer levels; JSON.stringify fails of far more. */
const MOST_LEVELS = 1000;
/** What to give instead of an object that hides what it holds. */
const HINTS: Readonly<Record<string, string>> = {
  Map: 'Object.fromEntries(map)',
  Set: '[...set]',
  Promise: 'await it',
  Response: 'await response.json()',
};

/**
 * What a client's JSON would not have as it is here: the test would judge another body than the one that it shows.
 *
 * @param path of the value, and `above` what it stands in
 */
function unwritable(
  value: unknown,
  path: readonly (string | number)[] = [],
  above: readonly unknown[] = [],
): string | undefined {
  const placed = (what: string) => `${pointerOf(path) || 'the body'} is ${what}`;
  if (value === undefined && path.length === 0) return 'the body is undefined: there is nothing to judge';
  if (value === undefined)
    return placed('undefined: JSON has no such value\n  hint: leave the member out, or write null');
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint')
    return placed(`a ${typeof value}: JSON has no such value`);
  if (typeof value === 'number' && !Number.isFinite(value))
    return placed(`${value}: JSON would make null of it`);
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return undefined;
  if (above.includes(value)) return placed('an object that it stands in itself: there is no JSON for it');
  if (above.length >= MOST_LEVELS) return `the body is nested more than ${MOST_LEVELS} levels deep`;
  const items = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  if (items.length === 0 && hidesMembers(value)) {
    // By its text, since a test may run in a realm of its own.
    const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
    const hint = HINTS[kind] ? `\n  hint: ${HINTS[kind]}` : '';
    return placed(`an object of ${kind}: JSON would make {} of it${hint}`);
  }
  const within = [...above, value];
  for (const [name, item] of items) {
    const wrong = unwritable(item, [...path, name], within);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** `URLSearchParams`, `Map`, `Error`: what it holds is no member of it. */
function hidesMembers(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return !Array.isArray(value) && prototype !== null && Object.getPrototypeOf(prototype) !== null;
}
