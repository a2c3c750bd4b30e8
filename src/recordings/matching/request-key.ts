import { hash } from 'node:crypto';
import { canonical } from '../../json/canonical.ts';
import { type InlineBody, isInline, type RecordedRequest } from '../../model/exchange.ts';
import { bodyBytes } from '../body.ts';
import { REDACTED } from '../redaction/redacted.ts';
import { DEFAULT_RULES, type MatchRules } from './match-rules.ts';
import { queryPairs } from './query.ts';
import { bytesName, formOf, type RequestForm } from './request-form.ts';

/** What matching must know of a recorded request to find it. */
interface RequestFacts {
  /** `requestKey`: one UTF-16 code unit for each of its 20 bytes. */
  key: string;
  /** A placeholder stands in what is compared: no key finds all requests that match. */
  isOpen: boolean;
  /** `bytesKey`; undefined where the bytes of a request alone do not say what it is, or stand in another file. */
  byBytes: string | undefined;
}

/** @throws PatchgateError `bad-config` where the config's own function fails */
export function requestFacts(request: RecordedRequest, rules: MatchRules): RequestFacts {
  const form = formOf(request, rules);
  const text = textOf(form, rules);
  const isHere = rules.isByBytes && isInline(request.body);
  return {
    // Before the hash: the search makes one piece of the text.
    isOpen: hasPlaceholder(form, text, rules),
    key: hash('sha1', text, 'binary'),
    byBytes: isHere ? bytesKey(request.query, bodyBytes(request.body as InlineBody | undefined)) : undefined,
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
  return keyOf(formOf(request, rules), rules);
}

export function keyOf(form: RequestForm, rules: MatchRules): string {
  return hash('sha1', textOf(form, rules), 'binary');
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
function textOf({ method, path, query, headers, body, json }: RequestForm, { sets }: MatchRules): string {
  // Sorting is stable: repeated names keep their order.
  const pairs = query === '' ? '[]' : JSON.stringify(queryPairs(query).sort(byName));
  const named = headers.length === 0 ? '' : `${JSON.stringify(headers)}\n`;
  const content = json !== undefined ? `json ${canonical(json, sets)}` : body ? bytesName(body) : '';
  return `${method} ${path}\n${pairs}\n${named}${content}`;
}

function byName(a: [string, string], b: [string, string]): number {
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;
}

function hasPlaceholder(
  { query, headers, body, json }: RequestForm,
  text: string,
  { redaction }: MatchRules,
): boolean {
  if (json === undefined && isInline(body) && bodyBytes(body).includes(REDACTED)) return true;
  if (!text.includes(REDACTED)) return false;
  if (query.includes(REDACTED)) return true;
  // In the form of what is sent, a secret header is the placeholder too.
  if (headers.some(([name, value]) => value === REDACTED && !redaction.headers.has(name))) return true;
  return json !== undefined && canonical(json).includes(REDACTED);
}
