import { types } from 'node:util';
import { splitTarget } from '../../http/http.ts';
import { childOf, isObject, isRecord } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import { jsonOf } from '../../recordings/body.ts';
import { sameText } from '../../recordings/compare-json.ts';
import { queryPairs, valuesOf } from '../../recordings/match.ts';
import { REDACTED } from '../../recordings/redaction/redacted.ts';
import { type Paint, SEVERITY_COLOURS } from '../../reporters/colours.ts';
import { amount, shortened, visible } from '../../reporters/wording.ts';
import { AS_SENT, EXCHANGES_KEPT, type SentExchanges } from '../../server/exchange-list.ts';
import type { ShownBody, ShownExchange } from '../../server/show-exchange.ts';
import type { ExpectedExchange } from './assertions.ts';
import type { Judge } from './judge.ts';
import {
  checkMembers,
  comparing,
  misused,
  named,
  type Outcome,
  paintOf,
  type Runner,
  told,
  unusable,
} from './runner.ts';
import { type Show, showing } from './shown-value.ts';

const CALLED = { name: 'toHaveServed', received: 'gate', expected: 'exchange' };
const PARTS = ['method', 'path', 'query', 'headers', 'body', 'status', 'session'] as const;

/** What is compared of an exchange. `body`: `''` where there is none; of bytes that are no text, a Buffer. */
type Facts = Record<(typeof PARTS)[number], unknown>;

/** Stands for a body that is not there as a whole. */
const UNKNOWN = Symbol('unknown');

/** A place where an exchange is not as expected. */
interface Difference {
  part: keyof Facts;
  /** Within the part. */
  pointer: string;
  /** Undefined: nothing is expected there. */
  expected: unknown;
  /** What is shown of what is there. Undefined: there is nothing. `UNKNOWN`: it cannot be told. */
  actual: unknown;
}

/** An exchange, held against what is expected. */
interface Compared {
  exchange: ShownExchange;
  differences: readonly Difference[];
}

export function haveServed(runner: Runner, judge: Judge, gate: unknown, expected: ExpectedExchange): Outcome {
  checkExpected(expected);
  const show = showing(runner, judge.redaction);
  const seen = exchangesOf(gate);
  if (seen === undefined) {
    const why = types.isPromise(gate)
      ? 'the received value is a promise\n  hint: await it: const gate = await replay()'
      : `the received value is no gate: ${show(gate)}\n  hint: give what replay(), fake() or proxy() of patchgate/testing resolves to, or a session of it`;
    return unusable(runner, CALLED, why);
  }
  const differencesOf = comparer(runner, expected);
  const compared = seen.all.map(({ shown, sent }) => ({
    exchange: shown,
    differences: differencesOf(factsOf(sent), factsOf(shown)),
  }));
  const served = compared.filter(({ exchange }) => isServed(exchange));
  const found = served.filter(({ differences }) => differences.length === 0).map(({ exchange }) => exchange);
  const { times } = expected;
  const pass = times === undefined ? found.length > 0 : found.length === times;
  const doubts = found.length > (times ?? 0) ? [] : doubtsOf(served, seen.areCut);
  const message = () => {
    const paint = paintOf(runner);
    return told(runner, CALLED, [
      wantedText(show, expected, found, runner.isNot ?? false),
      doubts.join('\n'),
      found.length > 0 ? '' : nearestText(show, compared, paint),
      exchangesText(
        seen.all.map(({ shown }) => shown),
        paint,
      ),
    ]);
  };
  // That something never was, or was so often, cannot be said where more may have been.
  return { pass: doubts.length > 0 ? (runner.isNot ?? false) : pass, message };
}

function checkExpected(expected: ExpectedExchange): void {
  checkMembers(CALLED.name, 'the exchange that is expected', expected, [...PARTS, 'times']);
  const { path, headers, times } = expected;
  const misuse = (what: string, hint: string) => misused(CALLED.name, what, hint);
  // What they are instead may hold secrets.
  if (headers !== undefined && !isRecord(headers))
    throw misuse(
      'the headers are no object of names and values',
      "give them by name: { headers: { authorization: 'Bearer abc' } }",
    );
  if (typeof path === 'string' && !path.startsWith('/'))
    throw misuse(
      `the path ${named(path)} does not begin with a slash`,
      'give it as it is sent: /api/v2/accounts/current/projects/42',
    );
  if (typeof path === 'string' && path.includes('?'))
    throw misuse(`the path ${named(path)} has a query`, 'give that by itself: { path, query: { limit: 2 } }');
  if (times !== undefined && !(Number.isSafeInteger(times) && times >= 0))
    throw misuse(`times cannot be ${named(times)}`, 'it is a whole number from 0');
}

/** Why it cannot be told whether there was such an exchange. */
function doubtsOf(served: readonly Compared[], areCut: boolean): string[] {
  const unknown = served
    .filter(({ differences }) => differences[0] && differences.every(({ actual }) => actual === UNKNOWN))
    .map(({ exchange }) => exchange);
  const doubts: string[] = [];
  if (unknown.length > 0)
    doubts.push(
      `Cannot tell for ${numbersOf(unknown)}: the body is longer than the 64 KiB that a gate keeps of one.`,
    );
  if (areCut)
    doubts.push(
      'Cannot tell for earlier ones: a gate keeps the last 1,000 exchanges, and 16 MiB of them. Use gate.reset() between tests.',
    );
  return doubts;
}

/**
 * The exchanges of a gate or one of its sessions, oldest first, redacted and as sent; undefined where this is neither.
 *
 * @param gate whatever was given to `expect`
 * @returns `areCut` where earlier ones are forgotten
 */
function exchangesOf(gate: unknown) {
  const { exchanges, [AS_SENT]: asSent } = Object(gate) as {
    exchanges?: () => Iterable<ShownExchange>;
    [AS_SENT]?: () => SentExchanges;
  };
  if (typeof exchanges !== 'function') return undefined;
  const shown = [...exchanges.call(gate)];
  if (!shown.every((one) => isObject(one?.request))) return undefined;
  const kept = asSent?.call(gate);
  const sent = new Map(Array.from(kept?.exchanges ?? [], (one) => [one.id, one]));
  return {
    all: shown
      .map((one) => ({ shown: one, sent: sent.get(one.id) ?? one }))
      .sort((a, b) => a.shown.id - b.shown.id),
    areCut: kept?.areCut ?? shown.length >= EXCHANGES_KEPT,
  };
}

function factsOf({ request, response, session = '' }: ShownExchange): Facts {
  const { path, query } = splitTarget(request.url);
  const headers = Object.entries(request.headers).map(([name, value]) => [name, headerText(name, value)]);
  return {
    ...{ method: request.method, path, query: queryOf(query), headers: Object.fromEntries(headers) },
    ...{ body: bodyOf(request.body), status: response?.status, session },
  };
}

/** @param query without the `?` */
function queryOf(query: string): object {
  const lists = [...valuesOf(queryPairs(query))];
  return Object.fromEntries(lists.map(([name, list]) => [name, list.length === 1 ? list[0] : list]));
}

/** One text of a header that came several times; anything else as it is. @param name in lower case */
function headerText(name: string, value: unknown): unknown {
  return Array.isArray(value) ? value.join(name === 'cookie' ? '; ' : ', ') : value;
}

function bodyOf(body: ShownBody | undefined): unknown {
  if (body === undefined) return '';
  if (body.cut) return UNKNOWN;
  if ('json' in body) return body.json;
  return 'text' in body ? body.text : Buffer.from(body.base64, 'base64');
}

/** Differences that are counted. */
const MOST_COUNTED = 100;

/** Says how exchanges differ from the one that is expected; not at all: that is it. What is given is the facts, and what is shown
 *  of them. */
function comparer(runner: Runner, expected: ExpectedExchange): (facts: Facts, shown: Facts) => Difference[] {
  const equals = comparing(runner);
  const wanted = PARTS.filter((part) => expected[part] !== undefined).map(
    (part) => [part, wantedOf(part, expected[part])] as const,
  );
  return (facts, shown) => {
    const found: Difference[] = [];
    for (const [part, value] of wanted)
      for (const difference of ofPart(part, value, facts[part], shown[part]))
        if (found.push({ part, ...difference }) >= MOST_COUNTED) return found;
    return found;
  };

  function* ofPart(part: keyof Facts, value: unknown, actual: unknown, shown: unknown) {
    if (part === 'headers' && isPlain(value))
      for (const [name, one] of Object.entries(value))
        yield* differences(childOf(actual, name), one, [name], childOf(shown, name));
    else yield* differences(actual, part === 'body' ? expectedBody(value, actual) : value, [], shown);
  }

  function* differences(
    actual: unknown,
    wanted: unknown,
    path: readonly (string | number)[],
    shown: unknown,
  ): Iterable<Omit<Difference, 'part'>> {
    const expected = written(wanted);
    if (actual === UNKNOWN) return yield { pointer: '', expected, actual };
    if (isFilledIn(actual, expected) || equals(actual, expected)) return;
    const isHidden = actual !== undefined && (shown === undefined || shown === UNKNOWN);
    const here = { pointer: pointerOf(path), expected, actual: isHidden ? REDACTED : shown };
    const names = namesWithin(actual, expected);
    // What is hidden as a whole shows no place within.
    const isShown = Array.isArray(actual) === Array.isArray(shown) && isPlain(actual) === isPlain(shown);
    if (!names) return yield here;
    const some = sampleOf(expected) ?? expected;
    for (const name of names) {
      // A name can be a secret, too.
      const isNamed = childOf(some, name) !== undefined || childOf(shown, name) !== undefined;
      const place = [...path, isNamed ? name : REDACTED];
      for (const difference of differences(
        childOf(actual, name),
        childOf(some, name),
        place,
        childOf(shown, name),
      )) {
        if (!isShown) return yield here;
        yield difference;
      }
    }
  }
}

/** The members or items in which two values may differ; undefined where they are to be compared as wholes. */
function namesWithin(actual: unknown, expected: unknown): Iterable<string | number> | undefined {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length > actual.length && expected.at(-1) === undefined) return undefined;
    return Array.from({ length: Math.max(expected.length, actual.length) }, (_, index) => index);
  }
  const sample = sampleOf(expected);
  if (sample && isObject(actual)) return Object.keys(sample);
  if (!isPlain(expected) || !isPlain(actual)) return undefined;
  return new Set([...Object.keys(expected), ...Object.keys(actual)]);
}

/** What `expect.objectContaining` of either runner looks for. */
function sampleOf(expected: unknown): object | undefined {
  if (typeof expected !== 'object' || expected === null || !('asymmetricMatch' in expected)) return undefined;
  const { sample } = expected as { sample?: unknown };
  return String(expected) === 'ObjectContaining' && isObject(sample) ? sample : undefined;
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
  if (part !== 'headers' && part !== 'query') return value;
  if (typeof value === 'string') return queryOf(value.replace(/^\?/, ''));
  if (Object.prototype.toString.call(value) === '[object URLSearchParams]') return queryOf(String(value));
  if (!isPlain(value)) return value;
  const members = Object.entries(value).map(([name, one]) => {
    if (part === 'query') return [name, textOf(one)];
    const key = name.toLowerCase();
    return [key, headerText(key, textOf(one))];
  });
  return Object.fromEntries(members);
}

/** In a query or a header all is text. */
function textOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(textOf);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

/** A body that is expected as text or bytes, where the one that came is JSON: as the value that it is. */
function expectedBody(expected: unknown, actual: unknown): unknown {
  const text = ArrayBuffer.isView(expected)
    ? Buffer.from(expected.buffer, expected.byteOffset, expected.byteLength).toString()
    : expected;
  const isBare = expected === null || typeof expected === 'number' || typeof expected === 'boolean';
  if (typeof actual === 'string') return isBare ? JSON.stringify(expected) : text;
  const isJson = typeof actual !== 'symbol' && !Buffer.isBuffer(actual);
  return typeof text === 'string' && isJson ? (jsonOf({ text }) ?? expected) : expected;
}

function isPlain(value: unknown): value is object {
  return isRecord(value) && !('asymmetricMatch' in value);
}

/** What was expected, and how often that was. @param found the exchanges that were served so */
function wantedText(
  show: Show,
  { times, ...wanted }: ExpectedExchange,
  found: readonly ShownExchange[],
  isNot: boolean,
): string {
  const parts = Object.entries(wanted).map(([part, value]) => {
    if (part !== 'headers' || !isPlain(value)) return `  ${part}: ${show(value)}`;
    // Each by itself: whether it is a secret, its name says.
    const each = Object.entries(value).map(([name, one]) => `${name}: ${show(one, pointerOf([name]), part)}`);
    return `  ${part}: { ${each.join(', ')} }`;
  });
  const isNever = isNot ? times === undefined : times === 0;
  const often = times === undefined ? 'at least once' : timesText(times);
  return [
    isNever ? 'Expected never to be served:' : `Expected ${isNot ? 'not ' : ''}to be served ${often}:`,
    ...(parts.length === 0 ? ['  any exchange'] : parts),
    `It was ${found.length === 0 ? 'never served.' : `served ${timesText(found.length)}: ${numbersOf(found)}`}`,
  ].join('\n');
}

function timesText(times: number): string {
  return times === 0 ? 'never' : times === 1 ? 'once' : `${times} times`;
}

/** Exchanges of each sort that are listed, differences that are shown, findings of an exchange, and characters of a text. */
const MOST_LISTED = 20;
const MOST_FINDINGS = 5;
const MOST_CHARACTERS = 300;

/** `#1, #2` */
function numbersOf(exchanges: readonly ShownExchange[]): string {
  const names = exchanges.slice(0, MOST_LISTED).map(({ id }) => `#${id}`);
  return `${names.join(', ')}${exchanges.length > MOST_LISTED ? ', …' : ''}`;
}

/** One that was sent as expected, and got no answer; else the served one of which the fewest parts differ, and these in the fewest places. */
function nearestText(show: Show, compared: readonly Compared[], paint: Paint): string {
  const rank = ({ exchange, differences }: Compared) =>
    new Set(differences.map(({ part }) => part)).size * 1000 +
    differences.length +
    (differences.some(({ actual }) => actual === UNKNOWN) ? MOST_COUNTED : 0) +
    (isServed(exchange) ? 0 : 0.5);
  const [nearest] = compared.toSorted((a, b) => rank(a) - rank(b));
  if (!nearest) return '';
  const { exchange, differences } = nearest;
  const more = differences.length - MOST_LISTED;
  return [
    `Nearest: ${linesOf(exchange, paint).join('\n').trimStart()}`,
    ...(differences.length === 0 ? ['  it is as expected, but was not served'] : []),
    ...differences.slice(0, MOST_LISTED).map((difference) => `  ${differenceText(show, difference)}`),
    ...(more > 0 ? [`  and ${more} or more further differences`] : []),
  ].join('\n');
}

function differenceText(show: Show, { part, pointer, expected, actual }: Difference): string {
  const place = `${part}${pointer === '' ? '' : ` ${readable(pointer)}`}`;
  if (actual === UNKNOWN) return `${place}: longer than what is kept of it`;
  const [wanted, was] = [show(expected, pointer, part), show(actual, pointer, part)];
  if (wanted === was) return `${place}: another value than expected, where neither is shown as it is: ${was}`;
  const text = `${place}: expected ${wanted}, was ${was}`;
  const isBelow = part === 'path' && typeof expected === 'string' && String(actual).endsWith(expected);
  return isBelow ? `${text} (give the path as it is sent, the base path included)` : text;
}

/** Whether target, fake or recording answered it, or a fault that was asked for; not the gate for itself. */
function isServed({ response, answeredBy, fault, failure }: ShownExchange): boolean {
  const isAnswered = ['target', 'fake', 'recording'].includes(answeredBy);
  return response !== undefined && (isAnswered || (fault !== undefined && failure === undefined));
}

/** What went by, and of what was not served, why. */
function exchangesText(exchanges: readonly ShownExchange[], paint: Paint): string {
  if (exchanges.length === 0)
    return "Nothing went by.\n  hint: the client's base URL must begin with the url of this gate or session, and its call be awaited";
  const more = exchanges.length - MOST_LISTED;
  return [
    `Seen: ${amount(exchanges.length, 'exchange')}`,
    ...(more > 0 ? [`  ${more} earlier ones, and`] : []),
    ...exchanges.slice(-MOST_LISTED).flatMap((exchange) => linesOf(exchange, paint)),
  ].join('\n');
}

/** `#2 PATCH /api/v2/accounts/current/projects/42 -> 200 (recording)`, and what came of it. */
function linesOf(exchange: ShownExchange, paint: Paint): string[] {
  const { id, request, response, answeredBy, session, verdict, fault, failure } = exchange;
  const answer = response ? `${response.status} (${answeredBy})` : 'no response';
  const within = session ? paint('grey', readable(`, session ${session}`)) : '';
  const lines = [`  #${id} ${readable(`${request.method} ${request.url}`)} -> ${answer}${within}`];
  if (verdict?.outcome !== 'block') {
    if (fault) lines.push(`    the fault ${readable(fault)}`);
    if (failure) lines.push(`    ${readable(failure)}`);
    return lines;
  }
  const errors = verdict.findings.filter(({ severity }) => severity === 'error');
  for (const { rule, message } of errors.slice(0, MOST_FINDINGS))
    lines.push(`    ${paint(SEVERITY_COLOURS.error, visible(rule))}  ${readable(message)}`);
  const more = Math.max(0, errors.length - MOST_FINDINGS) + verdict.omitted;
  if (more > 0) lines.push(`    and ${amount(more, 'more finding')}`);
  return lines;
}

function readable(text: string): string {
  return visible(shortened(text, MOST_CHARACTERS));
}
