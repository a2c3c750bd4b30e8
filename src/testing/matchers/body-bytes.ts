import { types } from 'node:util';
import { messageOf } from '../../errors.ts';
import { isObject } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import { grouped } from '../../reporters/wording.ts';
import type { ShownBody } from '../../server/show-exchange.ts';

/** A body as it was given to a matcher: the bytes that are judged, or why there are none. */
export type GivenBody = { bytes: Buffer } | { wrong: string };

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
  if (isShown(body)) {
    if (body.cut) return { wrong: cutText(body) };
    if ('json' in body) return givenJson(body.json, limit);
    return { bytes: 'text' in body ? Buffer.from(body.text) : Buffer.from(body.base64, 'base64') };
  }
  return givenJson(body, limit);
}

function givenJson(body: unknown, limit: number): GivenBody {
  const wrong = unwritable(body, [], new Set());
  if (wrong !== undefined) return { wrong };
  try {
    const spaced = jsonBytes(body, 2);
    return { bytes: spaced.length > limit ? jsonBytes(body) : spaced };
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

function cutText({ size }: ShownBody): string {
  return `the body is cut: exchanges() shows the first 64 KiB of one, and this has ${grouped(size)} bytes\n  hint: give the body itself, as the client sends it`;
}

/** @throws where a `toJSON` gives what JSON has not */
function jsonBytes(body: unknown, spaces?: number): Buffer {
  const text: string | undefined = JSON.stringify(body, null, spaces);
  if (text === undefined) throw new Error('its toJSON gives nothing');
  return Buffer.from(text);
}

/** A gate reads far fewer levels; JSON.stringify fails of far more. */
const MOST_LEVELS = 1000;

/**
 * What a client's JSON would not have as it is here: the test would judge another body than the one that it shows.
 *
 * @param path of the value, and `above` what it stands in: both are as they were when it returns that nothing is wrong
 */
function unwritable(value: unknown, path: (string | number)[], above: Set<unknown>): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  const placed = (what: string) => `${path.length === 0 ? 'the body' : pointerOf(path)} is ${what}`;
  const instead = INSTEAD.find(([isMeant]) => isMeant(value, path));
  if (instead) return placed(`${instead[1](value)}: ${instead[2]}`);
  if (typeof value !== 'object') return undefined;
  if (above.has(value)) return placed('an object that it stands in itself: there is no JSON for it');
  if (above.size >= MOST_LEVELS) return `the body is nested more than ${MOST_LEVELS} levels deep`;
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return undefined;
  above.add(value);
  const items: Iterable<[string | number, unknown]> = Array.isArray(value)
    ? value.entries()
    : Object.entries(value);
  for (const [name, item] of items) {
    path.push(name);
    const wrong = unwritable(item, path, above);
    if (wrong !== undefined) return wrong;
    path.pop();
  }
  above.delete(value);
  return undefined;
}

/** `URLSearchParams`, `FormData`, `Blob`, `Headers`: what it holds is no member of it. */
function hidesAll(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || 'toJSON' in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return !isPlain && Object.keys(value).length === 0;
}

type Instead = [
  isMeant: (value: unknown, path: readonly (string | number)[]) => boolean,
  what: (value: unknown) => string,
  why: string,
];

const OMITTED = 'JSON has no such value, and would leave it out (in a list, write null)';
const EMPTY = 'JSON would make {} of it';
const INSTEAD: readonly Instead[] = [
  [(value, path) => value === undefined && path.length === 0, () => 'undefined', 'there is nothing to judge'],
  [(value) => value === undefined, () => 'undefined', `${OMITTED}\n  hint: leave the member out of the body`],
  [(value) => typeof value === 'function', () => 'a function', OMITTED],
  [(value) => typeof value === 'symbol', () => 'a symbol', OMITTED],
  [(value) => typeof value === 'bigint', () => 'a bigint', 'JSON.stringify takes none'],
  [
    (value) => typeof value === 'number' && !Number.isFinite(value),
    (value) => String(value),
    'JSON would make null of it',
  ],
  [types.isMap, () => 'a Map', `${EMPTY}\n  hint: Object.fromEntries(map)`],
  [types.isSet, () => 'a Set', `${EMPTY}\n  hint: [...set]`],
  [types.isPromise, () => 'a promise', `${EMPTY}\n  hint: await it`],
  [types.isRegExp, () => 'a regular expression', EMPTY],
  [types.isNativeError, () => 'an Error', 'JSON would leave out its message'],
  [(value) => types.isWeakMap(value) || types.isWeakSet(value), () => 'a weak collection', EMPTY],
  [types.isBoxedPrimitive, () => 'an object around a plain value', 'write the value itself'],
  [
    isResponse,
    (value) => `a ${classOf(value)}`,
    'its body has yet to be read\n  hint: await response.json()',
  ],
  [hidesAll, (value) => `an object of ${classOf(value)}, which has no members`, EMPTY],
];

/** By its text, since a test may run in a realm of its own. */
function isResponse(value: unknown): boolean {
  return ['[object Response]', '[object Request]'].includes(Object.prototype.toString.call(value));
}

function classOf(value: unknown): string {
  const { name }: { name?: unknown } = (value as object).constructor ?? {};
  return typeof name === 'string' && name !== '' ? name : 'a class';
}
