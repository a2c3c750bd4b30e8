import { messageOf, PatchgateError } from '../errors.ts';
import { isObject, type JsonValue } from '../json/json.ts';
import type { RecordedRequest, StoredBody } from '../model/exchange.ts';
import type { NormalizedRequest, NormalizeRequest } from '../model/normalize-request.ts';
import { isDeeperThan, jsonOf, MAX_JSON_DEPTH } from './body.ts';
import { redactStoredHeaders, redactText } from './redact/redact.ts';
import type { Redaction } from './redact/redaction.ts';

/**
 * Applies the config's own function to a request.
 *
 * @param nameOf stands for a body that is no text
 * @throws PatchgateError `bad-config` if the function fails or gives back no request
 */
export function normalizeWith(
  normalize: NormalizeRequest,
  request: RecordedRequest,
  redaction: Redaction,
  nameOf: (body: StoredBody) => string,
): RecordedRequest {
  const { method, path, query, headers, body } = request;
  const fail = (what: string, cause?: unknown) =>
    new PatchgateError('bad-config', `normalizeRequest of the config ${what} (for ${method} ${path})`, {
      hint: 'it gets { method, path, query, headers, body } and gives back the same, changed; it must not be async',
      cause,
    });
  const json = body && jsonOf(body);
  const isUnknown = body !== undefined && 'omitted' in body;
  const given: NormalizedRequest = { method, path, query, headers: redactStoredHeaders(headers, redaction) };
  if (json !== undefined) given.body = structuredClone(json);
  else if (body !== undefined && !isUnknown) given.body = 'text' in body ? body.text : nameOf(body);
  const before = given.body;
  let result: NormalizedRequest;
  try {
    result = normalize(given);
  } catch (error) {
    // The message may quote secrets of the request.
    throw fail(`threw: ${redactText(messageOf(error), redaction)}`, error);
  }
  const wrong = wrongIn(result);
  if (wrong !== undefined) throw fail(`gave back ${wrong}`);
  const head = { method: result.method, path: result.path, query: result.query, headers: result.headers };
  if (isUnknown || (typeof before === 'string' && result.body === before))
    return { ...head, ...(body && { body }) };
  if (result.body === undefined) return head;
  if (typeof result.body === 'string') return { ...head, body: { text: result.body } };
  let value: JsonValue;
  try {
    value = JSON.parse(JSON.stringify(result.body)) as JsonValue;
  } catch (error) {
    throw fail('gave back a body that is no JSON value', error);
  }
  if (isDeeperThan(MAX_JSON_DEPTH, value))
    throw fail(`gave back a body that is nested deeper than ${MAX_JSON_DEPTH} levels`);
  return { ...head, body: { json: value } };
}

function wrongIn(result: unknown): string | undefined {
  if (result instanceof Promise) return 'a promise';
  if (result === null) return 'null';
  if (!isObject(result)) return Array.isArray(result) ? 'a list' : `a value of type ${typeof result}`;
  const wrong = ['method', 'path', 'query'].find((name) => typeof result[name] !== 'string');
  if (wrong) return `a request whose ${wrong} is no text`;
  const { headers } = result;
  const values = isObject(headers) ? Object.values(headers).flat() : [undefined];
  return values.every((one) => typeof one === 'string') ? undefined : 'a request whose headers are no texts';
}
