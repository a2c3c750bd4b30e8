import { isObject, type JsonValue } from '../../json/json.ts';
import { tokensOf } from '../../json/pointer.ts';
import type { RecordedRequest } from '../../model/exchange.ts';
import { redactPath, redactQuery } from '../redaction/redact.ts';
import type { RecordingStore } from '../store/recording-store.ts';
import type { StoredExchange } from '../store/stored-exchange.ts';
import { type Difference, differencesOf, type Found, type Work } from './differences.ts';
import { explainPath } from './explain-path.ts';
import { type Miss, recordIt } from './miss.ts';
import type { SentRequest } from './sent-request.ts';

/** Bounds on the work and on what is shown. */
const MOST_COMPARED = 50;
/** Exchanges of which it is found out roughly how much they are like the request. */
const MOST_LOOKED_AT = 1000;
/** Values of all bodies compared; the exchange with which they run out is the last one. */
const MOST_VALUES = 100_000;
const MOST_COUNTED = 100;
const MOST_SHOWN = 20;
/** Differences that the hint may name. */
const MOST_HINTED = 3;

interface Candidate {
  stored: StoredExchange;
  found: readonly Found[];
}

/**
 * Explains a miss by what comes nearest to it in the recording, with a bounded amount of work.
 *
 * @param recorded what the session is given of the request's method and path, none of which matches
 * @throws PatchgateError where the recording cannot be read
 */
export function explainMiss(
  store: RecordingStore,
  recorded: readonly StoredExchange[],
  sent: SentRequest,
): Miss {
  return recorded.length > 0 ? explainDifference(store.name, recorded, sent) : explainPath(store, sent);
}

/**
 * Explains how a request differs from the nearest exchange: the one of which the fewest parts (query, headers, body)
 * differ, and these in the fewest places.
 */
function explainDifference(recording: string, recorded: readonly StoredExchange[], sent: SentRequest): Miss {
  const { stored, found } = nearestOf(recorded, sent);
  const { request, meta } = stored.exchange;
  const { redaction } = sent.rules;
  const differences = found.slice(0, MOST_SHOWN).map((difference) => difference.show());
  const omitted = found.length - differences.length;
  const said = differences.map(inWords);
  if (omitted > 0) said.push(`and ${omitted} more`);
  const path = redactPath(request.path, redaction);
  return {
    recording,
    reason: 'differs',
    text: `no exchange in the recording "${recording}" matches this ${request.method} ${path}; in the nearest ${said.join('; ')}`,
    hint: hintFor(recording, found, differences),
    nearest: {
      method: request.method,
      path,
      query: redactQuery(request.query, redaction),
      recordedAt: meta.recordedAt,
      differences,
      omitted,
    },
  };
}

function nearestOf(recorded: readonly StoredExchange[], sent: SentRequest): Candidate {
  let nearest: (Candidate & { parts: number }) | undefined;
  const work: Work = { left: MOST_VALUES };
  for (const stored of mostAlike(recorded, sent)) {
    // Where one part alone differs, as many places as before are too many already.
    const most = nearest?.parts === 1 ? nearest.found.length : MOST_COUNTED;
    const found = differencesOf(stored.request, sent, most, work);
    const parts = new Set(found.map(({ part }) => part)).size;
    if (
      nearest === undefined ||
      parts < nearest.parts ||
      (parts === nearest.parts && found.length < nearest.found.length)
    ) {
      nearest = { stored, found, parts };
    }
    if (work.left <= 0 || nearest.found.length === 1) break;
  }
  return nearest as Candidate;
}

/** Those worth a comparison, oldest first. */
function mostAlike(recorded: readonly StoredExchange[], { request }: SentRequest): readonly StoredExchange[] {
  if (recorded.length <= MOST_COMPARED) return recorded;
  const scored = recorded
    .slice(0, MOST_LOOKED_AT)
    .map((stored, place) => ({ stored, place, score: likeness(stored.request, request) }));
  scored.sort((a, b) => b.score - a.score || a.place - b.place);
  const chosen = scored.slice(0, MOST_COMPARED).sort((a, b) => a.place - b.place);
  return chosen.map(({ stored }) => stored);
}

/** A cheap measure: whether the query is the same, and how many members of the body look the same from outside. */
function likeness(recorded: RecordedRequest, sent: RecordedRequest): number {
  const score = recorded.query === sent.query ? 1 : 0;
  const before = recorded.body && 'json' in recorded.body ? recorded.body.json : undefined;
  const now = sent.body && 'json' in sent.body ? sent.body.json : undefined;
  if (!isObject(before) || !isObject(now)) return score;
  const same = Object.keys(now).filter((name) => looksSame(before[name], now[name]));
  return score + same.length;
}

function looksSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return one === other || (Array.isArray(one) && Array.isArray(other) && one.length === other.length);
}

function inWords({ place, recorded, sent }: Difference): string {
  if (sent === undefined) return `${place} is missing: recorded ${recorded}`;
  if (recorded !== undefined) return `${place}: recorded ${recorded}, sent ${sent}`;
  // Recordings keep what matching named at the time.
  const why = place.startsWith('headers/') ? ', and none was kept when it was recorded' : '';
  return `${place} is unexpected: sent ${sent}${why}`;
}

/** Names the options that would make it match, where that is but a few places. */
function hintFor(recording: string, found: readonly Found[], differences: readonly Difference[]): string {
  const unkept = differences.filter(({ place, recorded }) => place.startsWith('headers/') && !recorded);
  const names = unkept.map(({ place }) => place.slice('headers/'.length)).join(',');
  const how = names === '' ? '' : ` with --match-headers ${names}`;
  const asRecorded = `send the request as it was recorded, or record it${how}: ${recordIt(recording)}`;
  const options = found.map(({ part }, i) => optionFor(part, differences[i]?.place ?? ''));
  if (options.length > MOST_HINTED || options.includes(undefined)) return asRecorded;
  return `${asRecorded}; if it may differ there: ${[...new Set(options)].join(' ')}`;
}

/** Undefined where there is none for this place. */
function optionFor(part: Found['part'], place: string): string | undefined {
  // One that was cut names nothing, and options are parted at commas.
  if (place.endsWith('…') || /[,\s']/.test(place)) return undefined;
  if (part === 'query') return `--ignore-query ${tokensOf(place.slice('query'.length))[0]}`;
  if (part !== 'body' || place === 'body') return undefined;
  return `--ignore-pointers '${place.replace(/\/\d+(?=\/|$)/g, '/*')}'`;
}
