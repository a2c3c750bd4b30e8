import { isObject, type JsonObject } from '../json/json.ts';
import type { RequestHead } from './http.ts';

/** Makes the error of a member that is not as it must be. @param what follows the pointer: `must be a text` */
export type FailAt = (pointer: string, what: string) => Error;

/** A request that a JSON object describes. */
interface DescribedRequest extends RequestHead {
  /** The member with the body, which tells how it is given; undefined: there is none. */
  bodyMember: BodyMember | undefined;
  body: Buffer;
}

type BodyMember = (typeof BODIES)[number];

/** At most one of them: exact texts, bytes. */
const BODIES = ['body', 'raw', 'text', 'bodyBase64'] as const;
/** All that is read. */
export const REQUEST_MEMBERS: readonly string[] = ['method', 'url', 'path', 'query', 'headers', ...BODIES];

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const URL_FORM = /^(?:\/|https?:\/\/)[\x21-\x7e\x80-\xff]*$/i;
const VALUE_FORM = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Reads `{method, url | path, query, headers, body | raw | text | bodyBase64}`. Headers are an object (a list where a name comes
 * several times), a raw list of names and values, or a list of pairs or of `{name, value}`.
 */
export function readDescribedRequest(given: JsonObject, fail: FailAt): DescribedRequest {
  const { method, url, path, query = '' } = given;
  if (method === undefined) throw fail('', 'the request has no method');
  if (typeof method !== 'string' || !TOKEN.test(method))
    throw fail('/method', 'must be an HTTP method: "PATCH"');
  if (url === undefined && path === undefined) throw fail('', 'the request has neither url nor path');
  if (url !== undefined && path !== undefined) throw fail('/path', 'stands beside url: give one of them');
  const target = url ?? path;
  if (typeof target !== 'string' || !URL_FORM.test(target))
    throw fail(
      url === undefined ? '/path' : '/url',
      'must be a path that begins with /, or an http(s) URL, without spaces and control characters',
    );
  if (typeof query !== 'string' || !URL_FORM.test(`/${query}`)) throw fail('/query', 'must be a text: "x=1"');
  const asked = query.replace(/^\?/, '');
  return {
    method,
    url: asked === '' ? target : `${target}${target.includes('?') ? '&' : '?'}${asked}`,
    headers: headersOf(given, fail),
    ...bodyOf(given, fail),
  };
}

function headersOf({ headers }: JsonObject, fail: FailAt): string[] {
  if (headers === undefined || headers === null) return [];
  if (!isObject(headers) && !Array.isArray(headers))
    throw fail('/headers', 'must be an object of names and texts, or a list of such pairs');
  return pairsOf(headers, fail).flatMap((pair, index) => {
    if (!Array.isArray(pair) || pair.length !== 2 || typeof pair[0] !== 'string')
      throw fail(`/headers/${index}`, 'must be a pair of name and text');
    const [name, value] = pair as [string, unknown];
    return [value].flat().flatMap((one) => {
      if (TOKEN.test(name) && typeof one === 'string' && VALUE_FORM.test(one)) return [name, one];
      throw fail('/headers', `has no header's name and text at ${JSON.stringify(name)}`);
    });
  });
}

function pairsOf(headers: NonNullable<JsonObject['headers']>, fail: FailAt): readonly unknown[] {
  if (!Array.isArray(headers)) return Object.entries(headers);
  if (typeof headers[0] !== 'string')
    return headers.map((one) => (isObject(one) ? [one.name, one.value] : one));
  if (headers.length % 2 !== 0) throw fail('/headers', 'must be names and texts in turn');
  return headers.flatMap((name, i) => (i % 2 === 0 ? [[name, headers[i + 1]]] : []));
}

function bodyOf(given: JsonObject, fail: FailAt) {
  const [bodyMember, other] = BODIES.filter((name) => given[name] !== undefined);
  if (bodyMember === undefined) return { bodyMember, body: Buffer.alloc(0) };
  const pointer = `/${bodyMember}`;
  if (other !== undefined) throw fail(`/${other}`, `stands beside ${bodyMember}: give one of them`);
  const value = given[bodyMember];
  if (bodyMember === 'bodyBase64') {
    const body = Buffer.from(typeof value === 'string' ? value : '', 'base64');
    if (body.toString('base64') === value) return { bodyMember, body };
    throw fail(pointer, 'must be base64 with padding');
  }
  if (typeof value === 'string') {
    // Half of a surrogate pair has no UTF-8: what would be judged is not what was given.
    if (value.isWellFormed()) return { bodyMember, body: Buffer.from(value) };
    throw fail(pointer, 'is no valid Unicode: give such bytes as bodyBase64');
  }
  throw fail(pointer, 'must be a text');
}
