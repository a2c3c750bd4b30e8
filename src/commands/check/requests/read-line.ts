import { PatchgateError } from '../../../errors.ts';
import { headOf } from '../../../guard/recorded-history.ts';
import { isObject, type JsonObject, type JsonValue } from '../../../json/json.ts';
import { findPlace, memberSpans } from '../../../json/json-text.ts';
import { type Exchange, isInline } from '../../../model/exchange.ts';
import { bodyBytes } from '../../../recordings/body.ts';
import { checkExchange } from '../../../recordings/store/check-exchange.ts';
import { isRequestLine } from '../inputs/input-kind.ts';
import { jsonBreakOf } from '../json/json-break.ts';
import { isTooDeep } from '../json/value-end.ts';
import type { FoundRequest } from '../judging/stream-judge.ts';
import { NO_BODY } from '../judging/subject-list.ts';
import { requestPlaces } from '../places/places-in-file.ts';
import type { StreamLine } from './lines-of-stream.ts';
import { bodyOfLine, type FailAt, headOfLine } from './request-line.ts';

/** A body of which nothing on its line says what it is for. */
export interface LoneLine {
  bytes: Buffer;
}

const HINT = 'give one JSON object on each line: {"method": "PATCH", "url": "/api/v2/…", "body": {…}}';
const JSON_TYPE = { 'content-type': 'application/json' };
/** Stands for one that nobody has written down. */
const NO_ANSWER = { status: 200, headers: {} };
const NO_TIME = { recordedAt: '1970-01-01T00:00:00.000Z', durationMs: 0 };

/**
 * What a line of JSON Lines holds: a request, an exchange, or a body alone.
 *
 * @param text the line's
 * @param file for messages
 * @throws PatchgateError `bad-input` with file, line and column where it is none of these
 */
export function readLine(
  { bytes, line, isEnded }: StreamLine,
  text: string,
  file: string,
): FoundRequest | LoneLine {
  const fail = (column: number, what: string) =>
    new PatchgateError('bad-input', `${file}:${line}:${column}: ${what}`, { hint: HINT });
  const value = parse();
  if (!isRequestLine(value)) return { bytes };
  const members = memberSpans(text);
  const names = new Set<string>();
  for (const { name, start } of members) {
    if (names.has(name)) throw fail(start + 1, `${JSON.stringify(name)} stands here for the second time`);
    names.add(name);
  }
  const failAt = (pointer: string, what: string) =>
    fail(findPlace(text, pointer).column, `${pointer} ${what}`.trim());
  if (isObject((value as JsonObject).request)) return readExchange(value as JsonObject, failAt);
  const { head, places } = headOfLine(value as JsonObject, failAt);
  return { head, ...bodyOfLine(value as JsonObject, text, members, places, failAt) };

  function parse(): JsonValue {
    try {
      if (isTooDeep(bytes)) throw new Error('no JSON');
      const parsed = JSON.parse(text) as JsonValue;
      if (!text.includes('\ufffd') || !jsonBreakOf(bytes)) return parsed;
    } catch {
      // What is wrong is told below.
    }
    const { offset, message, isCut } = jsonBreakOf(bytes) ?? {
      offset: 0,
      message: 'this is no JSON',
      isCut: false,
    };
    if (!isCut) throw fail(offset + 1, message);
    throw fail(
      offset + 1,
      isEnded ? 'the line ends before its JSON does' : 'the file is cut off: its last line is not whole',
    );
  }
}

/** As recordings keep it; what they always write may be left out by others. */
function readExchange(given: JsonObject, failAt: FailAt): FoundRequest {
  const { request, response, failure } = given as { request: JsonObject } & JsonObject;
  const hasOutcome = response !== undefined || failure !== undefined;
  const answer = isObject(response) ? { headers: {}, ...response } : response;
  const value = {
    meta: NO_TIME,
    ...given,
    request: { query: '', headers: JSON_TYPE, ...request },
    ...(hasOutcome ? response !== undefined && { response: answer } : { response: NO_ANSWER }),
  } as JsonObject;
  const wrong = checkExchange(value, '');
  if (wrong) throw failAt(wrong.pointer, wrong.what);
  const exchange = value as unknown as Exchange;
  const { body } = exchange.request;
  return {
    head: headOf(exchange.request),
    body: isInline(body) ? bodyBytes(body) : { missing: NO_BODY },
    places: requestPlaces('/request', exchange.request),
    ...(hasOutcome && { exchange: () => exchange }),
  };
}
