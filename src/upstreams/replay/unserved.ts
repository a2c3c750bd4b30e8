import type { StoredExchange } from '../../recordings/exchange-index.ts';
import { redactQuery } from '../../recordings/redact/redact.ts';
import type { Redaction } from '../../recordings/redact/redaction.ts';
import type { RecordingStore } from '../../recordings/store.ts';

/** An exchange of a recording that a run never served. */
export interface UnservedExchange {
  method: string;
  path: string;
  /** Redacted. */
  query: string;
  /** ISO 8601, UTC. */
  recordedAt: string;
  /** Name of the session that it was recorded in; absent if that was the default one. */
  session?: string;
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
export async function findUnserved(
  store: RecordingStore,
  served: ReadonlySet<StoredExchange>,
  since: number,
  redaction: Redaction,
  session?: string,
): Promise<Unserved> {
  const exchanges: UnservedExchange[] = [];
  let [total, count] = [0, 0];
  const places = [...store.places()].sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
  for (const { method, path } of places) {
    await store.ready?.(method, path);
    for (const stored of store.exchanges(method, path).all) {
      const { recordedAt, session: own } = stored.meta;
      const isServed = served.has(stored);
      const isLater = Date.parse(recordedAt) >= since;
      if ((session !== undefined && stored.session !== session) || (!isServed && isLater)) continue;
      total++;
      if (isServed || ++count > MOST_LISTED) continue;
      exchanges.push({
        ...{ method, path, query: redactQuery(stored.request.query, redaction), recordedAt },
        ...(own !== undefined && { session: own }),
      });
    }
  }
  return { recording: store.name, ...(session !== undefined && { session }), total, count, exchanges };
}
