import type { RecordedRequest } from '../../model/exchange.ts';
import { bodyBytes } from '../body.ts';
import { REDACTED } from '../redaction/redacted.ts';
import type { StoredExchange } from '../store/stored-exchange.ts';
import type { ExchangesOfPath } from '../store.ts';
import { sameBodyText, sameJson, sameText } from './compare-json.ts';
import {
  type FormHeader,
  formOf,
  keyOf,
  queryValues,
  type RequestForm,
  type SentRequest,
} from './request-form.ts';

/**
 * Which of the exchanges recorded for this method and path the request is: the same query (in any order) and the same
 * body (JSON: by value, else by its bytes), the recording's `[redacted]` standing for any value; more or less of it, as
 * the rules say.
 *
 * @returns oldest first. The first of them is the same for every request that is taken for this one. Unless one has a
 *  placeholder, it is the same list as long as exchanges are only added
 * @throws PatchgateError `bad-config` where the config's own function fails
 */
export function matchRequest(recorded: ExchangesOfPath, sent: SentRequest): readonly StoredExchange[] {
  const same = recorded.withKey(keyOf(sent.form));
  const open = recorded.open.filter(({ request }) => matches(request, sent));
  if (open.length === 0) return same;
  const matched = new Set([...open, ...same]);
  return same.length === 0 ? open : recorded.all.filter((one) => matched.has(one));
}

/** The exchanges of a list by the names of their sessions, as far as it was looked through. */
interface BySession {
  looked: number;
  lists: Map<string, StoredExchange[]>;
}

/** By the list itself, which is the same at each request and can only grow. */
const bySession = new WeakMap<readonly StoredExchange[], BySession>();

/**
 * What a session is given of what matches: the exchanges that were recorded in a session of its name; where there are none,
 * those of the default one; where there are none of these either, all.
 *
 * @param matched oldest first
 * @param name `""` is the default session
 */
export function ofSession(matched: readonly StoredExchange[], name: string): readonly StoredExchange[] {
  if (matched.length <= 1) return matched;
  let known = bySession.get(matched);
  if (known === undefined) {
    known = { looked: 0, lists: new Map() };
    bySession.set(matched, known);
  }
  const { lists } = known;
  for (; known.looked < matched.length; known.looked++) {
    const stored = matched[known.looked] as StoredExchange;
    const list = lists.get(stored.session);
    if (list) list.push(stored);
    else lists.set(stored.session, [stored]);
  }
  return lists.get(name) ?? lists.get('') ?? matched;
}

/**
 * Whether a request is the recorded one of the same method and path, whose placeholders stand for any value. Ends at the
 * first difference: of what was sent no more is looked at than was recorded.
 *
 * @throws PatchgateError `bad-config` where the config's own function fails
 */
export function matches(recorded: RecordedRequest, sent: SentRequest): boolean {
  const before = formOf(recorded, sent.rules);
  const now = sent.form;
  return (
    before.method === now.method &&
    before.path === now.path &&
    (before.query === now.query || sameQuery(queryValues(before.query), sent.queryValues)) &&
    sameHeaders(before.headers, now.headers) &&
    sameBody(before, sent)
  );
}

type QueryValues = ReadonlyMap<string, readonly string[]>;

function sameQuery(recorded: QueryValues, sent: QueryValues): boolean {
  return (
    recorded.size === sent.size &&
    [...recorded].every(([name, values]) => sameValues(values, sent.get(name) ?? []))
  );
}

/** Of one name of a query. */
export function sameValues(recorded: readonly string[], sent: readonly string[]): boolean {
  return recorded.length === sent.length && recorded.every((value, i) => sameText(value, sent[i] as string));
}

function sameHeaders(recorded: readonly FormHeader[], sent: readonly FormHeader[]): boolean {
  return (
    recorded.length === sent.length &&
    recorded.every(([name, value], i) => {
      const [nameSent, valueSent] = sent[i] as FormHeader;
      return name === nameSent && sameText(value, valueSent);
    })
  );
}

function sameBody(recorded: RequestForm, sent: SentRequest): boolean {
  const { body, json } = recorded;
  const now = sent.form;
  if (body === undefined || now.body === undefined) return body === now.body;
  if (json !== undefined && now.json !== undefined) return sameJson(json, now.json);
  return sameStored(recorded, sent);
}

/** Of bodies, of which there are two, and which are not both JSON. */
export function sameStored({ body }: RequestForm, sent: SentRequest): boolean {
  if (body === undefined || 'omitted' in body) return false;
  // All of it was secret, whatever it was.
  if (('json' in body && body.json === REDACTED) || ('text' in body && body.text === REDACTED)) return true;
  const bytes = bodyBytes(body);
  if (bytes.equals(sent.bytes)) return true;
  // Only a placeholder can be what redaction makes of a body.
  if (!bytes.includes(REDACTED)) return false;
  // Recording hides more: what another part of the exchange showed to be a secret.
  return (
    bytes.equals(sent.cleanBytes) || ('text' in body && sameBodyText(body.text, sent.cleanBytes.toString()))
  );
}
