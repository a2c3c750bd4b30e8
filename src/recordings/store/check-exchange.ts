import { isObject, type JsonObject, type JsonValue, member } from '../../json/json.ts';
import { escapeToken } from '../../json/pointer.ts';
import { FAILURES } from '../../model/exchange.ts';
import { isSessionName, SESSION_NAMES } from '../../model/session-name.ts';
import { isDeeperThan, MAX_JSON_DEPTH } from '../body.ts';
import { hashInName } from '../body-file.ts';

/** The first field that is not as the format says. */
export interface WrongField {
  pointer: string;
  /** Follows the pointer: `must be a text`. */
  what: string;
}

/** Checks one exchange as it was read from a file. Members that the format does not know are let be. */
export function checkExchange(
  value: JsonValue,
  pointer: string,
  place?: { method: string; path: string },
): WrongField | undefined {
  return (
    needObject(value, pointer) ??
    needObject(member(value, 'request'), `${pointer}/request`) ??
    checkRequest(member(value, 'request') as JsonObject, `${pointer}/request`, place) ??
    checkOutcome(value as JsonObject, pointer) ??
    needObject(member(value, 'meta'), `${pointer}/meta`) ??
    checkMeta(member(value, 'meta') as JsonObject, `${pointer}/meta`)
  );
}

function checkRequest(
  request: JsonObject,
  pointer: string,
  place: { method: string; path: string } | undefined,
): WrongField | undefined {
  const { method, path, query } = request;
  if (typeof method !== 'string') return wrong(`${pointer}/method`, 'must be a text');
  if (typeof path !== 'string') return wrong(`${pointer}/path`, 'must be a text');
  if (typeof query !== 'string') return wrong(`${pointer}/query`, 'must be a text');
  if (place && method !== place.method) {
    return wrong(`${pointer}/method`, `is ${method}, but this file is that of ${place.method}`);
  }
  if (place && path !== place.path) {
    return wrong(`${pointer}/path`, `is ${path}, but this file is that of ${place.path}`);
  }
  return checkHeaders(request.headers, `${pointer}/headers`) ?? checkBody(request, pointer);
}

/** A response, or why there is none; or, of a cut one, both. */
function checkOutcome({ response, failure }: JsonObject, pointer: string): WrongField | undefined {
  const place = `${pointer}/response`;
  if (failure === undefined) {
    return needObject(response, place) ?? checkResponse(response as JsonObject, place);
  }
  const kind = isObject(failure) ? failure.kind : undefined;
  if (!isObject(failure)) return wrong(`${pointer}/failure`, 'must be an object');
  if (!FAILURES.some((known) => known === kind)) {
    return wrong(`${pointer}/failure/kind`, `must be one of: ${FAILURES.join(', ')}`);
  }
  if (response === undefined) {
    return kind === 'truncated' ? wrong(place, 'must be what came before it was truncated') : undefined;
  }
  return needObject(response, place) ?? checkResponse(response as JsonObject, place);
}

function checkResponse(response: JsonObject, pointer: string): WrongField | undefined {
  const { status } = response;
  if (!Number.isInteger(status) || (status as number) < 200 || (status as number) > 999) {
    return wrong(`${pointer}/status`, 'must be an integer from 200 to 999');
  }
  return checkHeaders(response.headers, `${pointer}/headers`) ?? checkBody(response, pointer);
}

function checkMeta(meta: JsonObject, pointer: string): WrongField | undefined {
  const { recordedAt, durationMs, session } = meta;
  if (typeof recordedAt !== 'string' || Number.isNaN(Date.parse(recordedAt))) {
    return wrong(`${pointer}/recordedAt`, 'must be a time: 2026-11-20T12:00:00.000Z');
  }
  if (typeof durationMs !== 'number' || durationMs < 0) {
    return wrong(`${pointer}/durationMs`, 'must be a number of milliseconds');
  }
  if (session !== undefined && !isSessionName(session)) {
    return wrong(`${pointer}/session`, `must be a session's name: ${SESSION_NAMES}`);
  }
  return undefined;
}

function checkHeaders(headers: JsonValue | undefined, pointer: string): WrongField | undefined {
  if (!isObject(headers)) return wrong(pointer, 'must be an object');
  for (const [name, value] of Object.entries(headers)) {
    const place = `${pointer}/${escapeToken(name)}`;
    const values = Array.isArray(value) ? value : [value];
    if (!values.every((one) => typeof one === 'string')) {
      return wrong(place, 'must be a text or a list of texts');
    }
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) return wrong(place, 'is no header name in lower case');
    // What Node would refuse to send (RFC 9110 5.5).
    if (!values.every((one) => /^[\t\x20-\x7e\x80-\xff]*$/.test(one as string))) {
      return wrong(place, 'has a character that no header may have');
    }
  }
  return undefined;
}

const BODIES = ['json', 'text', 'base64', 'file', 'omitted'];

function checkBody(message: JsonObject, pointer: string): WrongField | undefined {
  if (!Object.hasOwn(message, 'body')) return undefined;
  const { body } = message;
  const place = `${pointer}/body`;
  if (!isObject(body)) return wrong(place, 'must be an object');
  const kinds = BODIES.filter((kind) => Object.hasOwn(body, kind));
  if (kinds.length !== 1) return wrong(place, `must have one of: ${BODIES.join(', ')}`);
  const { json, text, base64, file, omitted, indent, newline, style } = body;
  if (text !== undefined && typeof text !== 'string') return wrong(`${place}/text`, 'must be a text');
  if (base64 !== undefined && !isBase64(base64)) return wrong(`${place}/base64`, 'must be base64');
  if (file !== undefined && !(typeof file === 'string' && hashInName(file) !== undefined)) {
    return wrong(`${place}/file`, "must be the name of a body's file: GET~<32 hexadecimal digits>.png");
  }
  if (omitted !== undefined && !(Number.isSafeInteger(omitted) && (omitted as number) >= 0)) {
    return wrong(`${place}/omitted`, 'must be a number of bytes');
  }
  if (json !== undefined && isDeeperThan(MAX_JSON_DEPTH, json)) {
    return wrong(`${place}/json`, `is nested deeper than ${MAX_JSON_DEPTH} levels: keep it as text`);
  }
  if (indent !== undefined && !isIndent(indent)) {
    return wrong(`${place}/indent`, 'must be 1 to 10 spaces, or the indenting text');
  }
  if (newline !== undefined && newline !== true) return wrong(`${place}/newline`, 'must be true or left out');
  return style === undefined ? undefined : checkStyle(style, `${place}/style`);
}

/** Where a gap stands, and what it may be around the white space. */
const GAPS = { open: '', comma: ',', close: '', empty: '' };

/** Whatever it says, it must write JSON. */
function checkStyle(style: JsonValue, pointer: string): WrongField | undefined {
  if (!isObject(style)) return wrong(pointer, 'must be an object');
  const isGap = (gap: JsonValue | undefined, mark: string) =>
    gap === undefined || (typeof gap === 'string' && gap.replace(/[ \t\n]/g, '') === mark);
  const checks: Record<string, (value: JsonValue) => boolean> = {
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
  function areGaps(value: JsonValue): boolean {
    return isObject(value) && Object.entries(GAPS).every(([name, mark]) => isGap(value[name], mark));
  }
  const bad = Object.keys(checks).find((name) => {
    const value = member(style, name);
    return value !== undefined && !checks[name]?.(value);
  });
  return bad === undefined ? undefined : wrong(`${pointer}/${bad}`, 'is not as patchgate writes it');
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

function needObject(value: JsonValue | undefined, pointer: string): WrongField | undefined {
  return isObject(value) ? undefined : wrong(pointer, 'must be an object');
}

function wrong(pointer: string, what: string): WrongField {
  return { pointer, what };
}
