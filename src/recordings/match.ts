import { hash } from 'node:crypto';
import stringify from 'safe-stable-stringify';
import { PatchgateError } from '../errors.ts';
import type { JsonValue } from '../json/json.ts';
import { isPointer } from '../json/pointer.ts';
import { type PatternNode, patternTree, withoutMatches } from '../json/pointer-pattern.ts';
import type { RecordedRequest, StoredBody } from '../model/exchange.ts';
import { bodyBytes, jsonOf } from './body.ts';
import { compareJson, sameText, type Tokens } from './compare-json.ts';
import { plainRequest, type SeenExchange, toStoredRequest } from './plain-exchange.ts';
import { contentTypeOf, redactBytes, redactHeader, redactPath, redactQuery } from './redact/redact.ts';
import { decodePart } from './redact/redact-text.ts';
import { REDACTED } from './redact/redacted.ts';
import { DEFAULT_REDACTION, type Redaction } from './redact/redaction.ts';

/** The settings that say which requests are the same, as `Config` has them. */
export interface MatchSettings {
  /** Names of headers that must be equal too, in any letter case. */
  matchHeaders: readonly string[];
  /** Patterns of places that are taken out of both bodies. `""`: no body counts. */
  ignorePointers: readonly string[];
  /** Names of parameters that are taken out of both queries. */
  ignoreQuery: readonly string[];
}

/** When a request that is sent is a recorded one: the settings, made ready once. */
export interface MatchRules {
  /** In lower case: the recorder keeps these, too. */
  headers: ReadonlySet<string>;
  ignored: PatternNode | undefined;
  ignoredQuery: ReadonlySet<string>;
  /** That of recorded requests, and of all that is shown. */
  redaction: Redaction;
  /** To make them again in another thread. */
  settings: Partial<MatchSettings>;
}

/** @throws PatchgateError `bad-config` for a pattern that is none */
export function matchRules(
  { matchHeaders = [], ignoreQuery = [], ignorePointers = [] }: Partial<MatchSettings> = {},
  redaction: Redaction = DEFAULT_REDACTION,
): MatchRules {
  const wrong = ignorePointers.find((pattern) => !isPointer(pattern));
  if (wrong !== undefined)
    throw new PatchgateError('bad-config', `ignorePointers: ${JSON.stringify(wrong)} is no JSON Pointer`, {
      hint: 'begin it with a slash, and write * for any one member or item: /environments/*/id',
    });
  return {
    headers: new Set(matchHeaders.map((name) => name.toLowerCase()).sort()),
    ignored: patternTree(ignorePointers),
    ignoredQuery: new Set(ignoreQuery),
    redaction,
    settings: { matchHeaders, ignoreQuery, ignorePointers },
  };
}

/** Without a setting, query and body count. */
export const DEFAULT_RULES: MatchRules = matchRules();

/** The parts of a request that matching compares, beside method and path. */
export interface Form {
  /** Decoded, sorted by name. */
  query: ReadonlyMap<string, readonly string[]>;
  /** The headers that the rules name, redacted; several values are joined. */
  headers: ReadonlyMap<string, readonly string[]>;
  body: StoredBody | undefined;
  /** Undefined if the body is no JSON. */
  json: JsonValue | undefined;
}

export function formOf({ query, headers, body }: RecordedRequest, rules: MatchRules): Form {
  const { ignored, ignoredQuery, redaction } = rules;
  const pairs = queryPairs(query).filter(([name]) => !ignoredQuery.has(name));
  if (pairs.length > 1) pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const named = new Map<string, string[]>();
  for (const name of rules.headers) {
    const sent = Object.hasOwn(headers, name) ? [headers[name] ?? []].flat() : [];
    if (sent.length > 0) named.set(name, [sent.map((one) => redactHeader(name, one, redaction)).join(', ')]);
  }
  const form: Form = { query: valuesOf(pairs), headers: named, body, json: undefined };
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

/** The values of each name, in their order. */
export function valuesOf(pairs: readonly (readonly [name: string, value: string])[]): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs)
    if (values.get(name)?.push(value) === undefined) values.set(name, [value]);
  return values;
}

/** The same for two forms of one method and path exactly if they match, placeholders aside. */
export function keyOf({ query, headers, body, json }: Form): string {
  const content =
    json === undefined
      ? body && `bytes ${hash('sha256', bodyBytes(body), 'hex')}`
      : `json ${stringify(json)}`;
  const text = `${JSON.stringify([[...query], [...headers]])}\n${content ?? ''}`;
  return hash('sha1', text, 'binary');
}

/** Whether a placeholder of the recorded request keeps its key from finding all requests that match. */
export function isOpen({ query, headers, body, json }: Form, { redaction }: MatchRules): boolean {
  const isPlaceholder = (value: string) => value.includes(REDACTED);
  for (const values of query.values()) if (values.some(isPlaceholder)) return true;
  // A secret header of the request sent has the placeholder, too.
  for (const [name, values] of headers)
    if (!redaction.headers.has(name) && values.some(isPlaceholder)) return true;
  if (json !== undefined) return isPlaceholder(JSON.stringify(json));
  return bodyBytes(body).includes(REDACTED);
}

/** A request to look up in a recording. */
export class SentRequest {
  readonly request: RecordedRequest;
  readonly rules: MatchRules;
  readonly form: Form;

  constructor(request: RecordedRequest, rules: MatchRules = DEFAULT_RULES) {
    this.request = request;
    this.rules = rules;
    this.form = formOf(request, rules);
  }

  /** @param path under which the recording has it */
  static of(head: SeenExchange['request'], body: Buffer, rules: MatchRules, path?: string): SentRequest {
    const request = toStoredRequest(plainRequest(head, body, rules.headers));
    request.path = path ?? redactPath(request.path, rules.redaction);
    // A value hidden by its hash equals the same one hidden again.
    request.query = redactQuery(request.query, rules.redaction);
    return new SentRequest(request, rules);
  }
}

/** A part of a request, and the place in it. */
export type Spot = readonly [part: 'query' | 'headers' | 'body', ...Tokens];

/**
 * Compares a request with the recorded one, whose placeholders equal any value.
 *
 * @param onDifference gets each place that differs; false ends the comparison
 * @returns whether nothing has ended it
 */
export function compare(recorded: Form, sent: SentRequest, onDifference: (spot: Spot) => boolean): boolean {
  const now = sent.form;
  for (const part of ['query', 'headers'] as const) {
    const [before, after] = [recorded[part], now[part]];
    for (const [name, values] of before)
      if (!sameTexts(values, after.get(name)) && !onDifference([part, name])) return false;
    for (const name of after.keys()) if (!before.has(name) && !onDifference([part, name])) return false;
  }
  if (recorded.json !== undefined && now.json !== undefined)
    return compareJson(recorded.json, now.json, (tokens) => onDifference(['body', ...tokens]));
  return sameBytes(recorded, sent) || onDifference(['body']);
}

function sameTexts(recorded: readonly string[], now: readonly string[] = []): boolean {
  return recorded.length === now.length && recorded.every((text, i) => sameText(text, now[i] as string));
}

function sameBytes({ body, json }: Form, { request, form: now, rules }: SentRequest): boolean {
  if (body === undefined || now.body === undefined) return body === now.body;
  if (json === REDACTED || ('text' in body && body.text === REDACTED)) return true;
  const [bytes, sent] = [bodyBytes(body), bodyBytes(now.body)];
  if (bytes.equals(sent) || !bytes.includes(REDACTED)) return bytes.equals(sent);
  if (bytes.equals(redactBytes(sent, contentTypeOf(request.headers), rules.redaction))) return true;
  // A placeholder stands for one word: else a form with further fields would be the same.
  return 'text' in body && sameText(body.text, sent.toString(), (gap) => !/[&"\s]/.test(gap));
}
