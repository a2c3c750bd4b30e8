import type { Exchange, RecordedRequest } from '../../model/exchange.ts';
import { redactQuery } from '../redaction/redact.ts';
import { DEFAULT_REDACTION, type Redaction } from '../redaction/secret-names.ts';
import type { RecordingStore } from '../store.ts';
import { type Difference, differencesOf, type Work } from './differences.ts';
import type { ComparedRequest } from './sent-request.ts';

/** Why no exchange answers a request. Redacted. */
export interface Miss {
  recording: string;
  /** All of it in one line, for the log and the answer. */
  text: string;
  /** The exchange that comes nearest; without `differences` it is one of another method or path. */
  nearest?: {
    method: string;
    path: string;
    query?: string;
    recordedAt?: string;
    differences?: Difference[];
    /** How many more differences there are; at 100 nobody counts further. */
    omitted?: number;
  };
}

/** Bounds on the work and on what is shown. */
const MOST_COMPARED = 200;
/** Values of all bodies compared; the exchange with which they run out is the last one. */
const MOST_VALUES = 100_000;
const MOST_COUNTED = 100;
const MOST_SHOWN = 20;
const MOST_PATHS = 1000;

/**
 * Explains a miss by what comes nearest to it in the recording.
 *
 * @param recorded what is recorded for the request's method and path, none of which matches
 */
export async function explainMiss(
  store: RecordingStore,
  recorded: readonly Exchange[],
  sent: ComparedRequest,
  redaction: Redaction = DEFAULT_REDACTION,
): Promise<Miss> {
  const { request } = sent;
  const what = `${request.method} ${request.path}`;
  const recording = store.name;
  if (recorded.length > 0) return explainExchange(recording, what, recorded, sent, redaction);
  const nearest = await nearestPath(store, request);
  const nothing = `nothing is recorded for ${what} in the recording "${recording}"`;
  if (!nearest) return { recording, text: `${nothing}, which is empty` };
  return { recording, nearest, text: `${nothing}; the nearest is ${nearest.method} ${nearest.path}` };
}

function explainExchange(
  recording: string,
  what: string,
  recorded: readonly Exchange[],
  sent: ComparedRequest,
  redaction: Redaction,
): Miss {
  let nearest = recorded[0] as Exchange;
  let least: ReturnType<typeof differencesOf> | undefined;
  const work: Work = { left: MOST_VALUES };
  for (const exchange of recorded.slice(0, MOST_COMPARED)) {
    // As many as before are too many already.
    const most = least?.length ?? MOST_COUNTED;
    const found = differencesOf(exchange.request, sent, most, redaction, work);
    if (least === undefined || found.length < least.length) {
      nearest = exchange;
      least = found;
    }
    if (work.left <= 0) break;
  }
  const all = least ?? [];
  const differences = all.slice(0, MOST_SHOWN).map((difference) => difference());
  const omitted = all.length - differences.length;
  const said = differences.map(inWords);
  if (omitted > 0) said.push(`and ${omitted} more`);
  return {
    recording,
    text: `no exchange in the recording "${recording}" matches this ${what}; in the nearest ${said.join('; ')}`,
    nearest: {
      method: nearest.request.method,
      path: nearest.request.path,
      query: redactQuery(nearest.request.query, redaction),
      recordedAt: nearest.meta.recordedAt,
      differences,
      omitted,
    },
  };
}

function inWords({ place, recorded, sent }: Difference): string {
  if (sent === undefined) return `${place} is missing: recorded ${recorded}`;
  if (recorded === undefined) return `${place} is unexpected: sent ${sent}`;
  return `${place}: recorded ${recorded}, sent ${sent}`;
}

/** Of the methods and paths recorded, the one most alike; only the first 1,000 are looked at. */
async function nearestPath(
  store: RecordingStore,
  request: RecordedRequest,
): Promise<{ method: string; path: string } | undefined> {
  let nearest: { method: string; path: string } | undefined;
  let most = -1;
  let seen = 0;
  for await (const candidate of store.paths()) {
    const score =
      2 * sharedEnds(candidate.path, request.path) + (candidate.method === request.method ? 1 : 0);
    if (score > most) {
      nearest = candidate;
      most = score;
    }
    if (++seen >= MOST_PATHS) break;
  }
  return nearest;
}

/** How many segments two paths share, counted from both ends: a prefix, a version or an id may differ. */
function sharedEnds(a: string, b: string): number {
  const one = a.split('/');
  const other = b.split('/');
  const most = Math.min(one.length, other.length);
  let front = 0;
  while (front < most && one[front] === other[front]) front++;
  let back = 0;
  while (back < most - front && one[one.length - 1 - back] === other[other.length - 1 - back]) back++;
  return front + back;
}
