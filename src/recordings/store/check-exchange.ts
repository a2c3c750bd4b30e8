import { isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { escapeToken } from '../../json/pointer.ts';
import { isSessionName, SESSION_NAMES } from '../../model/session-name.ts';
import { isDeeperThan, MAX_JSON_DEPTH } from '../body.ts';

/** A field that is not as the format says. */
class WrongField extends Error {
  readonly pointer: string;
  /** Follows the pointer: `must be a text`. */
  readonly what: string;

  constructor(pointer: string, what: string) {
    super(what);
    this.pointer = pointer;
    this.what = what;
  }
}

/** Checks one exchange as it was read from a file. Members that the format does not know are let be. @returns the first wrong field */
export function checkExchange(
  value: JsonValue,
  pointer: string,
  place?: { method: string; path: string },
): WrongField | undefined {
  try {
    const exchange = objectAt(value, pointer);
    checkRequest(objectAt(exchange.request, `${pointer}/request`), `${pointer}/request`, place);
    checkResponse(objectAt(exchange.response, `${pointer}/response`), `${pointer}/response`);
    checkMeta(objectAt(exchange.meta, `${pointer}/meta`), `${pointer}/meta`);
    return undefined;
  } catch (error) {
    if (error instanceof WrongField) return error;
    throw error;
  }
}

function fail(pointer: string, what: string): never {
  throw new WrongField(pointer, what);
}

function objectAt(value: JsonValue | undefined, pointer: string): JsonObject {
  return isObject(value) ? value : fail(pointer, 'must be an object');
}

function checkRequest(
  request: JsonObject,
  pointer: string,
  place: { method: string; path: string } | undefined,
): void {
  for (const name of ['method', 'path', 'query'])
    if (typeof request[name] !== 'string') fail(`${pointer}/${name}`, 'must be a text');
  for (const name of place ? (['method', 'path'] as const) : [])
    if (request[name] !== place?.[name])
      fail(`${pointer}/${name}`, `is ${request[name]}, but this file is that of ${place?.[name]}`);
  checkMessage(request, pointer);
}

function checkResponse(response: JsonObject, pointer: string): void {
  const { status } = response;
  if (!Number.isInteger(status) || (status as number) < 200 || (status as number) > 999)
    fail(`${pointer}/status`, 'must be an integer from 200 to 999');
  checkMessage(response, pointer);
}

function checkMeta({ recordedAt, durationMs, session }: JsonObject, pointer: string): void {
  if (typeof recordedAt !== 'string' || Number.isNaN(Date.parse(recordedAt)))
    fail(`${pointer}/recordedAt`, 'must be a time: 2026-11-20T12:00:00.000Z');
  if (typeof durationMs !== 'number' || durationMs < 0)
    fail(`${pointer}/durationMs`, 'must be a number of milliseconds');
  if (session !== undefined && !isSessionName(session))
    fail(`${pointer}/session`, `must be a session's name: ${SESSION_NAMES}`);
}

function checkMessage(message: JsonObject, pointer: string): void {
  const headers = objectAt(message.headers, `${pointer}/headers`);
  for (const [name, value] of Object.entries(headers)) {
    const values = Array.isArray(value) ? value : [value];
    const wrong = !values.every((one) => typeof one === 'string')
      ? 'must be a text or a list of texts'
      : !/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)
        ? 'is no header name in lower case'
        : // What Node would refuse to send (RFC 9110 5.5).
          !values.every((one) => /^[\t\x20-\x7e\x80-\xff]*$/.test(one as string))
          ? 'has a character that no header may have'
          : undefined;
    if (wrong) fail(`${pointer}/headers/${escapeToken(name)}`, wrong);
  }
  if (Object.hasOwn(message, 'body')) checkBody(objectAt(message.body, `${pointer}/body`), `${pointer}/body`);
}

const BODIES = ['json', 'text', 'base64', 'omitted'];

function checkBody(body: JsonObject, pointer: string): void {
  const kinds = BODIES.filter((kind) => Object.hasOwn(body, kind));
  if (kinds.length !== 1) fail(pointer, `must have one of: ${BODIES.join(', ')}`);
  const { json, text, base64, omitted, indent, newline, spaced } = body;
  if (text !== undefined && typeof text !== 'string') fail(`${pointer}/text`, 'must be a text');
  if (base64 !== undefined && !isBase64(base64)) fail(`${pointer}/base64`, 'must be base64');
  if (omitted !== undefined && !(Number.isSafeInteger(omitted) && (omitted as number) >= 0))
    fail(`${pointer}/omitted`, 'must be a number of bytes');
  if (json !== undefined && isDeeperThan(MAX_JSON_DEPTH, json))
    fail(`${pointer}/json`, `is nested deeper than ${MAX_JSON_DEPTH} levels: keep it as text`);
  if (indent !== undefined && !isIndent(indent))
    fail(`${pointer}/indent`, 'must be 1 to 10 spaces, or the indenting text');
  if (newline !== undefined && newline !== true) fail(`${pointer}/newline`, 'must be true or left out');
  if (spaced !== undefined && spaced !== true) fail(`${pointer}/spaced`, 'must be true or left out');
}

function isBase64(value: JsonValue): boolean {
  return typeof value === 'string' && Buffer.from(value, 'base64').toString('base64') === value;
}

/** What JSON.stringify takes as it is. */
function isIndent(value: JsonValue): boolean {
  return typeof value === 'number'
    ? Number.isInteger(value) && value >= 1 && value <= 10
    : typeof value === 'string' && /^[ \t]{1,10}$/.test(value);
}
