import { byHeaderName } from '../http/http.ts';
import { isObject, type JsonObject, type JsonValue, listAt, member } from '../json/json.ts';
import type { Effect } from '../model/effect.ts';
import type { RecordKind } from '../model/record.ts';
import { environmentsOf, hasSameEnvironments, hasSameLanguages, languagesOf } from './project.ts';

/**
 * The record that a response holds whole: it, or one member that wraps it (`_data`). Undefined where there is none, where it
 * could be one of several, or where it says itself that it is another one.
 *
 * @param id the record's id, as in the path
 */
export function recordIn(kind: RecordKind, response: JsonValue, id: string): JsonObject | undefined {
  if (isWhole(kind, response)) return ofId(response, id);
  if (!isObject(response)) return undefined;
  const wrapped = Object.values(response).filter((value) => isWhole(kind, value));
  return wrapped.length === 1 ? ofId(wrapped[0] as JsonObject, id) : undefined;
}

function ofId(record: JsonObject, id: string): JsonObject | undefined {
  const own = member(record, 'id');
  return own === undefined || own === id || (typeof own === 'number' && String(own) === id)
    ? record
    : undefined;
}

/**
 * Whether a value has the shape of the whole record. Of a project that is what the description says of it (service-api 2.1,
 * 4.1 rule 1); of the others nothing is required, so what they could lose must be there.
 */
export function isWhole(kind: RecordKind, value: JsonValue | undefined): value is JsonObject {
  if (kind !== 'project') {
    return isObject(value) && Array.isArray(member(value, kind === 'feature' ? 'variables' : 'variations'));
  }
  const languages = member(value, 'languages');
  return (
    typeof member(value, 'name') === 'string' &&
    Array.isArray(languages) &&
    languages.every((item) => typeof item === 'string') &&
    namesItsEnvironments(value)
  );
}

/** Whether a project says of each of its environments which one that is. */
export function hasReadableEnvironments(value: JsonValue | undefined): boolean {
  const environments = member(value, 'environments');
  return Array.isArray(environments) && environments.every((item) => Number.isInteger(member(item, 'id')));
}

/**
 * What is kept of a record: so much that a PATCH can be held against it. What cannot be read is left out.
 *
 * @param before what was known of it: where it has the same lists, they are those
 */
export function plainRecord(
  kind: RecordKind,
  value: JsonValue | undefined,
  before: JsonObject = NOTHING,
): JsonObject {
  const record: JsonObject = {};
  const name = member(value, 'name');
  if (typeof name === 'string') record.name = name;
  if (kind === 'project') {
    if (hasSameLanguages(before, value)) record.languages = before.languages as JsonValue[];
    else if (Array.isArray(member(value, 'languages'))) record.languages = [...languagesOf(value)];
    if (hasSameEnvironments(before, value)) record.environments = before.environments as JsonValue[];
    else if (Array.isArray(member(value, 'environments')))
      record.environments = environmentsOf(value).map(({ id, name, isEnabled }) => ({ id, name, isEnabled }));
    return record;
  }
  for (const { field, kept } of RECORD_LISTS[kind]) {
    if (!Array.isArray(member(value, field))) continue;
    record[field] = listAt(value, field)
      .filter(isObject)
      .map((item) => picked(item, kept));
  }
  return record;
}

const NOTHING: JsonObject = {};

function picked(item: JsonObject, members: readonly string[]): JsonObject {
  const kept: JsonObject = {};
  for (const name of members) {
    const value = member(item, name);
    if (value !== undefined && typeof value !== 'object') kept[name] = value;
  }
  return kept;
}

/** What either of two states of a record has. Of the second, which is the later one, it has the name. */
export function unionOf(first: JsonObject, second: JsonObject): JsonObject {
  const union: JsonObject = { ...first, ...second };
  for (const field in second) {
    const value = second[field];
    if (!Array.isArray(value) || !Array.isArray(first[field]) || value === first[field]) continue;
    const items = new Map<string, JsonValue>();
    for (const item of [...(first[field] as JsonValue[]), ...value]) {
      const key = itemKey(item);
      const before = items.get(key);
      // What comes again comes last: it is the later word.
      items.delete(key);
      items.set(key, before !== undefined && !isPossible(before) ? sure(item) : item);
    }
    union[field] = [...items.values()];
  }
  return union;
}

/**
 * What a feature or draft holds when a PATCH of it may have been applied. The description does not say whether its lists replace
 * the stored ones, so each has what either has. What was sent without an id gets one that is not known, and then that list is not known.
 */
export function mergedRecord(
  kind: Exclude<RecordKind, 'project'>,
  known: JsonObject,
  sent: JsonObject,
): JsonObject {
  const merged = unionOf(known, sent);
  for (const { field, id } of RECORD_LISTS[kind])
    if (known[field] === undefined || listAt(sent, field).some((item) => member(item, id) === undefined))
      delete merged[field];
  return merged;
}

/** The same for items that are one. Neither an environment's mark as the default counts, nor whether it is sure to exist. */
export function itemKey(item: JsonValue): string {
  const { isEnabled: _, possibleSince: _since, ...rest } = isObject(item) ? item : { item };
  return JSON.stringify(rest);
}

/** Whether an environment is not sure to exist. */
export function isPossible(item: JsonValue): boolean {
  return member(item, 'possibleSince') !== undefined;
}

function sure(item: JsonValue): JsonValue {
  if (!isPossible(item)) return item;
  const { possibleSince: _, ...rest } = item as JsonObject;
  return rest;
}

/** What an answer of the service shows of a record. */
export interface Shown {
  /** What can be kept of the record; absent where the answer shows none, or one that does not name its environments. */
  record?: JsonObject;
  /** It has not the members of a whole record. */
  isPart: boolean;
  /** The answer says that there is more, or may be of some time ago. */
  isDated?: boolean;
  /** The answer says, whatever its status, that something went wrong. */
  isError?: boolean;
  /** Ids of the environments that stand anywhere in the answer. */
  ids: ReadonlySet<number>;
}

/** @param id the record's id, as in the path */
export function shownIn(kind: RecordKind, answer: JsonValue, id: string): Shown {
  const whole = recordIn(kind, answer, id);
  if (kind !== 'project')
    return { ...(whole && { record: plainRecord(kind, whole) }), isPart: false, ids: NO_IDS };
  const { ids, projects, saysMore } = lookThrough(answer);
  const [only, ...others] = projects;
  const record = whole ?? (only && others.length === 0 ? ofId(only, id) : undefined);
  return {
    ...(record && { record: plainRecord(kind, record) }),
    isPart: !whole,
    ...(saysMore && { isDated: true }),
    ...(saysNo(answer) && { isError: true }),
    ids,
  };
}

/** The projects of a list, and the one that was created. */
export function projectsIn(answer: JsonValue): { id: string; record: JsonObject }[] {
  return lookThrough(answer).projects.flatMap((project) => {
    const { id } = project;
    const isId = Number.isInteger(id) || (typeof id === 'string' && /^(?:0|-?[1-9]\d*)$/.test(id));
    return isId ? [{ id: String(id), record: plainRecord('project', project) }] : [];
  });
}

const NO_IDS: ReadonlySet<number> = new Set();

function namesItsEnvironments(value: JsonValue | undefined): value is JsonObject {
  return (
    hasReadableEnvironments(value) &&
    listAt(value, 'environments').every((item) => typeof member(item, 'name') === 'string')
  );
}

/** Members by which services say that a list goes on. */
const MORE = /^_*(?:has_?)?(?:next|more)|cursor|continu|truncat|partial/i;
/** Of the list itself: `accountId` is none, and a project has other things that can be counted. */
const COUNT = /^_*(?:total|count|(?:total|environments?)_?(?:count|items|results|elements|environments)?)$/i;
const PAGES = /pages$/i;
const meaningOf = byHeaderName((name) =>
  MORE.test(name) ? 'more' : PAGES.test(name) ? 'pages' : COUNT.test(name) ? 'count' : 'none',
);

interface Found {
  /** Of environments. */
  ids: ReadonlySet<number>;
  /** What has environments, each of which has a name. */
  projects: readonly JsonObject[];
  /** It says that it does not show all. */
  saysMore: boolean;
}

/** What stands anywhere in an answer. Without recursion: it may be nested deep. */
function lookThrough(answer: JsonValue): Found {
  const ids = new Set<number>();
  const projects: JsonObject[] = [];
  let saysMore = false;
  let count = 0;
  const left: JsonValue[] = [answer];
  while (left.length > 0) {
    const value = left.pop() as JsonValue;
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) left.push(item);
      continue;
    }
    if (namesItsEnvironments(value)) projects.push(value);
    for (const name in value) {
      const inner = value[name] as JsonValue;
      if (name === 'environments') for (const { id } of environmentsOf(value)) ids.add(id);
      const meaning = meaningOf(name);
      if (meaning === 'more') saysMore ||= !isNothing(inner);
      else if (typeof inner === 'number' && meaning === 'pages') saysMore ||= inner > 1;
      else if (typeof inner === 'number' && meaning === 'count') count = Math.max(count, inner);
      if (typeof inner === 'object') left.push(inner);
    }
  }
  return { ids, projects, saysMore: saysMore || count > ids.size };
}

function saysNo(answer: JsonValue): boolean {
  if (member(answer, 'success') === false || member(answer, 'ok') === false) return true;
  const said = ['error', 'errors', '_errors'].map((name) => member(answer, name) ?? null);
  return said.some((one) => (typeof one === 'object' ? Object.keys(one ?? {}).length > 0 : !isNothing(one)));
}

function isNothing(value: JsonValue): boolean {
  return value === null || value === false || value === '' || value === 0;
}

/** A list of a feature or draft whose items have ids: service-api 2.2 and 2.3. */
export interface RecordList {
  /** The top-level field. */
  field: string;
  /** The members of an item that tell it from others, and that say what it is called. */
  id: string;
  name: string;
  /** Those that are kept of it. */
  kept: readonly string[];
  /** What it is where a PATCH leaves an item out. */
  effect: Extract<Effect, { possible: true }>['kind'];
}

/** What features and drafts hold that a PATCH could lose. Of a flag's variation the id is its key. */
export const RECORD_LISTS: Readonly<Record<Exclude<RecordKind, 'project'>, readonly RecordList[]>> = {
  feature: [
    {
      field: 'variables',
      id: 'id',
      name: 'variableName',
      kept: ['id', 'variableName', 'dataType'],
      effect: 'variable-removed',
    },
    { field: 'variations', id: 'key', name: 'name', kept: ['key', 'name'], effect: 'variation-removed' },
    { field: 'goals', id: 'metricId', name: 'name', kept: ['metricId'], effect: 'goal-removed' },
  ],
  draft: [
    { field: 'variations', id: 'id', name: 'name', kept: ['id', 'name'], effect: 'variation-removed' },
    { field: 'goals', id: 'id', name: 'name', kept: ['id', 'name'], effect: 'goal-removed' },
  ],
};
