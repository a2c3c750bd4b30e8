import { isObject, isRecord } from '../../json/json.ts';
import type { Share, UserFault } from '../../model/fault.ts';
import { arePathGlobs } from '../extras/globs.ts';
import { readAmount, SIZES } from '../read-amount.ts';
import { LATENCIES, readLatency } from './read-latency.ts';

/** What one member of a fault takes. */
interface Member {
  takes: string;
  /** Its value as a rule has it; undefined: it is not taken. @param given out of a text, or as JSON has it */
  read(given: unknown): unknown;
}

/** Each member of a fault. Those of a text are texts, numbers too. */
export const MEMBERS = {
  method: { takes: 'a method in capitals: PATCH', read: textOf(/^[A-Z][A-Z-]{0,30}$/) },
  path: {
    takes:
      'a glob of paths that begins with a slash, without a query, of *, **, ?, [0-9] and {1,2}: /accounts/*/projects/{42,43}',
    // Behind a name and a value, `?` is meant for more than one character.
    read: (given) =>
      arePathGlobs(given) ? textOf(/^\/(?!.*\?[\w.%[\]-]+=)[\x21-\x7e]*$/)(given) : undefined,
  },
  operation: { takes: 'the name of an operation: updateProject', read: textOf(/^[\w.-]{1,100}$/) },
  status: { takes: 'a status from 200 to 599: 503', read: integerOf(200, 599) },
  retryAfter: { takes: 'whole seconds: 2', read: integerOf(0, 999_999_999) },
  headers: {
    takes: 'names and texts: { "X-Reason": "maintenance" }, none that say where a body ends',
    read: readHeaders,
  },
  body: { takes: 'a text or another value of JSON', read: readJson },
  reset: { takes: 'true', read: (given) => given === true || undefined },
  truncate: { takes: 'bytes, or percent below 100: 100, 50%', read: readShare },
  trickle: { takes: 'bytes a second: 100B/s, 1KiB/s', read: readSpeed },
  latency: { takes: LATENCIES, read: readLatency },
  rate: { takes: 'a number from 0 to 1: 0.2', read: readRate },
  count: { takes: 'how often it happens at most: 2', read: integerOf(1, Number.MAX_SAFE_INTEGER) },
  after: { takes: 'how many requests go by first: 1', read: integerOf(0, Number.MAX_SAFE_INTEGER) },
} as const satisfies { [Name in keyof Required<UserFault>]: Member };

export type MemberName = keyof typeof MEMBERS;

function textOf(form: RegExp): (given: unknown) => string | undefined {
  return (given) => (typeof given === 'string' && form.test(given) ? given : undefined);
}

function integerOf(min: number, max: number): (given: unknown) => number | undefined {
  return (given) => {
    const number = typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : given;
    return Number.isSafeInteger(number) && (number as number) >= min && (number as number) <= max
      ? (number as number)
      : undefined;
  };
}

function readRate(given: unknown): number | undefined {
  const number = typeof given === 'string' && /^(?:\d+|\d*\.\d+)$/.test(given) ? Number(given) : given;
  return typeof number === 'number' && number >= 0 && number <= 1 ? number : undefined;
}

function readShare(given: unknown): Share | undefined {
  const percent = typeof given === 'string' ? /^(\d{1,2}(?:\.\d+)?)%$/.exec(given)?.[1] : undefined;
  if (percent !== undefined) return { percent: Number(percent) };
  const bytes = integerOf(0, Number.MAX_SAFE_INTEGER)(given);
  return bytes === undefined ? undefined : { bytes };
}

function readSpeed(given: unknown): number | undefined {
  const bytes = readAmount(typeof given === 'string' ? given.replace(/\/s$/, '') : given, SIZES);
  return bytes && Number.isSafeInteger(bytes) ? bytes : undefined;
}

function readJson(given: unknown): unknown {
  // Bytes, a Map, a promise: what JSON makes of them is not what they are.
  if (isObject(given) && !isRecord(given)) return undefined;
  try {
    return JSON.stringify(given) === undefined ? undefined : given;
  } catch {
    return undefined;
  }
}

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Of the connection, and where a body ends: not for a fault to say. */
const OURS = /^(?:content-length|transfer-encoding|connection|keep-alive|trailer|te|upgrade|patchgate-.*)$/i;

/** As raw headers: name, value, name, value, … */
function readHeaders(given: unknown): string[] | undefined {
  if (!isObject(given)) return undefined;
  const pairs = Object.entries(given).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value]),
  );
  const isTaken = pairs.every(
    ([name, value]) =>
      NAME.test(name as string) &&
      !OURS.test(name as string) &&
      typeof value === 'string' &&
      VALUE.test(value),
  );
  return isTaken ? (pairs.flat() as string[]) : undefined;
}
