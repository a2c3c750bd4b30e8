import { requestKey } from '../../recordings/match.ts';
import type { MatchRules } from '../../recordings/match-rules.ts';
import { redactQuery } from '../../recordings/redact/redact.ts';
import type { RecordingStore } from '../../recordings/store.ts';
import type { StoredExchange } from '../../recordings/stored-exchange.ts';
import { isAnswer } from './sequences.ts';
import type { Served } from './served.ts';

/** An exchange of a recording that a run never served. */
export interface UnservedExchange {
  method: string;
  path: string;
  /** Redacted. */
  query: string;
  /** Place in its file, from 0. */
  index: number;
  /** ISO 8601, UTC. */
  recordedAt: string;
  /** Name of the session that it was recorded in; absent where that was the default one. */
  session?: string;
  /** Which of those recorded for the same request in the same session it is: `2 of 5`. Absent where it is the only one. */
  place?: string;
  /** It could not be served whatever was asked for: its body was not kept. */
  reason?: 'omitted';
}

export interface Unserved {
  recording: string;
  /** It is about what was recorded in this session alone; `""`: in none. */
  session?: string;
  /** Exchanges that the recording had when the run began. */
  total: number;
  /** How many of them were never served. */
  count: number;
  /** The first thousand of them, by path. */
  exchanges: UnservedExchange[];
}

const MOST_LISTED = 1000;

/**
 * What was never served, of all that was recorded before a moment: every file of the recording is read.
 *
 * @param since milliseconds since the epoch; what was recorded later is not counted
 * @param session only what was recorded in this one; `""`: in none
 */
export function findUnserved(
  store: RecordingStore,
  served: Served,
  since: number,
  rules: MatchRules,
  session?: string,
): Unserved {
  const unserved: Unserved = {
    recording: store.name,
    ...(session !== undefined && { session }),
    total: 0,
    count: 0,
    exchanges: [],
  };
  for (const { method, path } of store.places()) {
    const { all: recorded } = store.exchanges(method, path);
    const missed: number[] = [];
    for (const [index, stored] of recorded.entries()) {
      if (session !== undefined && stored.session !== session) continue;
      const isServed = served.has(stored);
      if (!isServed && Date.parse(stored.meta.recordedAt) >= since) continue;
      unserved.total++;
      if (!isServed) missed.push(index);
    }
    unserved.count += missed.length;
    const room = MOST_LISTED - unserved.exchanges.length;
    if (missed.length === 0 || room <= 0) continue;
    const places = placesOf(recorded, rules);
    for (const index of missed.slice(0, room)) {
      const stored = recorded[index] as StoredExchange;
      const place = places[index];
      const { recordedAt, session } = stored.meta;
      const query = redactQuery(stored.request.query, rules.redaction);
      unserved.exchanges.push({
        ...{ method, path, query, index, recordedAt },
        ...(session !== undefined && { session }),
        ...(place !== undefined && { place }),
        ...(!isAnswer(stored) && { reason: 'omitted' as const }),
      });
    }
  }
  // Stable: the exchanges of a file keep their order.
  const nameOf = ({ path, method }: UnservedExchange) => `${path}\n${method}`;
  unserved.exchanges.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : Number(nameOf(a) > nameOf(b))));
  return unserved;
}

/** Of each exchange of a file, which of its sequence it is. */
function placesOf(recorded: readonly StoredExchange[], rules: MatchRules): (string | undefined)[] {
  const keys = recorded.map(({ request, session }) => requestKey(request, rules) + session);
  const counts = new Map<string, number>();
  const ordinals = keys.map((key) => {
    const ordinal = (counts.get(key) ?? 0) + 1;
    counts.set(key, ordinal);
    return ordinal;
  });
  return keys.map((key, at) => {
    const count = counts.get(key) as number;
    return count > 1 ? `${ordinals[at]} of ${count}` : undefined;
  });
}
