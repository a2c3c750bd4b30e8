import { hash } from 'node:crypto';
import stringify from 'safe-stable-stringify';
import type { RequestHead } from '../http/http.ts';
import type { JsonValue } from '../json/json.ts';
import { withoutMatches } from '../json/pointer-pattern.ts';
import {
  type Exchange,
  isKept,
  type RecordedRequest,
  type StoredBody,
  type WholeRequest,
} from '../model/exchange.ts';
import { bodyBytes, jsonOf } from './body.ts';
import { sameJson, sameText } from './compare-json.ts';
import { DEFAULT_RULES, type MatchRules } from './match-rules.ts';
import { recordedRequest } from './plain-exchange.ts';
import { contentTypeOf, redactBytes, redactHeader, redactPath, redactQuery } from './redact/redact.ts';
import { decodePart } from './redact/redact-text.ts';
import { REDACTED } from './redact/redacted.ts';
import { StoredExchange } from './stored-exchange.ts';
import { yieldToEventLoop } from './yield-to-event-loop.ts';

export type Pairs = readonly (readonly [name: string, value: string])[];

/** What is compared of a request beside method and path, without what the rules ignore. */
export interface Form {
  /** Decoded, by name; values of one name keep their order. */
  query: Pairs;
  /** The headers that the rules name, redacted. */
  headers: Pairs;
  body: StoredBody | undefined;
  /** Undefined if the body is no JSON. */
  json: JsonValue | undefined;
}

export function formOf({ query, headers, body }: RecordedRequest, rules: MatchRules): Form {
  const { ignored, ignoredQuery, redaction } = rules;
  const pairs = queryPairs(query).filter(([name]) => !ignoredQuery.has(name));
  if (pairs.length > 1) pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const named = [...rules.headers].flatMap((name): Pairs => {
    const values = Object.hasOwn(headers, name) ? [headers[name] ?? []].flat() : [];
    if (values.length === 0) return [];
    return [[name, values.map((value) => redactHeader(name, value, redaction)).join(', ')]];
  });
  const form: Form = { query: pairs, headers: named, body, json: undefined };
  if (ignored?.matches) return { ...form, body: undefined };
  form.json = body && jsonOf(body);
  if (ignored && form.json !== undefined) form.json = withoutMatches(form.json, ignored) as JsonValue;
  return form;
}

/** Names and values of a query, decoded, in the order sent. `a` and `a=` are the same. */
export function queryPairs(query: string): [name: string, value: string][] {
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', ...value] = part.split('=');
      return [decodePart(name), decodePart(value.join('='))];
    });
}

/** The values of each name. */
export function valuesOf(pairs: Pairs): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs)
    if (values.get(name)?.push(value) === undefined) values.set(name, [value]);
  return values;
}

/** The same for two requests of one method and path exactly if they match, placeholders aside. */
export function requestKey(request: RecordedRequest, rules: MatchRules = DEFAULT_RULES): string {
  return keyOf(formOf(request, rules));
}

function keyOf({ query, headers, body, json }: Form): string {
  const content = json === undefined ? body && bytesText(body) : `json ${stringify(json)}`;
  return hash('sha1', `${JSON.stringify(query)}\n${JSON.stringify(headers)}\n${content ?? ''}`, 'binary');
}

function bytesText(body: StoredBody): string {
  return 'omitted' in body ? 'omitted' : `bytes ${hash('sha256', bodyBytes(body), 'hex')}`;
}

/** A key that needs no parsing. No `requestKey` is as long. */
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
}

/** Whether a request is the recorded one, whose placeholders equal any value. */
function matches(recorded: Form, sent: SentRequest): boolean {
  const { query, headers } = sent.form;
  return samePairs(recorded.query, query) && samePairs(recorded.headers, headers) && sameBody(recorded, sent);
}

function samePairs(recorded: Pairs, sent: Pairs): boolean {
  const isSame = ([name, value]: Pairs[number], i: number) =>
    name === sent[i]?.[0] && sameText(value, sent[i][1]);
  return recorded.length === sent.length && recorded.every(isSame);
}

export function sameBody({ body, json }: Form, { request, form: now, rules }: SentRequest): boolean {
  if (body === undefined || now.body === undefined) return body === now.body;
  if (json !== undefined && now.json !== undefined) return sameJson(json, now.json);
  if ('omitted' in body || 'omitted' in now.body) return false;
  if (json === REDACTED || ('text' in body && body.text === REDACTED)) return true;
  const [bytes, sent] = [bodyBytes(body), bodyBytes(now.body)];
  if (bytes.equals(sent) || !bytes.includes(REDACTED)) return bytes.equals(sent);
  if (bytes.equals(redactBytes(sent, contentTypeOf(request.headers), rules.redaction))) return true;
  // A placeholder stands for one word: else a form with further fields would be the same.
  return 'text' in body && sameText(body.text, sent.toString(), (gap) => !/[&"\s]/.test(gap));
}

/** The exchanges of one method and path. Its lists only grow. */
export class ExchangeIndex {
  readonly #all: StoredExchange[];
  readonly #rules: MatchRules;
  /** By `requestKey` and `bytesKey`. */
  readonly #byKey = new Map<string, StoredExchange[]>();
  /** Those whose request has a placeholder. */
  readonly #open = new Map<StoredExchange, Form>();
  #keyed = 0;

  constructor(exchanges: readonly Exchange[], rules: MatchRules) {
    this.#all = exchanges.map((one) => new StoredExchange(one));
    this.#rules = rules;
  }

  /** Oldest first; the same list as long as it is the same index. */
  get all(): readonly StoredExchange[] {
    return this.#all;
  }

  get length(): number {
    return this.#all.length;
  }

  add(exchange: Exchange): void {
    this.#all.push(new StoredExchange(exchange));
  }

  /** The exchanges that match a request, oldest first. The same list for the same request, unless one has a placeholder. */
  find(sent: SentRequest): readonly StoredExchange[] {
    this.#keyAll();
    const same = this.#byKey.get(keyOf(sent.form)) ?? NONE;
    const open = [...this.#open].filter(([, form]) => matches(form, sent)).map(([stored]) => stored);
    if (open.length === 0) return same;
    const found = new Set([...open, ...same]);
    return this.#all.filter((one) => found.has(one));
  }

  /** The same by the bytes of query and body, without parsing; undefined if they do not say it. */
  withBytes(query: string, body: Buffer): readonly StoredExchange[] | undefined {
    this.#keyAll();
    const isSaid = this.#rules.headers.size === 0 && this.#open.size === 0;
    return isSaid ? this.#byKey.get(bytesKey(query, body)) : undefined;
  }

  /** Prepares the answers, and lets requests go first. */
  async prepare(): Promise<void> {
    for (let i = 0; i < this.#all.length; i++) {
      if (i === this.#keyed) this.#keyNext();
      const stored = this.#all[i] as StoredExchange;
      if (!this.#open.has(stored)) stored.pack();
      await yieldToEventLoop();
    }
  }

  #keyAll(): void {
    while (this.#keyed < this.#all.length) this.#keyNext();
  }

  #keyNext(): void {
    const stored = this.#all[this.#keyed++] as StoredExchange;
    const { request } = stored;
    const form = formOf(request, this.#rules);
    if (isOpen(form, this.#rules)) {
      this.#open.set(stored, form);
      return;
    }
    const key = keyOf(form);
    const same = this.#byKey.get(key) ?? [];
    if (same.push(stored) === 1) this.#byKey.set(key, same);
    if (isKept(request.body)) this.#byKey.set(bytesKey(request.query, bodyBytes(request.body)), same);
  }
}

const NONE: readonly StoredExchange[] = [];

/**
 * The exchanges that a session gets: those recorded in a session of its name; without any, those of the default session; without
 * these, all.
 *
 * @param matched oldest first
 * @param name `""` is the default session
 */
export function ofSession(matched: readonly StoredExchange[], name: string): readonly StoredExchange[] {
  if (matched.length <= 1) return matched;
  for (const one of [name, '']) {
    const own = matched.filter(({ session }) => session === one);
    if (own.length > 0) return own;
  }
  return matched;
}
