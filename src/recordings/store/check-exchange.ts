import { isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { escapeToken } from '../../json/pointer.ts';
import { FAILURES } from '../../model/exchange.ts';
import { isSessionName, SESSION_NAMES } from '../../model/session-name.ts';
import { isDeeperThan, MAX_JSON_DEPTH } from '../body.ts';
import { hashInName } from '../body-file.ts';

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
    checkOutcome(exchange, pointer);
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

/** A response, or why there is none; or, of a cut one, both. */
function checkOutcome({ response, failure }: JsonObject, pointer: string): void {
  const place = `${pointer}/response`;
  if (failure !== undefined) {
    const { kind } = objectAt(failure, `${pointer}/failure`);
    if (!FAILURES.some((known) => known === kind))
      fail(`${pointer}/failure/kind`, `must be one of: ${FAILURES.join(', ')}`);
    if (response === undefined && kind === 'truncated')
      fail(place, 'must be what came before it was truncated');
    if (response === undefined) return;
  }
  const { status } = objectAt(response, place);
  if (!Number.isInteger(status) || (status as number) < 200 || (status as number) > 999)
    fail(`${place}/status`, 'must be an integer from 200 to 999');
  checkMessage(response as JsonObject, place);
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

const BODIES = ['json', 'text', 'base64', 'file', 'omitted'];

function checkBody(body: JsonObject, pointer: string): void {
  const kinds = BODIES.filter((kind) => Object.hasOwn(body, kind));
  if (kinds.length !== 1) fail(pointer, `must have one of: ${BODIES.join(', ')}`);
  const { json, text, base64, file, omitted, indent, newline, style } = body;
  if (text !== undefined && typeof text !== 'string') fail(`${pointer}/text`, 'must be a text');
  if (base64 !== undefined && !isBase64(base64)) fail(`${pointer}/base64`, 'must be base64');
  if (file !== undefined && !(typeof file === 'string' && hashInName(file) !== undefined))
    fail(`${pointer}/file`, "must be the name of a body's file: GET~<32 hexadecimal digits>.png");
  if (omitted !== undefined && !(Number.isSafeInteger(omitted) && (omitted as number) >= 0))
    fail(`${pointer}/omitted`, 'must be a number of bytes');
  if (json !== undefined && isDeeperThan(MAX_JSON_DEPTH, json))
    fail(`${pointer}/json`, `is nested deeper than ${MAX_JSON_DEPTH} levels: keep it as text`);
  if (indent !== undefined && !isIndent(indent))
    fail(`${pointer}/indent`, 'must be 1 to 10 spaces, or the indenting text');
  if (newline !== undefined && newline !== true) fail(`${pointer}/newline`, 'must be true or left out');
  if (style !== undefined) checkStyle(objectAt(style, `${pointer}/style`), `${pointer}/style`);
}

/** Where a gap stands, and what it may be around the white space. */
const GAPS = { open: '', comma: ',', close: '', empty: '' };

const STYLES: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  colon: (value) => isGap(value, ':'),
  comma: (value) => isGap(value, ','),
  object: areGaps,
  array: areGaps,
  crlf: (value) => value === true,
  ascii: (value) => value === true,
  escaped: (value) => typeof value === 'string',
  hex: (value) => value === 'upper',
  numbers: (value) => isObject(value) && Object.values(value).every((one) => typeof one === 'string'),
};

/** Whatever it says, it must write JSON. */
function checkStyle(style: JsonObject, pointer: string): void {
  for (const [name, value] of Object.entries(style))
    if (Object.hasOwn(STYLES, name) && !STYLES[name]?.(value as JsonValue))
      fail(`${pointer}/${name}`, 'is not as patchgate writes it');
}

function areGaps(value: JsonValue): boolean {
  return isObject(value) && Object.entries(GAPS).every(([name, mark]) => isGap(value[name], mark));
}

function isGap(gap: JsonValue | undefined, mark: string): boolean {
  return gap === undefined || (typeof gap === 'string' && gap.replace(/[ \t\n]/g, '') === mark);
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
