import { hash } from 'node:crypto';
import { canonical } from '../../json/canonical.ts';
import { type InlineBody, isInline, type RecordedRequest } from '../../model/exchange.ts';
import { bodyBytes } from '../body.ts';
import { REDACTED } from '../redaction/redacted.ts';
import { formOf } from './form-of.ts';
import { DEFAULT_RULES, type MatchRules } from './match-rules.ts';
import { holdsPlaceholder, isPlaceholderIn } from './placeholder.ts';
import { queryPairs } from './query.ts';
import { bytesName, type RequestForm } from './request-form.ts';

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
  const isHere = rules.isByBytes && isInline(request.body);
  return {
    key: keyOf(form, rules),
    isOpen: hasPlaceholder(form, rules),
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

export function keyOf(form: RequestForm, { sets }: MatchRules): string {
  const { method, path, query, headers, body } = form.parts;
  const pairs = JSON.stringify(queryPairs(query).sort(byName));
  const named = headers.length === 0 ? '' : `${JSON.stringify(headers)}\n`;
  const { json } = form;
  let text = '';
  if (json !== undefined) text = `json ${canonical(json, sets)}`;
  else if (body !== undefined) text = bytesName(body);
  return hash('sha1', `${method} ${path}\n${pairs}\n${named}${text}`, 'binary');
}

/** The same for all exchanges of one sequence: those of one request, recorded in one session. */
export function sequenceKey(
  { request, session }: { request: RecordedRequest; session: string },
  rules: MatchRules,
): string {
  // A request's key is always as long.
  return requestKey(request, rules) + session;
}

function hasPlaceholder(form: RequestForm, { redaction }: MatchRules): boolean {
  const { query, headers, body } = form.parts;
  if (query.includes(REDACTED)) return true;
  // In the form of what is sent, a secret header is the placeholder too.
  if (headers.some(([name, value]) => value === REDACTED && !redaction.headers.has(name))) return true;
  if (body === undefined || 'file' in body || 'omitted' in body) return false;
  return 'json' in body ? isPlaceholderIn(body.json) : holdsPlaceholder(bodyBytes(body));
}

/** Sorting is stable: repeated names keep their order. */
function byName(a: [string, string], b: [string, string]): number {
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;
}
