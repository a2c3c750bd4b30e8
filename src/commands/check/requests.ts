import { isUtf8 } from 'node:buffer';
import { PatchgateError } from '../../errors.ts';
import { headOf } from '../../guard/recorded-history.ts';
import { type FailAt, readDescribedRequest } from '../../http/described-request.ts';
import { isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { findPlace, memberSpans, syntaxErrorOf } from '../../json/json-text.ts';
import { type Exchange, isKept } from '../../model/exchange.ts';
import { bodyBytes } from '../../recordings/body.ts';
import { checkExchange } from '../../recordings/store/check-exchange.ts';
import type { FoundRequest, LoneBody } from './judge-file.ts';
import { requestPlaces } from './places.ts';
import { type Input, isRequestLine } from './read-input.ts';

const HINT = 'give one JSON object on each line: {"method": "PATCH", "url": "/api/v2/…", "body": {…}}';

/**
 * What each line of JSON Lines holds: a request, an exchange, or a body alone. Blank lines are left out.
 *
 * @throws PatchgateError `bad-input` with file, line and column where a line is none of these
 */
export function* readLines({ bytes, name }: Input): Generator<FoundRequest | LoneBody> {
  let index = 0;
  let at = bytes.toString('latin1', 0, 3) === 'ï»¿' ? 3 : 0;
  for (let line = 1; at < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, at);
    const isEnded = end >= 0;
    const own = bytes.subarray(at, isEnded ? end : bytes.length);
    at += own.length + 1;
    const text = own.toString('utf8');
    if (!/^[ \t\r]*$/.test(text)) yield readLine(own, text, { name, line, isEnded, pointer: `/${index++}` });
  }
}

interface Line {
  /** The file's, for messages. */
  name: string;
  line: number;
  /** Whether a line feed ends it. */
  isEnded: boolean;
  pointer: string;
}

function readLine(
  bytes: Buffer,
  text: string,
  { name, line, isEnded, pointer }: Line,
): FoundRequest | LoneBody {
  const failAt = (column: number, what: string) =>
    new PatchgateError('bad-input', `${name}:${line}:${column}: ${what}`, { hint: HINT });
  const value = parsed(bytes, text, isEnded, failAt);
  if (!isRequestLine(value)) return { bytes, line, pointer };
  const given = value as JsonObject;
  const members = memberSpans(text);
  const names = new Set<string>();
  for (const { name, start } of members) {
    if (names.has(name)) throw failAt(start + 1, `${JSON.stringify(name)} stands here for the second time`);
    names.add(name);
  }
  const fail: FailAt = (place, what) => failAt(findPlace(text, place).column, `${place} ${what}`.trim());
  const found = { pointer, line, text: { text, line } };
  if (isObject(given.request)) return { ...found, ...readExchange(given, fail) };
  const span = members.find((one) => one.name === 'body');
  const described = readDescribedRequest(given, fail, text.slice(span?.value, span?.end));
  const { method, url, bodyMember = 'body', body } = described;
  const isText = typeof given[bodyMember] === 'string' && bodyMember !== 'bodyBase64';
  return {
    ...found,
    // Clients send the names of the usual methods in capitals, however they are given.
    head: {
      method: method.toUpperCase(),
      url: url.replace(/#.*$/, ''),
      headers: given.headers ? described.headers : ['content-type', 'application/json'],
    },
    body,
    places: {
      path: given.url === undefined ? '/path' : '/url',
      headers: '/headers',
      body: `/${bodyMember}`,
      as: isText ? 'text' : bodyMember === 'body' && given.body !== undefined ? 'source' : 'coded',
    },
  };
}

/** A word or an escape of which the end is missing. */
const HALF = /^(?:t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|\\(?:u[\da-f]{0,3})?)$/i;

function parsed(
  bytes: Buffer,
  text: string,
  isEnded: boolean,
  failAt: (column: number, what: string) => Error,
): JsonValue {
  try {
    const value = JSON.parse(text) as JsonValue;
    if (isUtf8(bytes)) return value;
  } catch {
    const { offset, message } = syntaxErrorOf(text) ?? { offset: 0, message: 'invalid JSON' };
    const isCut = offset >= text.trimEnd().length || HALF.test(text.slice(offset));
    if (!isCut) throw failAt(offset + 1, message);
    throw failAt(
      offset + 1,
      isEnded ? 'the line ends before its JSON does' : 'the file is cut off: its last line is not whole',
    );
  }
  throw failAt(text.indexOf('\ufffd') + 1, 'this is not valid UTF-8');
}

const JSON_TYPE = { 'content-type': 'application/json' };
/** Stands for an answer that is not in the file. */
const NO_ANSWER = { status: 200, headers: {} };
const NO_TIME = { recordedAt: '1970-01-01T00:00:00.000Z', durationMs: 0 };

/** As recordings keep it; what they always write may be left out by others. */
function readExchange(
  given: JsonObject,
  fail: FailAt,
): Pick<FoundRequest, 'head' | 'body' | 'places' | 'exchange' | 'time'> {
  const { request, response } = given as { request: JsonObject } & JsonObject;
  const hasOutcome = response !== undefined;
  const answer = isObject(response) ? { headers: {}, ...response } : response;
  const value = {
    meta: NO_TIME,
    ...given,
    request: { query: '', headers: JSON_TYPE, ...request },
    response: hasOutcome ? answer : NO_ANSWER,
  } as JsonObject;
  const wrong = checkExchange(value, '');
  if (wrong) throw fail(wrong.pointer, wrong.what);
  const exchange = value as unknown as Exchange;
  const { body } = exchange.request;
  return {
    head: headOf(exchange.request),
    body: isKept(body) ? bodyBytes(body) : undefined,
    places: requestPlaces('/request', exchange.request),
    ...(given.meta !== undefined && { time: exchange.meta.recordedAt }),
    ...(hasOutcome && { exchange: () => exchange }),
  };
}
