import { messageOf, PatchgateError } from '../../errors.ts';
import type { GateRequest } from '../../gate/gate.ts';
import { isObject, type JsonObject, type JsonValue } from '../../json/json.ts';

const MEMBERS = ['method', 'url', 'headers', 'body', 'bodyBase64'];
const EXAMPLE =
  'send {"method": "PATCH", "url": "/api/v2/…", "headers": {"content-type": "application/json"}, "body": "{…}"}, the body as exact text';
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const TARGET = /^(?:\/|https?:\/\/)[\x21-\x7e\x80-\xff]*$/i;
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * The request that `POST validate` describes: `{method, url, headers, body | bodyBase64}`, headers as an object (a
 * list where a name comes several times) or as a raw list of names and values. Nothing is added to it.
 *
 * @param bytes the JSON text, as `express.raw` leaves it: nothing where there was no body
 * @param bodyLimit a longer body is `too-large`, as it is on the data path
 * @throws PatchgateError `bad-input`, naming the member
 */
export function readDryRun(bytes: unknown, bodyLimit: number): GateRequest {
  const input = readJson(bytes, EXAMPLE);
  if (!isObject(input)) throw bad('the input is not a JSON object');
  const unknown = Object.keys(input).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined)
    throw bad(`the input has an unknown member ${JSON.stringify(unknown.slice(0, 100))}`);
  const { method, url } = input;
  if (typeof method !== 'string' || !TOKEN.test(method)) throw bad('/method is not an HTTP method');
  if (typeof url !== 'string' || !TARGET.test(url))
    throw bad(
      '/url is not a path that begins with /, or an http(s) URL, without spaces and control characters',
    );
  const body = bodyOf(input);
  return {
    method,
    url,
    headers: headersOf(input.headers ?? {}),
    body: body.length > bodyLimit ? 'too-large' : body,
  };
}

function headersOf(headers: JsonValue): string[] {
  const raw: JsonValue[] = Array.isArray(headers)
    ? headers
    : Object.entries(headers ?? {}).flatMap(([name, value]) =>
        (Array.isArray(value) ? value : [value]).flatMap((one) => [name, one]),
      );
  const wellFormed = raw.every(
    (part, i) => typeof part === 'string' && (i % 2 === 0 ? TOKEN : FIELD_VALUE).test(part),
  );
  if (!(Array.isArray(headers) || isObject(headers)) || raw.length % 2 !== 0 || !wellFormed)
    throw bad('/headers is neither an object of names and texts nor a list of names and texts in turn');
  return raw as string[];
}

function bodyOf({ body, bodyBase64 }: JsonObject): Buffer {
  if (body !== undefined && bodyBase64 !== undefined) throw bad('/body and /bodyBase64 exclude each other');
  if (bodyBase64 !== undefined) {
    const bytes = typeof bodyBase64 === 'string' ? Buffer.from(bodyBase64, 'base64') : undefined;
    if (bytes === undefined || bytes.toString('base64') !== bodyBase64)
      throw bad('/bodyBase64 is not base64 with padding');
    return bytes;
  }
  if (body === undefined) return Buffer.alloc(0);
  if (typeof body !== 'string') throw bad('/body is not a text');
  const bytes = Buffer.from(body);
  // Half of a surrogate pair has no UTF-8: what would be judged is not what was given.
  if (bytes.toString() !== body) throw bad('/body is no valid Unicode; give such bytes as bodyBase64');
  return bytes;
}

function bad(message: string): PatchgateError {
  return new PatchgateError('bad-input', message, { hint: EXAMPLE });
}

/** The value of a request's body. @param bytes what `express.raw` leaves: nothing where there was no body
 *  @throws PatchgateError `bad-input` */
export function readJson(bytes: unknown, hint: string): JsonValue {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.isBuffer(bytes) ? bytes : undefined);
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    const message = `the input is not a JSON text: ${messageOf(error).slice(0, 200)}`;
    throw new PatchgateError('bad-input', message, { hint });
  }
}
