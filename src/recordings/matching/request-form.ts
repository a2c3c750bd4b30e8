import { hash } from 'node:crypto';
import { messageOf, PatchgateError } from '../../errors.ts';
import type { RequestHead } from '../../http/http.ts';
import { canonical } from '../../json/canonical.ts';
import { isObject, type JsonValue } from '../../json/json.ts';
import { withoutMatches } from '../../json/pointer-pattern.ts';
import {
  isKept,
  type RecordedRequest,
  type StoredBody,
  type StoredHeaders,
  type WholeRequest,
} from '../../model/exchange.ts';
import type { NormalizedRequest, NormalizeRequest } from '../../model/normalize-request.ts';
import { bodyBytes, isDeeperThan, jsonOf, MAX_JSON_DEPTH } from '../body.ts';
import { recordedRequest } from '../plain-exchange.ts';
import {
  contentTypeOf,
  redactBody,
  redactBytes,
  redactHeader,
  redactPath,
  redactQuery,
  redactStoredHeaders,
} from '../redaction/redact.ts';
import { decodePart } from '../redaction/redact-text.ts';
import { REDACTED } from '../redaction/redacted.ts';
import { DEFAULT_RULES, type MatchRules } from './match-rules.ts';
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
  if (rules.isPlain) return plainForm(request, NO_HEADERS);
  const known = forms.get(request);
  if (known?.rules === rules) return known.form;
  const form = changedForm(request, rules);
  forms.set(request, { rules, form });
  return form;
}

/** The form of a request, recorded or sent, once it is redacted. */
export function cleanForm(request: RecordedRequest, rules: MatchRules): RequestForm {
  const { query, headers, body } = request;
  const { redaction } = rules;
  const clean = body && redactBody(body, contentTypeOf(headers), redaction);
  return formOf({ ...request, query: redactQuery(query, redaction), ...(clean && { body: clean }) }, rules);
}

function plainForm(
  { method, path, query, body }: RecordedRequest,
  headers: readonly FormHeader[],
): RequestForm {
  return { method, path, query, headers, body, json: body && jsonOf(body) };
}

function changedForm(request: RecordedRequest, rules: MatchRules): RequestForm {
  const { ignored, ignoredQuery, normalize } = rules;
  const form = plainForm(request, namedHeaders(request.headers, rules));
  if (normalize) Object.assign(form, normalized(form, request.headers, normalize, rules));
  if (ignoredQuery.size > 0) {
    const isKept = (part: string) => !ignoredQuery.has(decodePart(part.split('=', 1)[0] as string));
    form.query = form.query.split('&').filter(isKept).join('&');
  }
  if (ignored?.matches) return { ...form, body: undefined, json: undefined };
  if (ignored === undefined || form.json === undefined) return form;
  const json = withoutMatches(form.json, ignored) as JsonValue;
  return json === form.json ? form : { ...form, body: { json }, json };
}

/** The same of a value that was kept and of one that is sent: both are redacted. */
function namedHeaders(headers: StoredHeaders, { headers: names, redaction }: MatchRules): FormHeader[] {
  return [...names].flatMap((name): FormHeader[] => {
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    if (value === undefined) return [];
    return [
      [
        name,
        [value]
          .flat()
          .map((one) => redactHeader(name, one, redaction))
          .join(', '),
      ],
    ];
  });
}

/** Of a body's bytes. One that was not kept is like no other. */
function bytesName(body: StoredBody): string {
  return 'omitted' in body ? 'omitted' : `bytes ${hash('sha256', bodyBytes(body), 'hex')}`;
}

/** What the config's own function makes of a request. */
function normalized(
  { method, path, query, body, json }: RequestForm,
  headers: StoredHeaders,
  normalize: NormalizeRequest,
  rules: MatchRules,
): Partial<RequestForm> {
  const fail = (what: string, cause?: unknown) =>
    new PatchgateError('bad-config', `normalizeRequest of the config ${what} (for ${method} ${path})`, {
      hint: 'it gets { method, path, query, headers, body } and gives back the same, changed; it must not be async',
      cause,
    });
  const given: NormalizedRequest = {
    ...{ method, path, query },
    headers: redactStoredHeaders(headers, rules.redaction),
  };
  // A body that was not kept cannot be given; its request matches nothing in any case.
  const isUnknown = body !== undefined && 'omitted' in body;
  if (json !== undefined) given.body = structuredClone(json);
  else if (body !== undefined && !isUnknown) given.body = 'text' in body ? body.text : bytesName(body);
  const before = given.body;
  let result: NormalizedRequest;
  try {
    result = normalize(given);
  } catch (error) {
    // Its message may quote what it was given.
    throw fail(`threw: ${shownBody({ text: messageOf(error) }, {}, rules.redaction)}`, error);
  }
  const wrong = wrongIn(result);
  if (wrong !== undefined) throw fail(`gave back ${wrong}`);
  const head = {
    method: result.method,
    path: result.path,
    query: result.query,
    headers: namedHeaders(result.headers, rules),
  };
  // A text is the body itself, unless it is the very one that stood for it.
  if (isUnknown || (typeof before === 'string' && result.body === before)) return head;
  if (result.body === undefined) return { ...head, body: undefined, json: undefined };
  if (typeof result.body === 'string') return { ...head, body: { text: result.body }, json: undefined };
  let value: JsonValue;
  try {
    value = JSON.parse(JSON.stringify(result.body)) as JsonValue;
  } catch (error) {
    throw fail('gave back a body that is no JSON value', error);
  }
  if (isDeeperThan(MAX_JSON_DEPTH, value))
    throw fail(`gave back a body that is nested deeper than ${MAX_JSON_DEPTH} levels`);
  return { ...head, body: { json: value }, json: value };
}

/** What keeps a result from being a request. */
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

/** Names and values of a query, decoded, in the order sent. `a` and `a=` are the same. */
export function queryPairs(query: string): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  if (query === '') return pairs;
  for (const part of query.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = equals < 0 ? part : part.slice(0, equals);
    pairs.push([decodePart(name), equals < 0 ? '' : decodePart(part.slice(equals + 1))]);
  }
  return pairs;
}

/** The values of each name of a query, decoded, in the order sent. */
export function queryValues(query: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of queryPairs(query)) {
    const list = values.get(name);
    if (list) list.push(value);
    else values.set(name, [value]);
  }
  return values;
}

/** What matching must know of a recorded request to find it. */
interface RequestFacts {
  /** `requestKey`: one UTF-16 code unit for each of its 20 bytes. */
  key: string;
  /** A placeholder stands in what is compared: no key finds all requests that match. */
  isOpen: boolean;
  /** `bytesKey`; undefined where the bytes of a request alone do not say what it is, or were not kept. */
  byBytes: string | undefined;
}

/** @throws PatchgateError `bad-config` where the config's own function fails */
export function requestFacts(request: RecordedRequest, rules: MatchRules): RequestFacts {
  const form = formOf(request, rules);
  const text = textOf(form);
  return {
    // Before the hash: the search makes one piece of the text.
    isOpen: hasPlaceholder(form, text, rules),
    key: hash('sha1', text, 'binary'),
    byBytes:
      rules.isByBytes && isKept(request.body) ? bytesKey(request.query, bodyBytes(request.body)) : undefined,
  };
}

/** The same for requests of a method and path whose query and body are equal to the byte. No `requestKey` is as long. */
export function bytesKey(query: string, body: Buffer): string {
  return `${hash('sha1', body, 'binary')}?${query}`;
}

/**
 * A short name for a request: two requests have the same exactly when matching takes them for one (placeholders aside,
 * which only `matches` understands).
 *
 * @throws PatchgateError `bad-config` where the config's own function fails
 */
export function requestKey(request: RecordedRequest, rules: MatchRules = DEFAULT_RULES): string {
  return keyOf(formOf(request, rules));
}

export function keyOf(form: RequestForm): string {
  return hash('sha1', textOf(form), 'binary');
}

/** The same for all exchanges of one sequence: those of one request, recorded in one session. */
export function sequenceKey(
  { request, session }: { request: RecordedRequest; session: string },
  rules: MatchRules,
): string {
  // A request's key is always as long.
  return requestKey(request, rules) + session;
}

/** All that is compared. */
function textOf({ method, path, query, headers, body, json }: RequestForm): string {
  // Sorting is stable: repeated names keep their order.
  const byName = ([a]: [string, string], [b]: [string, string]) => (a < b ? -1 : a > b ? 1 : 0);
  const pairs = query === '' ? '[]' : JSON.stringify(queryPairs(query).sort(byName));
  const named = headers.length === 0 ? '' : `${JSON.stringify(headers)}\n`;
  const content = json !== undefined ? `json ${canonical(json)}` : body ? bytesName(body) : '';
  return `${method} ${path}\n${pairs}\n${named}${content}`;
}

function hasPlaceholder(
  { query, headers, body, json }: RequestForm,
  text: string,
  rules: MatchRules,
): boolean {
  if (json === undefined && isKept(body) && bodyBytes(body).includes(REDACTED)) return true;
  if (!text.includes(REDACTED)) return false;
  if (query.includes(REDACTED)) return true;
  // In the form of what is sent, a secret header is the placeholder too.
  if (headers.some(([name, value]) => value === REDACTED && !rules.redaction.headers.has(name))) return true;
  return json !== undefined && canonical(json).includes(REDACTED);
}

/** A request that is looked up in a recording, and compared to many: what all comparisons need of it is made once. */
export class SentRequest {
  readonly request: WholeRequest;
  readonly rules: MatchRules;
  #form: RequestForm | undefined;
  #queryValues: ReadonlyMap<string, readonly string[]> | undefined;
  #bytes: Buffer | undefined;
  #cleanBytes: Buffer | undefined;
  #clean: RequestForm | undefined;

  constructor(request: WholeRequest, rules: MatchRules = DEFAULT_RULES) {
    this.request = request;
    this.rules = rules;
  }

  /**
   * @param json the body as a value, where it is parsed already
   * @param path under which the recording has it
   */
  static of(
    head: RequestHead,
    body: Buffer,
    json: JsonValue | undefined,
    rules: MatchRules = DEFAULT_RULES,
    path?: string,
  ): SentRequest {
    const request = recordedRequest(head, body, json, rules.headers);
    request.path = path ?? redactPath(request.path, rules.redaction);
    return new SentRequest(request, rules);
  }

  /** What is compared, as are all the following. */
  get form(): RequestForm {
    this.#form ??= formOf(this.request, this.rules);
    return this.#form;
  }

  get queryValues(): ReadonlyMap<string, readonly string[]> {
    this.#queryValues ??= queryValues(this.form.query);
    return this.#queryValues;
  }

  get bytes(): Buffer {
    const { body } = this.form;
    this.#bytes ??= bodyBytes(isKept(body) ? body : undefined);
    return this.#bytes;
  }

  /** The body's bytes as they would have been recorded. */
  get cleanBytes(): Buffer {
    this.#cleanBytes ??= redactBytes(this.bytes, contentTypeOf(this.request.headers), this.rules.redaction);
    return this.#cleanBytes;
  }

  /** The form of the request as it would have been recorded: what may be shown. */
  get clean(): RequestForm {
    this.#clean ??= cleanForm(this.request, this.rules);
    return this.#clean;
  }
}
