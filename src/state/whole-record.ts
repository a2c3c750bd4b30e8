import { byHeaderName, type RawHeaders } from '../http/http.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../json/json.ts';
import type { RecordKind } from '../model/record.ts';
import { environmentsOf } from './project.ts';

/** The record that an answer holds whole, or in half a sentence why it holds none. */
export type WholeRecord = { record: JsonObject } | { why: string };

/** Members that an answer may wrap a record in, one within the other. */
const MOST_WRAPPERS = 3;

/**
 * Looks for the whole record in an answer: bare, or under up to three members.
 *
 * @param id the record's id, as in the path
 */
export function wholeRecordIn(
  kind: RecordKind,
  { status, headers }: { status: number; headers: RawHeaders },
  answer: JsonValue,
  id: string,
): WholeRecord {
  const part = status === 206 ? 'the answer is a part (206)' : partBy(headers);
  if (part) return { why: part };
  const levels: JsonObject[][] = [];
  let level: JsonObject[] = isObject(answer) ? [answer] : [];
  for (let depth = 0; depth <= MOST_WRAPPERS; depth++) {
    const [whole, wrappers] = [[] as JsonObject[], [] as JsonObject[]];
    for (const value of level) (isWhole(kind, value) ? whole : wrappers).push(value);
    levels.push(whole);
    level = wrappers.flatMap((value) => Object.values(value).filter(isObject));
  }
  // Copies of former times lie deeper.
  const named = levels.map((whole) => whole.filter((value) => String(member(value, 'id')) === id));
  const [record, ...others] = [...named, ...levels].find(({ length }) => length > 0) ?? [];
  if (others.length > 0) return { why: `the answer holds more than one ${kind}` };
  if (!record) return { why: `the answer holds no whole ${kind}` };
  const own = String(member(record, 'id') ?? id);
  if (own !== id) return { why: `the answer holds ${kind} ${own.slice(0, 40)}` };
  if (saysNo(answer)) return { why: 'the answer reports an error' };
  const isPart = kind === 'project' && saysMore(answer, record);
  return isPart ? { why: 'the answer says that there is more than it shows' } : { record };
}

/**
 * Whether a value has the shape of the whole record. Of a project the description says it (service-api 2.1, 4.1 rule 1); features
 * and drafts have no mandatory fields, so the list that they could lose must be there.
 */
export function isWhole(kind: RecordKind, value: JsonValue | undefined): value is JsonObject {
  if (kind !== 'project')
    return isObject(value) && Array.isArray(member(value, kind === 'feature' ? 'variables' : 'variations'));
  const [languages, environments] = [member(value, 'languages'), member(value, 'environments')];
  return (
    typeof member(value, 'name') === 'string' &&
    Array.isArray(languages) &&
    languages.every((item) => typeof item === 'string') &&
    Array.isArray(environments) &&
    environments.every(
      (item) => Number.isSafeInteger(member(item, 'id')) && typeof member(item, 'name') === 'string',
    )
  );
}

/** Why headers say that a body is a part, or old; undefined: they do not. */
function partBy(headers: RawHeaders): string | undefined {
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = (headers[i] as string).toLowerCase();
    const value = headers[i + 1] as string;
    if (name === 'content-range') return 'the answer is a part (Content-Range)';
    if (name === 'link' && /\brel\s*=\s*"?[^";,]*\bnext\b/i.test(value))
      return 'the answer has a next page (Link)';
    if (name === 'age' && Number(value) > 0) return `a cache answered (Age: ${value.slice(0, 20)})`;
  }
  return undefined;
}

/** Names by which services say that a list goes on, by their letters alone: `@odata.nextLink`, `has_more`. */
const MORE =
  /^(?:environments)?(?:odata)?(?:has|is)?(?:next|more)(?:pages?|links?|ur[li]|href|token|offset|start|key|id|marker|number|results|items|environments|available)*$|cursor|truncat|partial|continu(?:e$|ation)/;
const COUNT =
  /^(?:total|count|(?:total|environments?)(?:count|items|results|records|elements|environments|total)?)$/;
const PAGES = /pages$|pagecount$/;
/** Within the record, other things may be counted and paged: only what lies under these members is about its lists. */
const OF_LISTS = /pag|link|meta|environment|cursor/i;
const lettersOf = byHeaderName((name) => name.replace(/[^a-z]/g, ''));

/** Whether an answer says that it does not show all environments of the record in it. Without recursion: it may be nested deep. */
function saysMore(answer: JsonValue, record: JsonObject): boolean {
  const shown = environmentsOf(record).length;
  const left: JsonValue[] = [answer];
  while (left.length > 0) {
    const value = left.pop() as JsonValue;
    if (Array.isArray(value)) for (const item of value) left.push(item);
    if (!isObject(value)) continue;
    for (const name in value) {
      const inner = value[name] as JsonValue;
      const letters = lettersOf(name);
      if (MORE.test(letters) && !isNothing(inner)) return true;
      const isCount = COUNT.test(letters) && (value !== record || letters !== 'count');
      const most = PAGES.test(letters) ? 1 : isCount ? shown : Number.POSITIVE_INFINITY;
      if (typeof inner === 'number' && inner > most) return true;
      const isOfList = value !== record || (OF_LISTS.test(name) && name !== 'environments');
      if (typeof inner === 'object' && isOfList && !/ratelimit|quota/.test(letters)) left.push(inner);
    }
  }
  return false;
}

/** Whether an answer reports, whatever its status, that something went wrong. */
export function saysNo(answer: JsonValue): boolean {
  if (member(answer, 'success') === false || member(answer, 'ok') === false) return true;
  return ['error', 'errors', '_errors'].some((name) => !isNothing(member(answer, name) ?? null));
}

function isNothing(value: JsonValue): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === null || value === false || value === '' || value === 0;
}
