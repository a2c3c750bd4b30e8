import type { Exchange } from '../model/exchange.ts';
import type { JsonObject } from '../model/json.ts';
import type { Known, RecordName } from '../model/record.ts';
import { jsonOf } from '../recordings/body.ts';
import { orderTimes } from '../recordings/order-times.ts';
import type { RecordingStore } from '../recordings/store.ts';
import { wholeRecord } from '../state/known.ts';
import { isWhole } from '../state/records.ts';
import { shownIn } from './recorded-history.ts';

/** Exchanges of one method and path that are looked at: whoever asks waits meanwhile. */
const MOST_LOOKED_AT = 1000;

interface Seen {
  known: Known;
  /** Milliseconds since the epoch. */
  time: number;
}

/**
 * The earliest state of a record that a recording shows: what the reading of it was answered with, or what a PATCH that the
 * service took has made of it.
 *
 * @param paths under which the record may be recorded, as the recording has them
 * @throws PatchgateError `bad-recording`, `cannot-read`
 */
export async function earliestState(
  store: RecordingStore,
  name: RecordName,
  paths: readonly string[],
): Promise<Known | undefined> {
  let earliest: Seen | undefined;
  for (const path of paths) {
    // In the same millisecond a PATCH may well follow what was read, and what is read after it is the same.
    for (const method of ['GET', 'PATCH']) {
      const seen = await firstSeen(store, name, method, path);
      if (seen && (!earliest || seen.time < earliest.time)) earliest = seen;
    }
  }
  return earliest?.known;
}

async function firstSeen(
  store: RecordingStore,
  name: RecordName,
  method: string,
  path: string,
): Promise<Seen | undefined> {
  const recorded = await store.look(method, path);
  const timeOf = orderTimes();
  for (let i = 0; i < Math.min(recorded.length, MOST_LOOKED_AT); i++) {
    const exchange = recorded.at(i);
    const time = timeOf(exchange);
    const record = recordShown(name, exchange);
    if (!record) continue;
    const known = wholeRecord(name.kind, record);
    // A query may have asked for a part of it.
    const isPart = method === 'GET' && exchange.request.query !== '';
    return { known: isPart ? { ...known, isWhole: false } : known, time };
  }
  return undefined;
}

/** A whole record in an answer counts more than what was sent. */
function recordShown(name: RecordName, { request, response, failure }: Exchange): JsonObject | undefined {
  if (!response || failure || response.status < 200 || response.status > 299 || response.status === 206)
    return undefined;
  const answered = shownIn(response.body, name);
  // Of the others, a PATCH need not hold everything.
  if (answered || request.method !== 'PATCH' || name.kind !== 'project') return answered;
  const sent = request.body && jsonOf(request.body);
  return isWhole(name.kind, sent) ? sent : undefined;
}
