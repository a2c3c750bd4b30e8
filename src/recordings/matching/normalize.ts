import { messageOf, PatchgateError } from '../../errors.ts';
import { isObject, type JsonValue } from '../../json/json.ts';
import type { StoredBody, StoredHeaders } from '../../model/exchange.ts';
import type { NormalizedRequest, NormalizeRequest } from '../../model/normalize-request.ts';
import { isDeeperThan, MAX_JSON_DEPTH } from '../body.ts';
import type { Redaction } from '../redaction/redaction.ts';
import { bytesName, type FormParts, RequestForm } from './request-form.ts';
import { shownBody } from './shown-value.ts';

/**
 * Asks the config's own function for the form of a request.
 *
 * @param headers those that the function gets; what it gives back stands beside the form, which has none
 * @throws PatchgateError `bad-config` where it throws, or gives back what is no request
 */
export function normalize(
  form: RequestForm,
  headers: StoredHeaders,
  own: NormalizeRequest,
  redaction: Redaction,
): { form: RequestForm; headers: StoredHeaders } {
  const { method, path, query, body } = form.parts;
  const given: NormalizedRequest = { method, path, query, headers };
  // Of one that was not kept nobody knows what to give; it matches nothing in any case.
  const bare = body === undefined || 'omitted' in body ? undefined : plainBody(body, form.json);
  if (bare !== undefined) given.body = structuredClone(bare);
  let result: unknown;
  try {
    result = own(given);
  } catch (error) {
    // Its message may quote what it was given.
    throw failed(form, `threw: ${shownBody({ text: messageOf(error) }, {}, redaction)}`, error);
  }
  const wrong = wrongIn(result);
  if (wrong !== undefined) throw failed(form, wrong);
  const request = result as NormalizedRequest;
  const parts: FormParts = {
    method: request.method,
    path: request.path,
    query: request.query,
    headers: [],
    body,
  };
  const isUnknown = body !== undefined && 'omitted' in body;
  // A text is the body itself, unless it is the very one that stood for it.
  if (isUnknown || (typeof bare === 'string' && request.body === bare)) {
    return { form: new RequestForm(parts, { value: form.json }), headers: request.headers };
  }
  return { form: changed(parts, request, form), headers: request.headers };
}

function changed(parts: FormParts, { body }: NormalizedRequest, form: RequestForm): RequestForm {
  if (body === undefined) return new RequestForm({ ...parts, body: undefined });
  if (typeof body === 'string')
    return new RequestForm({ ...parts, body: { text: body } }, { value: undefined });
  let value: JsonValue | undefined;
  try {
    value = JSON.parse(JSON.stringify(body)) as JsonValue;
  } catch (error) {
    throw failed(form, 'gave back a body that is no JSON value', error);
  }
  if (isDeeperThan(MAX_JSON_DEPTH, value)) {
    throw failed(form, `gave back a body that is nested deeper than ${MAX_JSON_DEPTH} levels`);
  }
  return new RequestForm({ ...parts, body: { json: value } }, { value });
}

function plainBody(body: StoredBody, json: JsonValue | undefined): JsonValue {
  if (json !== undefined) return json;
  return 'text' in body ? body.text : bytesName(body);
}

/** What keeps a result from being a request. */
function wrongIn(result: unknown): string | undefined {
  if (result instanceof Promise) return 'gave back a promise';
  if (!isObject(result))
    return `gave back ${result === null ? 'null' : Array.isArray(result) ? 'a list' : `a value of type ${typeof result}`}`;
  for (const name of ['method', 'path', 'query']) {
    if (typeof result[name] !== 'string') return `gave back a request whose ${name} is no text`;
  }
  const { headers } = result;
  const isFit =
    isObject(headers) &&
    Object.values(headers).every((value) => [value].flat().every((one) => typeof one === 'string'));
  return isFit ? undefined : 'gave back a request whose headers are no texts';
}

function failed(form: RequestForm, what: string, cause?: unknown): PatchgateError {
  const { method, path } = form.parts;
  return new PatchgateError('bad-config', `normalizeRequest of the config ${what} (for ${method} ${path})`, {
    hint: 'it gets { method, path, query, headers, body } and gives back the same, changed; it must not be async',
    cause,
  });
}
