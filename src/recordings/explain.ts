import { childOf } from '../json/json.ts';
import { escapeToken, pointerOf } from '../json/pointer.ts';
import type { RecordedRequest, StoredBody } from '../model/exchange.ts';
import { bodyBytes } from './body.ts';
import type { StoredExchange } from './exchange-index.ts';
import { ignoringOption } from './ignoring-option.ts';
import { compare, type Form, formOf, type MatchRules, type SentRequest, type Spot } from './match.ts';
import type { Place } from './names.ts';
import { contentTypeOf, redactBody, redactPath, redactQuery, redactText } from './redact/redact.ts';
import { REDACTED } from './redact/redacted.ts';
import type { RecordingStore } from './store.ts';

/** Why no exchange answers a request. Redacted. */
export interface Miss {
  recording: string;
  /** `differs`: its method and path are recorded; `other-method`: its path is; `not-recorded`: another path; `empty`: nothing at all. */
  reason: 'differs' | 'other-method' | 'not-recorded' | 'empty';
  /** All of it in one line, for the log and the answer. */
  text: string;
  /** What to do about it, in one sentence. */
  hint: string;
  /** The nearest exchange; without `differences` it is one of another method or path. */
  nearest?: {
    method: string;
    path: string;
    query?: string;
    recordedAt?: string;
    differences?: Difference[];
    /** Number of further differences; counting ends at 100. */
    omitted?: number;
  };
}

/** One place at which a request differs from the recorded one. Values are redacted and cut. */
export interface Difference {
  /** `query/limit`, `headers/accept-language`, `body`, or the JSON Pointer of a place in the body. */
  place: string;
  /** As JSON, if it is JSON. Absent: the recorded request has nothing there. */
  recorded?: string | undefined;
  /** Absent: the request that was sent has nothing there. */
  sent?: string | undefined;
}

/** Exchanges that are compared, the newest of those recorded, and bytes in all of them. */
const MOST_COMPARED = 500;
const MOST_BYTES = 4_000_000;
const MOST_COUNTED = 100;
const MOST_SHOWN = 20;
/** Differences that the hint may name. */
const MOST_HINTED = 3;
/** Paths that are compared. */
const MOST_PATHS = 1000;
/** Characters of a value that are shown. */
const LONGEST = 80;

/** The command that records a request. */
function recordIt(recording: string): string {
  return `patchgate proxy <target> --record --recording ${recording}`;
}

/** A miss's hint for another way of recording. @param how in the place of `recordIt` */
export function hintWith(hint: string, recording: string, how: string): string {
  return hint.replaceAll(recordIt(recording), how);
}

/**
 * Explains a miss by the nearest that is recorded.
 *
 * @param recorded exchanges of the request's method and path, none of which matches
 * @throws PatchgateError if the recording cannot be read
 */
export function explainMiss(
  store: RecordingStore,
  recorded: readonly StoredExchange[],
  sent: SentRequest,
): Miss {
  return recorded.length > 0 ? explainDifference(store.name, recorded, sent) : explainPath(store, sent);
}

function explainDifference(recording: string, recorded: readonly StoredExchange[], sent: SentRequest): Miss {
  const { rules } = sent;
  const { stored, form, spots } = nearestOf(recorded, sent);
  const { request, meta } = stored.exchange;
  const [before, now] = [redacted(request, rules), redacted(sent.request, rules)];
  const differences = spots.slice(0, MOST_SHOWN).map(
    (spot): Difference => ({
      place: cut(redactText(placeOf(spot), rules.redaction)),
      recorded: shown(spot, form, before),
      sent: shown(spot, sent.form, now),
    }),
  );
  const omitted = spots.length - differences.length;
  const said = [...differences.map(inWords), ...(omitted > 0 ? [`and ${omitted} more`] : [])];
  const path = redactPath(request.path, rules.redaction);
  return {
    recording,
    reason: 'differs',
    text: `no exchange in the recording "${recording}" matches this ${request.method} ${path}; in the nearest ${said.join('; ')}`,
    hint: hintFor(recording, spots.length, differences),
    nearest: {
      ...{ method: request.method, path, query: redactQuery(request.query, rules.redaction) },
      ...{ recordedAt: meta.recordedAt, differences, omitted },
    },
  };
}

/** The exchange that differs in the fewest parts, and in these at the fewest places; the oldest of equals. */
function nearestOf(recorded: readonly StoredExchange[], sent: SentRequest) {
  const most = Math.ceil(Math.min(MOST_COMPARED, MOST_BYTES / (1 + bodyBytes(sent.request.body).length)));
  let nearest: { stored: StoredExchange; form: Form; spots: Spot[]; distance: number } | undefined;
  for (const stored of recorded.slice(-most)) {
    const form = formOf(stored.request, sent.rules);
    const spots: Spot[] = [];
    compare(form, sent, (spot) => spots.push(spot) < MOST_COUNTED);
    const parts = new Set(spots.map(([part]) => part)).size;
    const distance = parts * MOST_COUNTED + spots.length;
    if (!nearest || distance < nearest.distance) nearest = { stored, form, spots, distance };
    if (spots.length === 1) break;
  }
  return nearest as NonNullable<typeof nearest>;
}

/** A request's form as it may be shown: redaction may have been set up since it was recorded. */
function redacted(request: RecordedRequest, rules: MatchRules): Form {
  const { query, headers, body } = request;
  const clean = body && redactBody(body, contentTypeOf(headers), rules.redaction);
  const changed = { ...request, query: redactQuery(query, rules.redaction), ...(clean && { body: clean }) };
  return formOf(changed, rules);
}

/** A place's value as people may see it; undefined if nothing is there. */
function shown(spot: Spot, form: Form, clean: Form): string | undefined {
  if (valueAt(spot, form) === undefined) return undefined;
  // Redaction has removed what lies below a secret.
  const value = valueAt(spot, clean);
  if (value === undefined || value === REDACTED) return REDACTED;
  const isText = spot[0] === 'body' && clean.json === undefined;
  return cut(isText ? String(value) : JSON.stringify(value));
}

function valueAt([part, ...tokens]: Spot, form: Form): unknown {
  if (part === 'body')
    return form.json === undefined ? textOf(form.body) : tokens.reduce<unknown>(childOf, form.json);
  const values = form[part].get(String(tokens[0]));
  return values?.length === 1 ? values[0] : values;
}

function textOf(body: StoredBody | undefined): string | undefined {
  if (body === undefined) return undefined;
  return 'text' in body ? body.text : 'base64' in body ? body.base64 : JSON.stringify(body.json);
}

function placeOf([part, ...tokens]: Spot): string {
  if (part === 'body') return pointerOf(tokens) || 'body';
  return `${part}/${escapeToken(String(tokens[0]))}`;
}

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}

function inWords({ place, recorded, sent }: Difference): string {
  if (sent === undefined) return `${place} is missing: recorded ${recorded}`;
  if (recorded !== undefined) return `${place}: recorded ${recorded}, sent ${sent}`;
  const why = place.startsWith('headers/') ? ', and none was kept when it was recorded' : '';
  return `${place} is unexpected: sent ${sent}${why}`;
}

/** Names the options with which it would match, if a few places differ. */
function hintFor(recording: string, count: number, differences: readonly Difference[]): string {
  const unkept = differences.filter(({ place, recorded }) => place.startsWith('headers/') && !recorded);
  const names = unkept.map(({ place }) => place.slice('headers/'.length)).join(',');
  const how = names === '' ? '' : ` with --match-headers ${names}`;
  const asRecorded = `send the request as it was recorded, or record it${how}: ${recordIt(recording)}`;
  const options = differences.map(({ place }) => ignoringOption(place));
  if (count > MOST_HINTED || options.includes(undefined)) return asRecorded;
  return `${asRecorded}; if it may differ there: ${[...new Set(options)].join(' ')}`;
}

const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

function explainPath(store: RecordingStore, { request, rules: { redaction } }: SentRequest): Miss {
  const { method, path } = request;
  const record = recordIt(store.name);
  const miss = (reason: Miss['reason'], why: string, hint: string, nearest?: Place): Miss => {
    const text = `nothing is recorded for ${method} ${path} in the recording "${store.name}"${why}`;
    const shown = { recording: store.name, reason, text: redactText(text, redaction), hint };
    if (!nearest) return shown;
    return { ...shown, nearest: { method: nearest.method, path: redactPath(nearest.path, redaction) } };
  };
  const others = METHODS.filter((one) => store.exchanges(one, path).length > 0);
  if (others[0] !== undefined) {
    const hint = `send a method that is recorded, or record this one: ${record}`;
    return miss('other-method', `, but its path is for ${others.join(', ')}`, hint, {
      method: others[0],
      path,
    });
  }
  const nearest = nearestPlace(store, request);
  if (!nearest) {
    const hint = `record something first: ${record}; or give another name with --recording`;
    return miss('empty', ', which is empty', hint);
  }
  const why = `; the nearest is ${nearest.method} ${nearest.path}`;
  return miss('not-recorded', why, `record it: ${record}`, nearest);
}

/** The place that shares the most segments with the one sent at both ends, if possible of its method. */
function nearestPlace(store: RecordingStore, sent: Place): Place | undefined {
  let nearest: { place: Place; score: number } | undefined;
  let left = MOST_PATHS;
  for (const place of store.places()) {
    if (left-- === 0) break;
    const [a, b] = [place.path.split('/'), sent.path.split('/')];
    const most = Math.min(a.length, b.length);
    let same = 0;
    while (same < most && a[same] === b[same]) same++;
    for (let end = 1; end <= most - same && a.at(-end) === b.at(-end); end++) same++;
    const score = 2 * same + (place.method === sent.method ? 1 : 0) - a.length / 1000;
    if (!nearest || score > nearest.score) nearest = { place, score };
  }
  return nearest?.place;
}
