import { isObject, type JsonObject } from '../json/json.ts';
import type { RequestHead } from './http.ts';

/** Makes the error of a member that is not as it must be. @param what follows the pointer: `must be a text` */
type FailAt = (pointer: string, what: string) => Error;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const URL_FORM = /^(?:\/|https?:\/\/)[\x21-\x7e\x80-\xff]*$/i;
const VALUE_FORM = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Reads `{method, url, headers, body}`. A header that comes several times has a list; `body` is the exact text. */
export function readDescribedRequest(given: JsonObject, fail: FailAt): RequestHead & { body: Buffer } {
  const { method, url, headers = {}, body = '', ...others } = given;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw fail('', `unknown member ${unknown.slice(0, 100)}`);
  if (typeof method !== 'string' || !TOKEN.test(method))
    throw fail('/method', 'must be an HTTP method: "PATCH"');
  if (typeof url !== 'string' || !URL_FORM.test(url))
    throw fail('/url', 'must be a path that begins with /, or an http(s) URL, without spaces');
  if (!isObject(headers)) throw fail('/headers', 'must be an object of names and texts');
  const raw = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().flatMap((value) => {
      if (TOKEN.test(name) && typeof value === 'string' && VALUE_FORM.test(value)) return [name, value];
      throw fail('/headers', `has no header's name and text at ${JSON.stringify(name)}`);
    }),
  );
  // Half of a surrogate pair has no UTF-8: what would be judged is not what was given.
  if (typeof body !== 'string' || !body.isWellFormed())
    throw fail('/body', 'must be a text of valid Unicode');
  return { method, url, headers: raw, body: Buffer.from(body) };
}
