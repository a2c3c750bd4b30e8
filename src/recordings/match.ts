import { hash } from 'node:crypto';
import type { RequestHead } from '../http/http.ts';
import { canonical } from '../json/canonical.ts';
import type { JsonValue } from '../json/json.ts';
import { withoutMatches } from '../json/pointer-pattern.ts';
import { isKept, type RecordedRequest, type StoredBody, type WholeRequest } from '../model/exchange.ts';
import { bodyBytes, jsonOf } from './body.ts';
import { sameBodyText, sameJson, sameText } from './compare-json.ts';
import { DEFAULT_RULES, type MatchRules } from './match-rules.ts';
import { normalizeWith } from './normalize.ts';
import { recordedRequest } from './plain-exchange.ts';
import { decodePart } from './redact/name-before.ts';
import { contentTypeOf, redactBytes, redactHeader, redactPath, redactQuery } from './redact/redact.ts';
import { REDACTED } from './redact/redacted.ts';
import type { StoredExchange } from './stored-exchange.ts';
import { yieldToEventLoop } from './yield-to-event-loop.ts';

export type Pairs = readonly (readonly [name: string, value: string])[];

/** The compared parts of a request, changed as the rules say. */
export interface Form {
  method: string;
  path: string;
  /** Decoded, by name; values of one name keep their order. */
  query: Pairs;
  /** The headers that the rules name, redacted. */
  headers: Pairs;
  body: StoredBody | undefined;
  /** Undefined if the body is no JSON. */
  json: JsonValue | undefined;
}

/** @throws PatchgateError `bad-config` if the config's own function fails */
export function formOf(request: RecordedRequest, rules: MatchRules): Form {
  const { ignored, ignoredQuery, normalize, redaction } = rules;
  const changed = normalize ? normalizeWith(normalize, request, redaction, bytesName) : request;
  const { method, path, headers } = changed;
  const query = queryPairs(changed.query).filter(([name]) => !ignoredQuery.has(name));
  if (query.length > 1) query.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const named = [...rules.headers].flatMap((name): Pairs => {
    if (!Object.hasOwn(headers, name)) return [];
    const values = [headers[name] ?? []].flat();
    return [[name, values.map((value) => redactHeader(name, value, redaction)).join(', ')]];
  });
  const form: Form = { method, path, query, headers: named, body: changed.body, json: undefined };
  if (ignored?.matches) return { ...form, body: undefined };
  form.json = form.body && jsonOf(form.body);
  if (ignored === undefined || form.json === undefined) return form;
  const json = withoutMatches(form.json, ignored) as JsonValue;
  return json === form.json ? form : { ...form, body: { json }, json };
}

/** Names and values of a query, decoded, in the order sent. `a` and `a=` are the same. */
export function queryPairs(query: string): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (const part of query.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = equals < 0 ? part : part.slice(0, equals);
    pairs.push([decodePart(name), equals < 0 ? '' : decodePart(part.slice(equals + 1))]);
  }
  return pairs;
}

/** The values of each name. */
export function valuesOf(pairs: Pairs): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const list = values.get(name);
    if (list) list.push(value);
    else values.set(name, [value]);
  }
  return values;
}

function bytesName(body: StoredBody): string {
  return 'omitted' in body ? 'omitted' : `bytes ${hash('sha256', bodyBytes(body), 'hex')}`;
}

/** A short name for a request: two requests have the same one exactly if they match, placeholders aside. */
export function requestKey(request: RecordedRequest, rules: MatchRules = DEFAULT_RULES): string {
  return keyOf(formOf(request, rules));
}

function keyOf({ method, path, query, headers, body, json }: Form): string {
  const content = json !== undefined ? `json ${canonical(json)}` : body ? bytesName(body) : '';
  const text = `${method} ${path}\n${JSON.stringify(query)}\n${JSON.stringify(headers)}\n${content}`;
  return hash('sha1', text, 'binary');
}

/** A key that needs no parsing: of requests with equal bytes of query and body. No `requestKey` is as long. */
function bytesKey(query: string, body: Buffer): string {
  return `${hash('sha1', body, 'binary')}?${query}`;
}

/** Whether a placeholder of the recorded request keeps its key from finding all requests that match. */
function isOpen({ query, headers, body, json }: Form, { redaction }: MatchRules): boolean {
  if (query.some(([, value]) => value.includes(REDACTED))) return true;
  // A secret header of the request sent has the placeholder, too.
  if (headers.some(([name, value]) => value.includes(REDACTED) && !redaction.headers.has(name))) return true;
  if (json !== undefined) return JSON.stringify(json).includes(REDACTED);
  return isKept(body) && bodyBytes(body).includes(REDACTED);
}

/** A request to look up in a recording. */
export class SentRequest {
  readonly request: WholeRequest;
  readonly rules: MatchRules;
  readonly form: Form;
  #cleanBytes: Buffer | undefined;

  constructor(request: WholeRequest, rules: MatchRules = DEFAULT_RULES) {
    this.request = request;
    this.rules = rules;
    this.form = formOf(request, rules);
  }

  /**
   * @param json the body as a value, if it is parsed already
   * @param path under which the recording has it
   */
  static of(
    head: RequestHead,
    body: Buffer,
    json: JsonValue | undefined,
    rules: MatchRules,
    path?: string,
  ): SentRequest {
    const request = recordedRequest(head, body, json, rules.headers);
    request.path = path ?? redactPath(request.path, rules.redaction);
    // A value hidden by its hash equals the same one hidden again.
    request.query = redactQuery(request.query, rules.redaction);
    return new SentRequest(request, rules);
  }

  /** The body's bytes as they would be recorded. */
  get cleanBytes(): Buffer {
    const { body } = this.form;
    const type = contentTypeOf(this.request.headers);
    this.#cleanBytes ??= redactBytes(bodyBytes(isKept(body) ? body : undefined), type, this.rules.redaction);
    return this.#cleanBytes;
  }
}

/** Whether a request is the recorded one, whose placeholders equal any value. */
export function matches(recorded: Form, sent: SentRequest): boolean {
  const now = sent.form;
  return (
    recorded.method === now.method &&
    recorded.path === now.path &&
    samePairs(recorded.query, now.query) &&
    samePairs(recorded.headers, now.headers) &&
    sameBody(recorded, sent)
  );
}

function samePairs(recorded: Pairs, sent: Pairs): boolean {
  return (
    recorded.length === sent.length &&
    recorded.every(([name, value], i) => {
      const [nameSent, valueSent] = sent[i] as Pairs[number];
      return name === nameSent && sameText(value, valueSent);
    })
  );
}

export function sameBody({ body, json }: Form, sent: SentRequest): boolean {
  const now = sent.form;
  if (body === undefined || now.body === undefined) return body === now.body;
  if (json !== undefined && now.json !== undefined) return sameJson(json, now.json);
  if ('omitted' in body || !isKept(now.body)) return false;
  if (json === REDACTED || ('text' in body && body.text === REDACTED)) return true;
  const bytes = bodyBytes(body);
  if (bytes.equals(bodyBytes(now.body))) return true;
  if (!bytes.includes(REDACTED)) return false;
  return (
    bytes.equals(sent.cleanBytes) || ('text' in body && sameBodyText(body.text, sent.cleanBytes.toString()))
  );
}

/** The exchanges of one method and path. Its lists only grow. */
export class ExchangeIndex {
  /** Oldest first. */
  readonly all: StoredExchange[];
  readonly #rules: MatchRules;
  /** By `requestKey` and `bytesKey`. */
  readonly #byKey = new Map<string, StoredExchange[]>();
  /** Those whose request has a placeholder. */
  readonly #open = new Map<StoredExchange, Form>();
  #keyed = 0;

  constructor(all: StoredExchange[], rules: MatchRules) {
    this.all = all;
    this.#rules = rules;
  }

  get length(): number {
    return this.all.length;
  }

  /**
   * The exchanges that match a request, oldest first. The same list for the same request, unless one has a placeholder.
   *
   * @throws PatchgateError `bad-config` if the config's own function fails
   */
  find(sent: SentRequest): readonly StoredExchange[] {
    this.#keyAll();
    const same = this.#byKey.get(keyOf(sent.form)) ?? NONE;
    const open = [...this.#open].filter(([, form]) => matches(form, sent)).map(([stored]) => stored);
    if (open.length === 0) return same;
    const found = new Set([...open, ...same]);
    return same.length === 0 ? open : this.all.filter((one) => found.has(one));
  }

  /** The same by the bytes of query and body, without parsing; undefined if they do not say it. */
  withBytes(query: string, body: Buffer): readonly StoredExchange[] | undefined {
    if (!this.#rules.isByBytes) return undefined;
    this.#keyAll();
    return this.#open.size > 0 ? undefined : this.#byKey.get(bytesKey(query, body));
  }

  /** Prepares the answers, and lets requests go first. */
  async prepare(): Promise<void> {
    for (let i = 0; i < this.all.length; i++) {
      if (i === this.#keyed) this.#keyNext();
      const stored = this.all[i] as StoredExchange;
      if (!this.#open.has(stored)) stored.pack();
      await yieldToEventLoop();
    }
  }

  #keyAll(): void {
    while (this.#keyed < this.all.length) this.#keyNext();
  }

  #keyNext(): void {
    const stored = this.all[this.#keyed++] as StoredExchange;
    const { request } = stored;
    const form = formOf(request, this.#rules);
    if (isOpen(form, this.#rules)) {
      this.#open.set(stored, form);
      return;
    }
    const key = keyOf(form);
    const same = this.#byKey.get(key) ?? [];
    if (same.push(stored) === 1) this.#byKey.set(key, same);
    if (this.#rules.isByBytes && isKept(request.body))
      this.#byKey.set(bytesKey(request.query, bodyBytes(request.body)), same);
  }
}

const NONE: readonly StoredExchange[] = [];

/** The exchanges of a list by the names of their sessions, as far as it is read. */
const bySession = new WeakMap<
  readonly StoredExchange[],
  { read: number; lists: Map<string, StoredExchange[]> }
>();

/**
 * The exchanges that a session gets: those recorded in a session of its name; without any, those of the default session; without
 * these, all.
 *
 * @param matched oldest first; it may grow
 * @param name `""` is the default session
 */
export function ofSession(matched: readonly StoredExchange[], name: string): readonly StoredExchange[] {
  if (matched.length <= 1) return matched;
  const known = bySession.get(matched) ?? { read: 0, lists: new Map<string, StoredExchange[]>() };
  bySession.set(matched, known);
  const { lists } = known;
  for (; known.read < matched.length; known.read++) {
    const stored = matched[known.read] as StoredExchange;
    const list = lists.get(stored.session) ?? [];
    if (list.push(stored) === 1) lists.set(stored.session, list);
  }
  return lists.get(name) ?? lists.get('') ?? matched;
}
