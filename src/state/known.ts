import { isDeepStrictEqual } from 'node:util';
import { type JsonObject, type JsonValue, listAt } from '../json/json.ts';
import type { Known, RecordKind } from '../model/record.ts';
import { environmentsOf, isSameProject } from './project.ts';
import {
  hasReadableEnvironments,
  isPossible,
  itemKey,
  mergedRecord,
  plainRecord,
  type Shown,
  unionOf,
} from './records.ts';

/** What is known of a record that was seen whole. @param before what was known of it, whose lists may be the same */
export function wholeRecord(kind: RecordKind, record: JsonObject, before?: Known): Known {
  return { record: plainRecord(kind, record, before?.record), isWhole: true };
}

/**
 * What a PATCH says that the record is to be. It is whole where it says of each environment which one that is; of features and
 * drafts the description does not say what becomes of what was not sent, and new variables get ids that were not sent.
 */
export function sentRecord(kind: RecordKind, body: JsonValue, before?: Known): Known {
  const record = plainRecord(kind, body, before?.record);
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

/** What is known of a feature or draft that the service may have changed, as sent. @param sent undefined: it was not read */
export function afterMerged(
  kind: Exclude<RecordKind, 'project'>,
  known: Known | undefined,
  sent: Known | undefined,
): Known | undefined {
  return known && sent && { ...known, record: mergedRecord(kind, known.record, sent.record) };
}

/**
 * What is known where a record may be as it was or as it was sent.
 *
 * @param sent undefined: it was not read
 * @param since milliseconds since 1970: an environment that only one of the two has is only possible since then; undefined: it counts
 *   as the others do
 */
export function withUnclear(
  known: Known | undefined,
  sent: Known | undefined,
  since?: number,
): Known | undefined {
  if (!sent) return known && { ...known, isWhole: false };
  const record = known ? unionOf(known.record, sent.record) : sent.record;
  // Nearly always both have the very same list.
  const isSure = since === undefined || known?.record.environments === sent.record.environments;
  return {
    record: isSure ? record : withDoubts(record, [known?.record ?? {}, sent.record], since),
    isWhole: known?.isWhole === true && sent.isWhole,
  };
}

/** What is known of a record that is one of two. */
export function either(first: Known | undefined, second: Known | undefined): Known | undefined {
  if (!first || !second) return first ?? second;
  return { record: unionOf(first.record, second.record), isWhole: first.isWhole || second.isWhole };
}

/**
 * What is known where two have learnt on from the same: what either has found is there, what either has found gone is gone.
 *
 * @param since what only the own one has found may be gone by now, and is only possible since then; undefined: it is there
 */
export function merged(
  before: Known | undefined,
  own: Known | undefined,
  other: Known | undefined,
  since: number | undefined,
): Known | undefined {
  if (isDeepStrictEqual(own, before)) return other;
  if (isDeepStrictEqual(other, before)) return own;
  if (!own || !other) return own ?? other;
  const { record } = either(other, own) as Known;
  const isWhole = own.isWhole === before?.isWhole ? other.isWhole : own.isWhole;
  if (!Array.isArray(record.environments)) return { record, isWhole };
  const keysBefore = keysOf(before?.record);
  const ownKeys = keysOf(own.record);
  const otherKeys = keysOf(other.record);
  const environments = record.environments.flatMap((item) => {
    const key = itemKey(item);
    if (ownKeys.has(key) && otherKeys.has(key)) return item;
    if (keysBefore.has(key)) return [];
    return since !== undefined && ownKeys.has(key) ? possible(item, since) : item;
  });
  return { record: { ...record, environments }, isWhole };
}

/**
 * What is known of a project when an answer has shown it: what the answer lacks may exist all the same.
 *
 * @param isLate something has changed since it was asked for: what it shows may be gone
 */
export function afterShown(
  known: Known | undefined,
  { record = {}, isPart, isDated = false }: Shown,
  since: number,
  isLate: boolean,
): Known {
  const isWhole = known?.isWhole || !(isPart || isDated || isLate);
  if (known && isSameProject(known.record, record))
    return known.isWhole === isWhole ? known : { ...known, isWhole };
  const before = keysOf(known?.record);
  const shown = keysOf(record);
  const now = listAt(record, 'environments').map((item) =>
    isLate && !before.has(itemKey(item)) ? possible(item, since) : item,
  );
  const others = listAt(known?.record, 'environments').filter((item) => !shown.has(itemKey(item)));
  const environments = [...now, ...others.map((item) => possible(item, since))];
  return {
    record: { ...known?.record, ...record, environments },
    isWhole,
  };
}

/**
 * What is known of a project when the service has taken what was sent, and its answer lacks what is gone.
 *
 * @param sent whole. @param mayBe whether an environment that was not sent may be there all the same
 */
export function afterAccepted(
  known: Known | undefined,
  sent: Known,
  shown: Shown | undefined,
  since: number,
  mayBe: (id: number) => boolean,
): Known {
  const { record } = shown ?? {};
  const { record: taken } = afterTaken(known, sent);
  const now = record
    ? afterShown({ record: taken, isWhole: true }, { ...shown, record } as Shown, since, false).record
    : taken;
  if (now.environments === known?.record.environments) return { record: now, isWhole: true };
  const present = new Set(environmentsOf(now).map(({ id }) => id));
  const kept = environmentsOf(known?.record).filter(({ id }) => mayBe(id) && !present.has(id));
  if (kept.length === 0) return { record: now, isWhole: true };
  const items = kept.map(({ index }) => listAt(known?.record, 'environments')[index] as JsonValue);
  const environments = [...listAt(now, 'environments'), ...items.map((item) => possible(item, since))];
  return { record: { ...now, environments }, isWhole: true };
}

/** The same without the environments that are gone. */
export function without(known: Known, isGone: (id: number) => boolean): Known {
  const gone = new Set(
    environmentsOf(known.record)
      .filter(({ id }) => isGone(id))
      .map(({ index }) => index),
  );
  if (gone.size === 0) return known;
  const environments = listAt(known.record, 'environments').filter((_, index) => !gone.has(index));
  return { ...known, record: { ...known.record, environments } };
}

/** Each of its environments is only possible. */
export function doubted(known: Known, since: number): Known {
  return { ...known, record: withDoubts(known.record, [], since) };
}

/** A record whose environments are only possible where one of the states does not have them. */
function withDoubts(record: JsonObject, states: readonly JsonObject[], since: number): JsonObject {
  if (!Array.isArray(record.environments)) return record;
  const keys = states.map(keysOf);
  const isSure = (item: JsonValue) => keys.length > 0 && keys.every((has) => has.has(itemKey(item)));
  return {
    ...record,
    environments: record.environments.map((item) => (isSure(item) ? item : possible(item, since))),
  };
}

function keysOf(record: JsonObject | undefined): ReadonlySet<string> {
  return new Set(listAt(record, 'environments').map(itemKey));
}

function possible(item: JsonValue, since: number): JsonValue {
  return isPossible(item) ? item : { ...(item as JsonObject), possibleSince: new Date(since).toISOString() };
}
