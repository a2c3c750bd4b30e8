import { hash } from 'node:crypto';
import stringify from 'safe-stable-stringify';
import { decodeContentSync, REQUEST_BOUNDS } from '../http/decode-content.ts';
import type { RequestHead } from '../http/http.ts';
import { childOf, type JsonObject, type JsonValue } from '../json/json.ts';
import { type PatternNode, patternTree, withoutMatches } from '../json/pointer-pattern.ts';
import type { RecordedRequest, StoredBody } from '../model/exchange.ts';
import { jsonOf } from './body.ts';
import { plainRequest, type RecordRules, toStoredMessage, valuesByName } from './plain-exchange.ts';
import { codingOf, contentTypeOf, redactBody, redactHeader, redactQuery } from './redact/redact.ts';
import { REDACTED } from './redact/redacted.ts';
import { DEFAULT_REDACTION, hiddenApart } from './redact/redaction.ts';
import { decodePart } from './redact/text.ts';

/** The settings that say which requests are the same, and what is secret. Of `ignorePointers`, `""`: no body counts. */
type MatchSettings = Record<'matchHeaders' | 'ignorePointers' | 'ignoreQuery' | 'redact', readonly string[]>;

/** When a request that is sent is a recorded one: the settings, made ready once. */
export interface MatchRules extends RecordRules {
  ignored: PatternNode | undefined;
  ignoredQuery: ReadonlySet<string>;
  /** To make them again in another thread. */
  settings: MatchSettings & { texts: readonly string[] };
}

export function matchRules(
  { matchHeaders = [], ignoreQuery = [], ignorePointers = [], redact = [] }: Partial<MatchSettings> = {},
  redaction: RecordRules['redaction'] = DEFAULT_REDACTION,
): MatchRules {
  return {
    headers: new Set(matchHeaders.map((name) => name.toLowerCase()).sort()),
    ignored: patternTree(ignorePointers),
    ignoredQuery: new Set(ignoreQuery),
    redaction,
    settings: { matchHeaders, ignoreQuery, ignorePointers, redact, texts: redaction.texts },
  };
}

export const DEFAULT_RULES: MatchRules = matchRules();

/** The parts of a request that matching compares, beside method and path. */
export type Form = {
  /** Names and values, decoded; a list for a name that came several times. */
  query: JsonObject;
  /** Those that the rules name, redacted; several values are joined. */
  headers: JsonObject;
  /** `{ json }`, `{ text }` or `{ base64 }`; the placeholder alone equals any body. */
  body?: JsonValue;
};

export function formOf({ query, headers, body }: RecordedRequest, rules: MatchRules): Form {
  const pairs = queryPairs(query).filter(([name]) => !rules.ignoredQuery.has(name));
  const form: Form = { query: valuesByName(pairs.flat()), headers: {} };
  for (const name of rules.headers) {
    if (!Object.hasOwn(headers, name)) continue;
    const shown = [headers[name] ?? []].flat().map((one) => redactHeader(name, one, rules.redaction));
    // All secrets are the same, and no placeholder to be compared one by one.
    form.headers[name] = rules.redaction.headers.has(name) ? 'a secret' : shown.join(', ');
  }
  const content = body && contentOf(body, rules.ignored);
  if (content !== undefined) form.body = content;
  return form;
}

function contentOf(body: StoredBody, ignored: PatternNode | undefined): JsonValue | undefined {
  if (ignored?.matches) return undefined;
  const json = jsonOf(body);
  if (json === REDACTED || ('text' in body && body.text === REDACTED)) return REDACTED;
  if (json === undefined) return { ...(body as { text: string } | { base64: string }) };
  return { json: ignored ? (withoutMatches(json, ignored) as JsonValue) : json };
}

/** Names and values of a query, decoded, in the order sent. `a` and `a=` are the same. */
export function queryPairs(query: string): [name: string, value: string][] {
  const parts = query.split('&').filter((part) => part !== '');
  return parts.map((part) => {
    const [name = '', ...value] = part.split('=');
    return [decodePart(name), decodePart(value.join('='))];
  });
}

/** The same for two forms of one method and path exactly if they match, placeholders aside. */
export function keyOf(form: Form): string {
  return hash('sha1', stringify(form), 'base64url');
}

/** A request as it was sent, to look up. @param path under which the recording has it */
export function sentRequestOf(head: RequestHead, body: Buffer, rules: MatchRules, path: string) {
  const decoded = decodeContentSync(body, codingOf(head.headers), REQUEST_BOUNDS);
  const request = plainRequest(head, Buffer.isBuffer(decoded) ? decoded : body, rules);
  // A value hidden by its hash equals the same one hidden again.
  const query = redactQuery(request.query, rules.redaction);
  return { ...toStoredMessage(request), path, query };
}

/** The form of a request as it would be recorded now. */
export function cleanForm(request: RecordedRequest, rules: MatchRules): Form {
  const query = redactQuery(request.query, rules.redaction);
  const body = request.body && redactBody(request.body, contentTypeOf(request.headers), rules.redaction);
  return formOf({ ...request, query, ...(body && { body }) }, rules);
}

type Value = JsonValue | undefined;

/** Compares a value with the recorded one. A placeholder that is recorded equals any value, and within a text any one word: else a form
 *  with further fields would be the same. Absent is not null.
 *  @param onDifference gets each place that differs, whose `tokens` change afterwards; false ends the comparison
 *  @returns whether nothing has ended it */
export function compareJson(
  recorded: Value,
  now: Value,
  onDifference: (tokens: readonly string[], recorded: Value, now: Value) => boolean,
  tokens: string[] = [],
): boolean {
  if (recorded === now || (recorded === REDACTED && now !== undefined)) return true;
  if (typeof recorded === 'string' && typeof now === 'string' && sameText(recorded, now)) return true;
  if (!isParent(recorded) || !isParent(now) || Array.isArray(recorded) !== Array.isArray(now))
    return onDifference(tokens, recorded, now);
  const added = Object.keys(now).filter((name) => !Object.hasOwn(recorded, name));
  return [...Object.keys(recorded), ...added].every((name) => {
    tokens.push(name);
    const [a, b] = [childOf(recorded, name), childOf(now, name)] as [Value, Value];
    const goesOn = compareJson(a, b, onDifference, tokens);
    tokens.pop();
    return goesOn;
  });
}

function isParent(value: Value): value is JsonValue & object {
  return typeof value === 'object' && value !== null;
}

/** Linear. */
function sameText(recorded: string, now: string): boolean {
  if (recorded.startsWith('[redacted:') && recorded === hiddenApart(now)) return true;
  const pieces = recorded.split(REDACTED);
  let end = 0;
  return pieces.every((piece, i) => {
    const at = i < pieces.length - 1 ? now.indexOf(piece, end) : now.length - piece.length;
    const isThere = at >= end && now.startsWith(piece, at);
    const hidden = now.slice(end, at);
    end = at + piece.length;
    return isThere && (i === 0 ? hidden === '' : !/[&"\s]/.test(hidden));
  });
}
