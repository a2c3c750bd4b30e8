import { messageOf, PatchgateError } from '../../errors.ts';
import { isObject, type JsonValue } from '../../json/json.ts';
import { withoutMatches } from '../../json/pointer-pattern.ts';
import { isInline, type RecordedRequest, type StoredBody, type StoredHeaders } from '../../model/exchange.ts';
import type { NormalizedRequest, NormalizeRequest } from '../../model/normalize-request.ts';
import { bodyBytes, isDeeperThan, jsonOf, MAX_JSON_DEPTH, storeBody } from '../body.ts';
import { hashInName, hashOf } from '../body-file.ts';
import { withOneBoundary, withPartsInOrder } from '../multipart-boundary.ts';
import { decodePart } from '../redaction/decode-part.ts';
import { contentTypeOf, isForm, redactHeader, redactStoredHeaders } from '../redaction/redact.ts';
import { isMultipart } from '../redaction/redact-body.ts';
import type { MatchRules } from './match-rules.ts';
import { queryValues } from './query.ts';
import { shownBody } from './shown-value.ts';

/** What is compared of a request: the request itself, changed as the rules say. */
export interface RequestForm {
  method: string;
  path: string;
  query: string;
  /** Those that the rules name, redacted, in the order of the names; one that the request lacks is not there. */
  headers: readonly FormHeader[];
  body: StoredBody | undefined;
  /** The body as a value; undefined where it is no JSON. */
  json: JsonValue | undefined;
}

export type FormHeader = readonly [name: string, value: string];

const NO_HEADERS: readonly FormHeader[] = [];

/** A recorded request is compared more than once. */
const forms = new WeakMap<RecordedRequest, { rules: MatchRules; form: RequestForm }>();

/** @throws PatchgateError `bad-config` where the config's own function fails */
export function formOf(request: RecordedRequest, rules: MatchRules): RequestForm {
  if (rules.isPlain) return plainForm(ofOneBoundary(request), NO_HEADERS);
  const known = forms.get(request);
  if (known?.rules === rules) return known.form;
  const form = changedForm(ofOneBoundary(request), rules);
  forms.set(request, { rules, form });
  return form;
}

function plainForm(
  { method, path, query, body }: RecordedRequest,
  headers: readonly FormHeader[],
): RequestForm {
  return { method, path, query, headers, body, json: body && jsonOf(body) };
}

/** One that was recorded before boundaries were, or by hand. */
function ofOneBoundary(request: RecordedRequest): RecordedRequest {
  const { headers, body } = request;
  if (body === undefined || !('text' in body || 'base64' in body)) return request;
  const form = withOneBoundary(contentTypeOf(headers), bodyBytes(body));
  if (!form) return request;
  const stored = storeBody(form.body, form.contentType);
  return {
    ...request,
    headers: { ...headers, 'content-type': form.contentType },
    ...(stored && { body: stored }),
  };
}

function changedForm(request: RecordedRequest, rules: MatchRules): RequestForm {
  let form = plainForm(request, namedHeaders(request.headers, rules));
  if (rules.normalize) form = normalized(form, request.headers, rules.normalize, rules);
  if (rules.formsAsSets) form = formAsSet(form, contentTypeOf(request.headers));
  const { ignored, ignoredQuery } = rules;
  if (ignoredQuery.size > 0) form = { ...form, query: withoutNames(form.query, ignoredQuery) };
  if (ignored?.matches) return { ...form, body: undefined, json: undefined };
  if (ignored === undefined || form.json === undefined) return form;
  const json = withoutMatches(form.json, ignored) as JsonValue;
  return json === form.json ? form : { ...form, body: { json }, json };
}

/** The same of a value that was kept and of one that is sent: both are redacted. */
function namedHeaders(headers: StoredHeaders, rules: MatchRules): readonly FormHeader[] {
  const named: FormHeader[] = [];
  for (const name of rules.headers) {
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    if (value === undefined) continue;
    named.push([
      name,
      [value]
        .flat()
        .map((one) => redactHeader(name, one, rules.redaction))
        .join(', '),
    ]);
  }
  return named;
}

function withoutNames(query: string, names: ReadonlySet<string>): string {
  const kept = query.split('&').filter((part) => !names.has(decodePart(part.split('=', 1)[0] as string)));
  return kept.join('&');
}

/** A form as an object of its fields, so that their order does not matter; one of parts with these in order. */
function formAsSet(form: RequestForm, contentType: string | undefined): RequestForm {
  const { body } = form;
  if (!isInline(body) || body === undefined || 'json' in body) return form;
  if (isMultipart(contentType)) {
    // Whatever its parts are in: one character is one byte.
    const bytes = Buffer.from(withPartsInOrder(bodyBytes(body).toString('latin1')), 'latin1');
    const stored = storeBody(bytes, contentType);
    return { ...form, body: stored, json: stored && jsonOf(stored) };
  }
  if (!isForm(contentType) || !('text' in body)) return form;
  const json = Object.fromEntries(
    [...queryValues(body.text)].map(([name, values]): [string, JsonValue] => [
      name,
      values.length === 1 ? (values[0] as string) : values,
    ]),
  );
  return { ...form, body: { json }, json };
}

/** Of a body's bytes, wherever they are. One that was not kept is like no other. */
export function bytesName(body: StoredBody): string {
  if ('omitted' in body) return 'omitted';
  return `bytes ${'file' in body ? hashInName(body.file) : hashOf(bodyBytes(body))}`;
}

/** The form that the config's own function makes of one. */
function normalized(
  form: RequestForm,
  headers: StoredHeaders,
  own: NormalizeRequest,
  rules: MatchRules,
): RequestForm {
  const { method, path, query, body, json } = form;
  const given: NormalizedRequest = {
    method,
    path,
    query,
    headers: redactStoredHeaders(headers, rules.redaction),
  };
  // Of one that was not kept nobody knows what to give; it matches nothing in any case.
  if (body !== undefined && !('omitted' in body)) {
    given.body = json === undefined ? ('text' in body ? body.text : bytesName(body)) : structuredClone(json);
  }
  const before = given.body;
  let result: unknown;
  try {
    result = own(given);
  } catch (error) {
    // Its message may quote what it was given.
    throw failed(form, `threw: ${shownBody({ text: messageOf(error) }, {}, rules.redaction)}`, error);
  }
  const wrong = wrongIn(result);
  if (wrong !== undefined) throw failed(form, wrong);
  const request = result as NormalizedRequest;
  const head = { ...form, method: request.method, path: request.path, query: request.query };
  head.headers = namedHeaders(request.headers, rules);
  const isUnknown = body !== undefined && 'omitted' in body;
  // A text is the body itself, unless it is the very one that stood for it.
  if (isUnknown || (typeof before === 'string' && request.body === before)) return head;
  if (request.body === undefined) return { ...head, body: undefined, json: undefined };
  if (typeof request.body === 'string') return { ...head, body: { text: request.body }, json: undefined };
  const value = asJson(form, request.body);
  return { ...head, body: { json: value }, json: value };
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

function asJson(form: RequestForm, body: unknown): JsonValue {
  let value: JsonValue;
  try {
    value = JSON.parse(JSON.stringify(body)) as JsonValue;
  } catch (error) {
    throw failed(form, 'gave back a body that is no JSON value', error);
  }
  if (isDeeperThan(MAX_JSON_DEPTH, value))
    throw failed(form, `gave back a body that is nested deeper than ${MAX_JSON_DEPTH} levels`);
  return value;
}

function failed({ method, path }: RequestForm, what: string, cause?: unknown): PatchgateError {
  return new PatchgateError('bad-config', `normalizeRequest of the config ${what} (for ${method} ${path})`, {
    hint: 'it gets { method, path, query, headers, body } and gives back the same, changed; it must not be async',
    cause,
  });
}
