/** What a gate keeps of a record, and what a request makes of that. Pure. */
import { mayMeanAnother, type RawHeaders, type RequestHead, splitTarget } from '../http/http.ts';
import { type JsonObject, type JsonValue, listAt, member } from '../json/json.ts';
import type { Known, RecordName } from '../model/record.ts';
import { jsonOf } from '../recordings/body.ts';
import { redactJson } from '../recordings/redact/redact.ts';
import { holdsPlaceholder } from '../recordings/redact/redacted.ts';
import type { Redaction } from '../recordings/redact/redaction.ts';
import { plainRecord, unionOf } from '../state/lists.ts';
import { type Environment, environmentsOf, haveSameEnvironments } from '../state/project.ts';
import { isWhole, saysNo, wholeRecordIn } from '../state/whole-record.ts';

/** An environment that a PATCH creates or renames: it counts as known although a read lacks it, since a replica may lag. */
export interface Creation extends Omit<Environment, 'index'> {
  /** Milliseconds since 1970: a minute after its PATCH ended; absent: the PATCH is on its way, or its gate has died. */
  until?: number | undefined;
}

export interface Kept {
  account: string;
  /** The last whole record that was read or accepted. */
  record?: JsonObject | undefined;
  /** The record may hold more by now: somebody has changed it in a way that is not known. */
  isPart?: boolean | undefined;
  /** Milliseconds since 1970. */
  seenAt?: number | undefined;
  creating?: readonly Creation[] | undefined;
}

/** What came of a request. `unsent`: it never left. Undefined: nobody knows. */
export type Answered =
  | { status: number; headers: RawHeaders; bytes: Buffer | undefined }
  | 'unsent'
  | undefined;

type Telling = ReturnType<typeof tellingOf>;

/**
 * A request that says something of a record, or changes it.
 *
 * @param json of a PATCH that was judged
 */
export function tellingOf(name: RecordName, { method, url, headers }: RequestHead, json?: JsonValue) {
  // Else it may be something else to the service.
  const isPlain = splitTarget(url).query === '' && !mayMeanAnother(headers);
  return { name, method: json === undefined ? method : 'PATCH', isPlain, json };
}

/** `current` may be any workspace. */
export function isSameAccount({ account }: RecordName, kept: Kept | undefined): boolean {
  return !kept || [account, 'current'].includes(kept.account) || account === 'current';
}

/** One that is renamed counts as another. */
function keyOf({ id, name }: Pick<Environment, 'id' | 'name'>): string {
  return `${id} ${name}`;
}

/** As much of a record as may be written down. Environments keep their ids: the next run judges by them. */
export function hideRecord(record: JsonObject, redaction: Redaction): JsonObject {
  const hidden = redactJson(record, redaction) as JsonObject;
  if (hidden === record || !Array.isArray(member(record, 'environments'))) return hidden;
  const shown = listAt(hidden, 'environments');
  const environments = environmentsOf(record).map(({ id, isEnabled, index }) => {
    return { id, name: String(member(shown[index], 'name') ?? '[redacted]'), isEnabled };
  });
  return { ...hidden, environments };
}

/** The same of all that is kept of a record. */
export function hideKept(kept: Kept, redaction: Redaction): Kept {
  const { record, creating } = kept;
  const created = (creating ?? []).map(({ id, name }) => ({ id, name }));
  const names = environmentsOf(hideRecord({ environments: created }, redaction));
  const hidden = creating?.map((one, i) => ({ ...one, name: names[i]?.name ?? '' }));
  return { ...kept, record: record && hideRecord(record, redaction), creating: hidden };
}

/** How long an environment that was created counts as known although a read lacks it. */
const MINUTE = 60_000;

/** Ends the wait of what a dead gate has left: who holds the lock knows that no PATCH is on its way. */
export function withDeadlines(kept: Kept | undefined, now: number): Kept | undefined {
  if (!kept?.creating?.length) return kept;
  const creating = kept.creating.map((one) => ({ ...one, until: one.until ?? now + MINUTE }));
  return { ...kept, creating: creating.filter(({ until }) => until > now) };
}

/** What a PATCH is judged by: the record as read or remembered, and what was created a moment ago. */
export function knownOf(kept: Kept | undefined, read?: JsonObject): Known | undefined {
  const { record, isPart, seenAt = 0, creating = [] } = kept ?? {};
  const remembered = record && { record, isWhole: !isPart, seenAt };
  const base: Known | undefined = read ? { record: read, isWhole: true } : remembered;
  if (creating.length === 0) return base;
  const shown = environmentsOf(base?.record);
  const keys = new Set(shown.map(keyOf));
  // A name that was hidden when it was noted is that which is shown.
  const isShown = (one: Creation) =>
    keys.has(keyOf(one)) || (holdsPlaceholder(one.name) && shown.some(({ id }) => id === one.id));
  const lagging = creating.filter((one) => !isShown(one));
  if (lagging.length === 0) return base;
  const newest = new Map(creating.map((one) => [one.id, one]));
  const isNewest = (one: Creation) => newest.get(one.id) === one;
  const all = [...lagging.filter((one) => !isNewest(one)), ...shown, ...lagging.filter(isNewest)];
  const environments = all.map(({ id, name, isEnabled }) => ({ id, name, isEnabled }));
  return { isWhole: false, ...base, record: { ...base?.record, environments } };
}

/** The record as it was just seen. */
export function seen(kept: Kept | undefined, { account }: RecordName, record: JsonObject, now: number) {
  return { account, record, isPart: false, seenAt: now, creating: kept?.creating ?? [] } satisfies Kept;
}

/** Notes the environments of a PATCH that the read or the memory lacks: either may be out of date. All, if nothing is known. */
export function withNotes(
  { account, kind }: RecordName,
  remembered: Kept | undefined,
  read: ReturnType<typeof seen> | undefined,
  json: JsonValue | undefined,
): Kept & { creating: readonly Creation[] } {
  const noted = remembered?.creating ?? [];
  const kept = read ?? { ...remembered, account, creating: noted };
  if (kind !== 'project') return kept;
  const records = [read?.record, remembered?.record].filter((one) => one !== undefined);
  if (records.length > 0 && records.every((one) => haveSameEnvironments(one, json))) return kept;
  const lists = records.map(environmentsOf);
  const keys = lists.map((list) => new Set(list.map(keyOf)));
  const isNew = (one: Environment) => keys.length === 0 || keys.some((those) => !those.has(keyOf(one)));
  const fresh = environmentsOf(json)
    .filter(isNew)
    .map(({ index: _, ...one }) => one);
  const own = new Set(fresh.map(keyOf));
  // One that is renamed goes by both names: the former may be protected.
  const names = new Map(lists[0]?.map(({ id, name }) => [id, name]));
  const former = fresh.map(({ id, name }) => ({ id, name: names.get(id) ?? name, isEnabled: false }));
  const others = [...noted, ...former].filter((one) => !own.has(keyOf(one)));
  return { ...kept, creating: [...others, ...fresh] };
}

/** What a request leaves behind. */
export function learned(
  kept: Kept | undefined,
  { name, method, isPlain, json }: Telling,
  answered: Answered,
  now = Date.now(),
): Kept | undefined {
  const { outcome, shown } = answerOf(name, answered);
  const isTaken = outcome === 'accepted' && isPlain;
  if (method === 'GET') return isTaken && shown ? seen(kept, name, shown, now) : kept;
  if (outcome === 'refused') return kept;
  const isSent = name.kind === 'project' && isWhole('project', json);
  const sent = isSent ? plainRecord('project', json, kept?.record) : undefined;
  if (method === 'DELETE' && isTaken) return isSameAccount(name, kept) ? { account: name.account } : kept;
  // The answer may be of a replica that is behind.
  const both = shown && sent ? unionOf(shown, sent) : (shown ?? sent);
  const taken = isTaken && method === 'PATCH' ? both : undefined;
  if (taken) return seen(kept, name, taken, now);
  if (!kept?.record) return kept;
  return sent ? { ...kept, record: unionOf(kept.record, sent) } : { ...kept, isPart: true };
}

/**
 * The same of a PATCH that held the record's lock.
 *
 * @param kept with the notes of this PATCH @param noted those before it
 */
export function afterPatch(
  kept: Kept,
  noted: readonly Creation[],
  telling: Telling,
  answered: Answered,
  now: number,
): Kept {
  const after = learned(kept, telling, answered, now) as Kept;
  if (!kept.creating?.length) return after;
  const { outcome, isApplied, shown } = answerOf(telling.name, answered);
  if (outcome === 'refused') return { ...after, creating: noted };
  const left = new Set(environmentsOf(telling.json).map(({ id }) => id));
  const taken = environmentsOf(shown);
  // Some services give a new environment an id of their own.
  const idOf = (one: Creation) => {
    const isNew = one.until === undefined && !taken.some(({ id }) => id === one.id);
    return (isNew ? taken.find(({ name }) => name === one.name)?.id : undefined) ?? one.id;
  };
  const creating = kept.creating
    .filter(({ id }) => !isApplied || left.has(id))
    .map((one) => ({ until: now + MINUTE, ...one, id: idOf(one) }));
  return { ...after, creating };
}

/**
 * What an answer says of a change. `refused`: nothing was changed; `unclear`: it may have been. `isApplied`: the service has taken it,
 * perhaps to make it later. `shown`: the whole record that it holds.
 */
function answerOf({ kind, id }: RecordName, answered: Answered) {
  if (answered === 'unsent') return { outcome: 'refused', isApplied: false };
  const { status = 0, headers = [], bytes } = answered ?? {};
  if (status < 200 || status > 299) {
    const isRefused = status >= 400 && status < 500 && ![408, 425, 429].includes(status);
    return { outcome: isRefused ? 'refused' : 'unclear', isApplied: false };
  }
  const json = bytes?.length ? jsonOf({ text: bytes.toString() }) : undefined;
  if (json !== undefined && saysNo(json)) return { outcome: 'unclear', isApplied: false };
  const outcome = status === 202 || status === 207 ? 'unclear' : 'accepted';
  if (json === undefined) return { outcome, isApplied: true };
  const whole = wholeRecordIn(kind, { status, headers }, json, id);
  return { outcome, isApplied: true, shown: 'record' in whole ? plainRecord(kind, whole.record) : undefined };
}
