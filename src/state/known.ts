import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Known, RecordKind } from '../model/record.ts';
import { hasReadableEnvironments, mergedRecord, plainRecord, unionOf } from './records.ts';
import { sharingLists } from './same-project.ts';

/** What is known of a record that was seen whole. @param before what was known of it, whose lists may be the same */
export function wholeRecord(kind: RecordKind, record: JsonObject, before?: Known): Known {
  return { record: sharingLists(before?.record, plainRecord(kind, record)), isWhole: true };
}

/**
 * What a PATCH says that the record is to be. It is whole where it says of each environment which one that is; of features and
 * drafts the description does not say what becomes of what was not sent, and new variables get ids that nobody has sent.
 */
export function sentRecord(kind: RecordKind, body: JsonValue, before?: Known): Known {
  const record = sharingLists(before?.record, plainRecord(kind, body));
  return { record, isWhole: kind === 'project' && hasReadableEnvironments(body) };
}

/** What a project is when the service has taken what was sent whole: a name or languages that were not sent are as before. */
export function afterTaken(known: Known | undefined, sent: Known): Known {
  const { record } = sent;
  if ('name' in record && 'languages' in record) return { record, isWhole: true };
  const { name, languages } = known?.record ?? {};
  const before = { ...(name !== undefined && { name }), ...(languages !== undefined && { languages }) };
  return { record: { ...before, ...record }, isWhole: true };
}

/** What is known of a feature or draft that the service may have changed, as sent. @param sent undefined: nobody has read that */
export function afterMerged(
  kind: Exclude<RecordKind, 'project'>,
  known: Known | undefined,
  sent: Known | undefined,
): Known | undefined {
  return known && sent && { ...known, record: mergedRecord(kind, known.record, sent.record) };
}

/** What is known where a record may be as it was or as it was sent. @param sent undefined: nobody has read that */
export function withUnclear(known: Known | undefined, sent: Known | undefined): Known | undefined {
  if (!sent) return known && { ...known, isWhole: false };
  if (!known) return { ...sent, isWhole: false };
  return { record: unionOf(known.record, sent.record), isWhole: known.isWhole && sent.isWhole };
}

/** What is known of a record that is one of two. */
export function either(first: Known | undefined, second: Known | undefined): Known | undefined {
  if (!first || !second) return first ?? second;
  return { record: unionOf(first.record, second.record), isWhole: first.isWhole || second.isWhole };
}
