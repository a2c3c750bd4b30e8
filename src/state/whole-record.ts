import { byHeaderName, type RawHeaders } from '../http/http.ts';
import { isObject, type JsonObject, type JsonValue, listAt, member } from '../json/json.ts';
import type { RecordKind } from '../model/record.ts';

/** The record that an answer holds whole, or in half a sentence why it holds none. */
export type WholeRecord = { record: JsonObject } | { why: string };

/** Members that an answer may wrap a record in, one within the other. */
const MOST_WRAPPERS = 3;
/** What a record of each kind could lose. */
const LISTS = { project: ['environments', 'languages'], feature: ['variables'], draft: ['variations'] };

/** Looks for the whole record in an answer: bare, or under up to three members. @param id the record's, as in the path */
export function wholeRecordIn(
  kind: RecordKind,
  { status, headers }: { status: number; headers: RawHeaders },
  answer: JsonValue,
  id: string,
): WholeRecord {
  const part = status === 206 ? 'the answer is a part (206)' : partBy(headers);
  if (part) return { why: part };
  const [levels, all]: [JsonObject[][], JsonObject[]] = [[], []];
  let level: JsonObject[] = isObject(answer) ? [answer] : [];
  for (let depth = 0; depth <= MOST_WRAPPERS && level.length > 0; depth++) {
    const [whole, wrappers] = [[] as JsonObject[], [] as JsonObject[]];
    for (const value of level) (isWhole(kind, value) ? whole : wrappers).push(value);
    levels.push(whole);
    for (const value of whole) all.push(value);
    // What has its lists may be the record, with a former copy of itself in it.
    if (wrappers.some((value) => LISTS[kind].every((one) => Object.hasOwn(value, one)))) break;
    level = wrappers.flatMap((value) => Object.values(value).filter(isObject));
  }
  // Copies of former times lie deeper.
  const named = all.length > 1 ? levels.map((whole) => whole.filter((value) => idOf(value) === id)) : [];
  const [record, ...others] = named.find(({ length }) => length > 0) ?? all;
  if (others.length > 0) return { why: `the answer holds more than one ${kind}` };
  if (!record) return { why: `the answer holds no whole ${kind}` };
  const own = idOf(record) ?? id;
  if (own !== id) return { why: `the answer holds ${kind} ${own.slice(0, 40)}` };
  if (saysNo(answer)) return { why: 'the answer reports an error' };
  const isPart = kind === 'project' && saysMore(answer, record);
  return isPart ? { why: 'the answer says that there is more than it shows' } : { record };
}

/** Undefined if it has none. */
function idOf(record: JsonObject): string | undefined {
  const id = member(record, 'id');
  if (id === undefined || id === null) return undefined;
  return typeof id === 'object' ? '' : String(id);
}

/** Whether a value has the shape of the whole record. The description says it of projects (service-api 2.1, 4.1 rule 1); others have
 *  no mandatory fields, so the list that they could lose must be there. */
export function isWhole(kind: RecordKind, value: JsonValue | undefined): value is JsonObject {
  if (kind !== 'project') return LISTS[kind].every((one) => Array.isArray(member(value, one)));
  const [languages, environments] = [member(value, 'languages'), member(value, 'environments')];
  return (
    typeof member(value, 'name') === 'string' &&
    // Go writes an empty list so.
    (languages === null ||
      (Array.isArray(languages) && languages.every((item) => typeof item === 'string'))) &&
    Array.isArray(environments) &&
    environments.every(
      (item) => isObject(item) && Number.isSafeInteger(item.id) && typeof item.name === 'string',
    )
  );
}

const IS_OF_PART = /^x-(?:next-(?:page(?:-token)?|cursor)|has-more|truncated)$/;

/** Why headers say that a body is a part, or old; undefined: they do not. */
function partBy(headers: RawHeaders): string | undefined {
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = (headers[i] as string).toLowerCase();
    const value = headers[i + 1] as string;
    if (name === 'content-range') return 'the answer is a part (Content-Range)';
    if (name === 'link' && /\brel\s*\*?=\s*"?[^";,]*\bnext\b/i.test(value))
      return 'the answer has a next page (Link)';
    if (name === 'age' && Number.parseFloat(value) > 0)
      return `a cache answered (Age: ${value.slice(0, 20)})`;
    if (/cache(?:-status)?$/.test(name) && /(?:^|[\s;,])hit(?:$|[\s;,])/i.test(value))
      return `a cache answered (${name})`;
    const isOfPart = IS_OF_PART.test(name) && !isNothing(value);
    if (isOfPart || (/^x-(?:wp-)?total-?pages$/.test(name) && Number(value) > 1))
      return `the answer is a part (${name})`;
  }
  return undefined;
}

/** What services say of a list that goes on, by the letters of the name alone: `@odata.nextLink`, `has_more`. */
const MEANINGS: [names: RegExp, goesOn: (value: JsonValue, shown: number) => boolean][] = [
  [
    /^(?:environments)?(?:odata)?(?:has|is)?(?:next|more)(?:pages?|links?|ur[li]|href|token|offset|start|key|id|marker|number|results|records|items|environments|available)*$|cursor|truncat|partial|^incomplete|continu(?:e$|ation)|^lastevaluatedkey$/,
    (value) => !isNothing(value),
  ],
  [/^(?:is)?(?:done|complete|last)$|^islastpage$/, (value) => value === false],
  [
    /^(?:(?:total|num|numberof|all|result|environments?)?pages|(?:total|environments?)?pages?count|lastpage)$/,
    (value) => numberIn(value) > 1,
  ],
  [
    /^(?:(?:total|environments?|records|odata)*(?:total|count)|(?:total|environments?)(?:items|results|records|elements|entries|size|environments)?)$/,
    (value, shown) => numberIn(value) > shown,
  ],
];
/** Members of the record itself that mean something else: `partialRollout`, `cursorTracking`. */
const OWN =
  /^(?:count|done|complete|(?:is)?last|pages|autoContinue)$|partial(?!$|response|result|list|data)|^allowPartial|truncate(?!d)|^cursor[A-Z](?!d$|ext$|fter$)/i;
/** Other things may be counted and paged: what lies under these members is about the record's lists. */
const OF_LISTS = /pag|link|meta|(?:page|result|list)_?info|^info$|environment|cursor|embedded|attributes/i;

/** What a member's name says. All of it goes by letters of either case. */
const meaningOf = byHeaderName((name) => {
  const letters = name.replace(/[^a-z]/g, '');
  return {
    goesOn: MEANINGS.find(([names]) => names.test(letters))?.[1],
    isOwn: OWN.test(name),
    isOfLists: OF_LISTS.test(name),
    isOfQuota: /rate.?limit|quota/.test(name),
  };
});

/** Whether an answer says that it does not show all environments of the record in it. Without recursion: it may be nested deep. */
function saysMore(answer: JsonValue, record: JsonObject): boolean {
  const all = listAt(record, 'environments');
  let shown: Set<JsonValue | undefined> | undefined;
  const isFurther = (item: JsonValue) => {
    shown ??= new Set(all.map((one) => member(one, 'id')));
    return Number.isSafeInteger(member(item, 'id')) && !shown.has(member(item, 'id'));
  };
  const left: JsonValue[] = [answer];
  while (left.length > 0) {
    const value = left.pop() as JsonValue;
    if (Array.isArray(value)) for (const item of value) left.push(item);
    if (!isObject(value)) continue;
    const isRecord = value === record;
    if (value.rel === 'next') return true;
    for (const name in value) {
      const inner = value[name] as JsonValue;
      const { goesOn, isOwn, isOfLists, isOfQuota } = meaningOf(name);
      if (!(isRecord && isOwn) && goesOn?.(inner, all.length)) return true;
      const isList = name === 'environments' && Array.isArray(inner);
      if (isList && !isRecord && inner.some(isFurther)) return true;
      const isWithin = !isList && (isOfLists || (!isRecord && holds(inner, record, MOST_WRAPPERS)));
      if (isWithin && !isOfQuota) left.push(inner);
    }
  }
  return false;
}

function numberIn(value: JsonValue): number {
  return typeof value === 'object' ? 0 : Number(value);
}

function holds(value: JsonValue, record: JsonObject, depth: number): boolean {
  if (value === record) return true;
  return (
    depth > 0 && isObject(value) && Object.values(value).some((inner) => holds(inner, record, depth - 1))
  );
}

/** Whether an answer reports, whatever its status, that something went wrong. */
export function saysNo(answer: JsonValue): boolean {
  if (member(answer, 'success') === false || member(answer, 'ok') === false) return true;
  return ['error', 'errors', '_errors'].some((name) => !isNothing(member(answer, name) ?? null));
}

const NOTHING: ReadonlySet<JsonValue> = new Set([null, false, 0, '', 'false', '0']);

function isNothing(value: JsonValue): boolean {
  return NOTHING.has(value) || (typeof value === 'object' && Object.keys(value as object).length === 0);
}
