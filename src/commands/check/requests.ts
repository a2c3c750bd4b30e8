import { isUtf8 } from 'node:buffer';
import { PatchgateError } from '../../errors.ts';
import { headOf } from '../../guard/recorded-history.ts';
import type { RequestHead } from '../../http/http.ts';
import { isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { findPlace, memberSpans, syntaxErrorOf } from '../../json/json-text.ts';
import { type Exchange, isInline } from '../../model/exchange.ts';
import { bodyBytes } from '../../recordings/body.ts';
import { checkExchange } from '../../recordings/store/check-exchange.ts';
import type { FoundRequest, LoneBody } from './judge-file.ts';
import { type RequestPlaces, requestPlaces, TextLines } from './places.ts';
import { type Input, isRequestLine } from './read-input.ts';

/** Makes the error of a member that is not as it must be. @param what follows the pointer: `must be a text` */
type Fail = (pointer: string, what: string) => Error;

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
  const fail: Fail = (place, what) => failAt(findPlace(text, place).column, `${place} ${what}`.trim());
  const found = { pointer, line, text: new TextLines(text, line) };
  if (isObject(given.request)) return { ...found, ...readExchange(given, fail) };
  const { head, member } = headOfLine(given, fail);
  const span = members.find((one) => one.name === 'body');
  const source = text.slice(span?.value, span?.end);
  const { body, at } = bodyOfLine(given, source, fail);
  return { ...found, head, body, places: { path: member, headers: '/headers', ...at } };
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
  fail: Fail,
): Pick<FoundRequest, 'head' | 'body' | 'places' | 'exchange'> {
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
  if (wrong) throw fail(wrong.pointer, wrong.what);
  const exchange = value as unknown as Exchange;
  const { body } = exchange.request;
  return {
    head: headOf(exchange.request),
    body: isInline(body) ? bodyBytes(body) : undefined,
    places: requestPlaces('/request', exchange.request),
    ...(hasOutcome && { exchange: () => exchange }),
  };
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Without what a server takes for the end of a line. */
const FIELD_VALUE = /^[^\r\n\0]*$/;

/**
 * The head of a request line: `method`, `url` or `path`, `query`, `headers` as the control API's `POST validate` takes them, or as
 * HTTP archives have them. Without headers, the body is taken for JSON.
 */
function headOfLine(line: JsonObject, fail: Fail): { head: RequestHead; member: string } {
  const { method, query } = line;
  if (method === undefined) throw fail('', 'the request has no method');
  if (typeof method !== 'string' || !TOKEN.test(method))
    throw fail('/method', 'must be an HTTP method: "PATCH"');
  if (line.url === undefined && line.path === undefined)
    throw fail('', 'the request has neither url nor path');
  if (line.url !== undefined && line.path !== undefined)
    throw fail('/path', 'stands beside url: give one of them');
  const member = line.url === undefined ? '/path' : '/url';
  const url = line.url ?? line.path;
  if (typeof url !== 'string' || !/^(?:\/|https?:\/\/)/i.test(url))
    throw fail(member, 'must be a path that begins with /, or an http(s) URL');
  if (query !== undefined && typeof query !== 'string') throw fail('/query', 'must be a text: "x=1"');
  const asked = query?.replace(/^\?/, '') ?? '';
  const whole = asked === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${asked}`;
  // Clients send the names of the usual methods in capitals, however they are given.
  const head = {
    method: method.toUpperCase(),
    url: whole.replace(/#.*$/, ''),
    headers: headersOf(line, fail),
  };
  return { head, member };
}

function headersOf({ headers }: JsonObject, fail: Fail): string[] {
  if (headers === undefined || headers === null) return ['content-type', 'application/json'];
  let pairs: readonly unknown[];
  if (isObject(headers)) pairs = Object.entries(headers);
  else if (!Array.isArray(headers))
    throw fail('/headers', 'must be an object of names and texts, or a list of such pairs');
  else if (headers.length > 0 && headers.every((one) => typeof one === 'string')) {
    if (headers.length % 2 !== 0) throw fail('/headers', 'must be names and texts in turn');
    pairs = headers.flatMap((name, i) => (i % 2 === 0 ? [[name, headers[i + 1]]] : []));
  } else pairs = headers.map((one) => (isObject(one) ? [one.name, one.value] : one));
  return pairs.flatMap((pair, index) => {
    if (!Array.isArray(pair) || pair.length !== 2 || typeof pair[0] !== 'string')
      throw fail(`/headers/${index}`, 'must be a pair of name and text');
    const [name, value] = pair as [string, JsonValue];
    return [value].flat().flatMap((one) => {
      if (!TOKEN.test(name) || typeof one !== 'string' || !FIELD_VALUE.test(one))
        throw fail('/headers', `has no header's name and text at ${JSON.stringify(name)}`);
      return [name, one];
    });
  });
}

/** Members that hold a body, of which there is at most one: a JSON value or the exact text, exact texts, bytes. */
const BODIES = ['body', 'raw', 'text', 'bodyBase64'] as const;

/** The body of a request line, and where it stands. @param source the text of the member `body` */
function bodyOfLine(
  line: JsonObject,
  source: string,
  fail: Fail,
): { body: Buffer; at: Pick<RequestPlaces, 'body' | 'as'> } {
  const [name, other] = BODIES.filter((body) => line[body] !== undefined);
  if (name === undefined) return { body: Buffer.alloc(0), at: { body: '/body', as: 'coded' } };
  const pointer = `/${name}`;
  if (other !== undefined) throw fail(`/${other}`, `stands beside ${name}: give one of them`);
  const value = line[name];
  if (name === 'bodyBase64') {
    const body = Buffer.from(typeof value === 'string' ? value : '', 'base64');
    if (body.toString('base64') !== value) throw fail(pointer, 'must be base64 with padding');
    return { body, at: { body: pointer, as: 'coded' } };
  }
  if (typeof value === 'string') {
    // Half of a surrogate pair has no UTF-8: what would be judged is not what was given.
    if (!value.isWellFormed()) throw fail(pointer, 'is no valid Unicode: give such bytes as bodyBase64');
    return { body: Buffer.from(value), at: { body: pointer, as: 'text' } };
  }
  if (name !== 'body') throw fail(pointer, 'must be a text');
  return { body: Buffer.from(source), at: { body: pointer, as: 'source' } };
}
