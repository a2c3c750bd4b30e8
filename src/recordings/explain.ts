import { isObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { escapeToken, pointerOf } from '../json/pointer.ts';
import type { RecordedRequest } from '../model/exchange.ts';
import { shortened } from '../model/short-text.ts';
import type { StoredExchange } from './exchange-index.ts';
import { cleanForm, compareJson, DEFAULT_RULES, type Form, formOf, type MatchRules } from './match.ts';
import type { Place } from './names.ts';
import { redactPath, redactQuery, redactText } from './redact/redact.ts';
import { REDACTED } from './redact/redacted.ts';
import type { RecordingStore } from './store.ts';

/** Why no exchange answers a request. Redacted. */
export interface Miss {
  recording: string;
  /** `differs`: its method and path are recorded; `not-recorded`: others are; `empty`: nothing at all. */
  reason: 'differs' | 'not-recorded' | 'empty';
  text: string;
  hint: string;
  /** The nearest exchange; without `differences` it is one of another method or path. */
  nearest?: Place & { query?: string; recordedAt?: string; differences?: Difference[] };
}

/** One place at which a request differs from the recorded one. Values are redacted and cut. */
export interface Difference {
  /** `query/limit`, `headers/accept-language`, `body`, or the JSON Pointer of a place in the body. */
  place: string;
  /** As JSON, if it is JSON. Absent: that request has nothing there. */
  recorded?: string | undefined;
  sent?: string | undefined;
}

/** Exchanges that are compared, the newest of those recorded, and characters in all of them. */
const MOST_COMPARED = 500;
const MOST_CHARACTERS = 4_000_000;
const MOST_PATHS = 1000;
const MOST_DIFFERENCES = 20;
/** Characters of a value that are shown. */
const LONGEST = 80;

const recordIt = (recording: string) => `patchgate proxy <target> --record --recording ${recording}`;

/** A miss's hint for another way of recording. @param how in the place of `recordIt` */
export function hintWith(hint: string, recording: string, how: string): string {
  return hint.replaceAll(recordIt(recording), how);
}

/** Explains a miss by the nearest that is recorded. @param recorded of its method and path, none of which matches */
export function explainMiss(
  store: RecordingStore,
  recorded: readonly StoredExchange[],
  request: RecordedRequest,
  rules: MatchRules = DEFAULT_RULES,
): Miss {
  const { name: recording } = store;
  const record = recordIt(recording);
  const asked = `${request.method} ${redactPath(request.path, rules.redaction)}`;
  if (recorded.length > 0) {
    const nearest = nearestExchange(recorded, request, rules);
    const text = `no exchange in the recording "${recording}" matches this ${asked}; in the nearest ${inWords(nearest.differences)}`;
    const hint = `send the request as it was recorded, or record it: ${record}; what may differ: --ignore-query, --ignore-pointers`;
    return { recording, reason: 'differs', text, hint, nearest };
  }
  const nothing = `nothing is recorded for ${asked} in the recording "${recording}"`;
  const nearest = nearestPlace(store, request, rules);
  if (!nearest) {
    const hint = `record something first: ${record}; or give another name with --recording`;
    return { recording, reason: 'empty', text: `${nothing}, which is empty`, hint };
  }
  const text = `${nothing}; the nearest is ${nearest.method} ${nearest.path}`;
  return { recording, reason: 'not-recorded', text, hint: `record it: ${record}`, nearest };
}

/** The exchange with the fewest differences, the oldest of equals. */
function nearestExchange(recorded: readonly StoredExchange[], request: RecordedRequest, rules: MatchRules) {
  const sent = cleanForm(request, rules);
  const most = Math.ceil(Math.min(MOST_COMPARED, MOST_CHARACTERS / JSON.stringify(sent).length));
  let [nearest, fewest] = [recorded[0] as StoredExchange, Number.POSITIVE_INFINITY];
  for (const stored of recorded.slice(-most)) {
    const { length } = differencesOf(formOf(stored.request, rules), sent);
    if (length < fewest) [nearest, fewest] = [stored, length];
    if (fewest === 1) break;
  }
  const { request: before, meta } = nearest;
  const differences = differencesOf(cleanForm(before, rules), sent);
  for (const one of differences) one.place = shortened(redactText(one.place, rules.redaction), LONGEST);
  const query = redactQuery(before.query, rules.redaction);
  const path = redactPath(before.path, rules.redaction);
  return { method: before.method, path, query, recordedAt: meta.recordedAt, differences };
}

function differencesOf(before: Form, now: Form): Difference[] {
  const found = new Map<string, Difference>();
  compareJson(withContent(before), withContent(now), ([part = '', ...rest], was, is) => {
    const place = part === 'body' ? pointerOf(rest) || part : `${part}/${escapeToken(rest[0] ?? '')}`;
    if (!found.has(place)) found.set(place, { place, recorded: shown(was, place), sent: shown(is, place) });
    return found.size < MOST_DIFFERENCES;
  });
  return [...found.values()];
}

/** A form with the body itself, whatever kind it is. */
function withContent({ body, ...form }: Form): JsonObject {
  return { ...form, ...(body !== undefined && { body: isObject(body) ? Object.values(body)[0] : body }) };
}

function shown(value: JsonValue | undefined, place: string): string | undefined {
  const isPlainText = value === REDACTED || (place === 'body' && typeof value === 'string');
  return value === undefined ? undefined : shortened(isPlainText ? value : JSON.stringify(value), LONGEST);
}

function inWords(differences: readonly Difference[]): string {
  if (differences.length === 0) return 'a value that is redacted differs';
  const said = differences.map(({ place, recorded, sent }) => {
    if (sent === undefined) return `${place} is missing: recorded ${recorded}`;
    if (recorded !== undefined) return `${place}: recorded ${recorded}, sent ${sent}`;
    const why = place.startsWith('headers/') ? ', and none was kept when it was recorded' : '';
    return `${place} is unexpected: sent ${sent}${why}`;
  });
  return said.join('; ') + (said.length === MOST_DIFFERENCES ? '; and perhaps more' : '');
}

/** The place whose path shares the most segments with the one sent, if possible of its method. */
function nearestPlace(store: RecordingStore, { method, path }: Place, rules: MatchRules): Place | undefined {
  const sent = new Set(path.split('/'));
  let nearest: Place | undefined;
  let [highest, left] = [0, MOST_PATHS];
  for (const place of store.places()) {
    if (left-- === 0) break;
    const segments = place.path.split('/');
    const same = segments.filter((segment) => sent.has(segment)).length;
    const score = 1 + 2 * same + (place.method === method ? 1 : 0) - segments.length / 10_000;
    if (score > highest) [nearest, highest] = [place, score];
  }
  return nearest && { ...nearest, path: redactPath(nearest.path, rules.redaction) };
}
