import { mayMeanAnother, type RequestHead, splitTarget } from '../http/http.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import type { RecordName } from '../model/record.ts';
import { jsonOf } from '../recordings/body.ts';
import { plainRecord, unionOf } from '../state/lists.ts';
import { isWholeProject, saysNo, wholeRecordIn } from '../state/whole-record.ts';
import { type Outcome, outcomeOf, type Records } from './records.ts';
import type { Answered } from './watch-answer.ts';

/** What an answer to a change says. */
interface Answer {
  outcome: Outcome;
  /** The service has taken the change, perhaps to make it later. */
  isApplied: boolean;
  /** The whole record that it holds. */
  record?: JsonObject | undefined;
}

export function answerOf(name: RecordName, answered: Answered): Answer {
  if (answered === 'unsent') return { outcome: 'unsent', isApplied: false };
  const { status, headers = [], bytes } = answered ?? {};
  const outcome = outcomeOf(status);
  const isApplied = status !== undefined && status >= 200 && status < 300;
  if (outcome !== 'accepted' || !bytes?.length) return { outcome, isApplied };
  const json = jsonOf({ text: bytes.toString('utf8') });
  if (json === undefined) return { outcome, isApplied };
  if (saysNo(json)) return { outcome: 'unclear', isApplied: false };
  const whole = wholeRecordIn(name.kind, { status: status as number, headers }, json, name.id);
  return { outcome, isApplied, record: 'record' in whole ? plainRecord(name.kind, whole.record) : undefined };
}

/**
 * Remembers what a request that took no lock says of its record: a GET that shows it, a change, a DELETE.
 *
 * @param json of a PATCH that was judged; undefined: it was not
 * @param hide gives as much of a record as may be kept
 * @returns whether another record is known now
 */
export function remember(
  records: Pick<Records, 'of' | 'saw' | 'spoil' | 'forget'>,
  name: RecordName,
  { method, url, headers }: RequestHead,
  json: JsonValue | undefined,
  answered: Answered,
  hide: (record: JsonObject) => JsonObject = (record) => record,
): boolean {
  const isPlain = splitTarget(url).query === '' && !mayMeanAnother(headers);
  const { outcome, record } = answerOf(name, answered);
  if (method === 'GET') return isPlain && record !== undefined && records.saw(name, hide(record));
  if (outcome === 'refused' || outcome === 'unsent') return false;
  if (method === 'DELETE' && outcome === 'accepted' && isPlain) {
    records.forget(name);
    return true;
  }
  const sent = name.kind === 'project' && isWholeProject(json) ? plainRecord(name.kind, json) : undefined;
  const before = records.of(name);
  const isTaken = outcome === 'accepted' && isPlain && json !== undefined;
  const taken = isTaken ? (record ?? sent) : undefined;
  const either = sent && before?.isWhole ? unionOf(name.kind, before.record, sent) : undefined;
  const now = taken ?? either;
  if (now) return records.saw(name, hide(now));
  records.spoil(name);
  return false;
}

/** Whether the answer to such a request has a say in what its record is. */
export function tellsOfRecord(method: string): boolean {
  return method !== 'HEAD' && method !== 'OPTIONS' && method !== 'TRACE';
}
