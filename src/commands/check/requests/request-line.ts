import type { RequestHead } from '../../../http/http.ts';
import { isObject, type JsonObject, type JsonValue } from '../../../json/json.ts';
import type { MemberSpan } from '../../../json/json-text.ts';
import type { RequestPlaces } from '../places/places-in-file.ts';

/** Makes the error of a member that is not as it must be. @param what follows the pointer: `must be a text` */
export type FailAt = (pointer: string, what: string) => Error;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What no server sees as a line of its own. */
const FIELD_VALUE = /^[^\r\n\0]*$/;
/** Members that hold a body, of which there is at most one: a JSON value or the exact text, exact texts, bytes. */
const BODIES = ['body', 'raw', 'text', 'bodyBase64'] as const;
const NO_BYTES = Buffer.alloc(0);

/** Where the head of a request line stands. */
type HeadPlaces = Pick<RequestPlaces, 'path' | 'headers'>;

/**
 * The head of a request line: `method`, `url` or `path`, `query`, `headers` as the control API's `POST validate` takes them, or as
 * HTTP archives have them. Where nobody wrote headers, the body is taken for JSON.
 */
export function headOfLine(line: JsonObject, fail: FailAt): { head: RequestHead; places: HeadPlaces } {
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
  const asked = query === undefined ? '' : query.replace(/^\?/, '');
  const whole = asked === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${asked}`;
  // Clients send the names of the usual methods in capitals, however they are given.
  const head = {
    method: method.toUpperCase(),
    url: whole.replace(/#.*$/, ''),
    headers: headersOf(line, fail),
  };
  return { head, places: { path: member, headers: '/headers' } };
}

function headersOf({ headers }: JsonObject, fail: FailAt): string[] {
  if (headers === undefined || headers === null) return ['content-type', 'application/json'];
  if (isObject(headers))
    return Object.entries(headers).flatMap(([name, value]) => pairsOf(name, value, fail));
  if (!Array.isArray(headers))
    throw fail('/headers', 'must be an object of names and texts, or a list of such pairs');
  const isFlat = headers.length > 0 && headers.every((one) => typeof one === 'string');
  if (isFlat && headers.length % 2 !== 0) throw fail('/headers', 'must be names and texts in turn');
  const pairs = isFlat
    ? headers.flatMap((name, i) => (i % 2 === 0 ? [[name, headers[i + 1] as JsonValue]] : []))
    : headers.map((one) => (isObject(one) ? [one.name, one.value] : one));
  return pairs.flatMap((pair, index) => {
    const isPair = Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string';
    if (!isPair) throw fail(`/headers/${index}`, 'must be a pair of name and text');
    return pairsOf(pair[0] as string, pair[1] as JsonValue, fail);
  });
}

function pairsOf(name: string, value: JsonValue, fail: FailAt): string[] {
  return [value].flat().flatMap((one) => {
    if (!TOKEN.test(name) || typeof one !== 'string' || !FIELD_VALUE.test(one))
      throw fail('/headers', `has no header's name and text at ${JSON.stringify(name)}`);
    return [name, one];
  });
}

/** The body of a request line, and where all of it stands. */
export function bodyOfLine(
  line: JsonObject,
  text: string,
  members: readonly MemberSpan[],
  places: HeadPlaces,
  fail: FailAt,
): { body: Buffer; places: RequestPlaces } {
  const [name, other] = BODIES.filter((body) => line[body] !== undefined);
  if (name === undefined) return { body: NO_BYTES, places: { ...places, body: '/body', as: 'coded' } };
  if (other !== undefined) throw fail(`/${other}`, `stands beside ${name}: give one of them`);
  const value = line[name];
  const pointer = `/${name}`;
  const at = (as: RequestPlaces['as']): RequestPlaces => ({ ...places, body: pointer, as });
  if (name === 'bodyBase64') {
    const body = typeof value === 'string' ? Buffer.from(value, 'base64') : NO_BYTES;
    if (body.toString('base64') !== value) throw fail(pointer, 'must be base64 with padding');
    return { body, places: at('coded') };
  }
  if (typeof value === 'string') {
    // Half of a surrogate pair has no UTF-8: what would be judged is not what was given.
    if (!value.isWellFormed()) throw fail(pointer, 'is no valid Unicode: give such bytes as bodyBase64');
    return { body: Buffer.from(value), places: at('text') };
  }
  if (name !== 'body') throw fail(pointer, 'must be a text');
  const { value: start, end } = members.find((member) => member.name === name) as MemberSpan;
  return { body: Buffer.from(text.slice(start, end)), places: at('source') };
}
