import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { pairItems } from './pair-items.ts';

/**
 * Whether a body that was sent carries what an answer said of a record, and does not say any more: whoever reads the new answer
 * and writes back what it has would send another body. What the body has under none of an answer's names is looked for within
 * these: answers may be wrapped, and lists. Pure.
 *
 * @param before the answer as it was when the body was sent, and `now`: as it is
 * @param id of the record, where the answer may be a list of several
 */
export function restsOn(before: JsonValue, now: JsonValue, sent: JsonValue, id?: string): boolean {
  if (isDeepStrictEqual(before, now)) return false;
  if (isObject(before) && isObject(now) && isObject(sent)) return isOfMembers(before, now, sent, id);
  if (Array.isArray(before) && Array.isArray(now)) {
    if (Array.isArray(sent)) return isOfItems(before, now, sent);
    if (isObject(sent)) return isOfOneItem(before, now, sent, id);
  }
  return carries(sent, before);
}

/** A text may have been added to. */
function carries(sent: JsonValue, before: JsonValue): boolean {
  if (typeof sent === 'string' && typeof before === 'string' && before !== '') return sent.includes(before);
  return isDeepStrictEqual(sent, before);
}

function isOfMembers(before: JsonObject, now: JsonObject, sent: JsonObject, id: string | undefined): boolean {
  const names = Object.keys(before);
  const isWhole = names.length > 0 && names.every((name) => Object.hasOwn(sent, name));
  // A body that has all would have what is new, too.
  if (isWhole && Object.keys(now).some((name) => !Object.hasOwn(before, name))) return true;
  return names.some((name) => {
    const was = before[name] as JsonValue;
    const isSent = Object.hasOwn(sent, name);
    if (!Object.hasOwn(now, name)) return isSent && carries(sent[name] as JsonValue, was);
    return restsOn(was, now[name] as JsonValue, isSent ? (sent[name] as JsonValue) : sent, id);
  });
}

/** A list that shares nothing with the one that was read was not made of it. */
function isOfItems(before: readonly JsonValue[], now: readonly JsonValue[], sent: readonly JsonValue[]) {
  const changes = pairItems(before, now, undefined);
  const sentAt = new Map(pairItems(before, sent, undefined).pairs);
  const itemOf = (was: number) => sent[sentAt.get(was) ?? -1];
  const isShared = [...sentAt.keys()].some((was) => {
    const item = itemOf(was) as JsonValue;
    return isObject(item) ? isObject(before[was]) : isDeepStrictEqual(item, before[was]);
  });
  if (isShared && changes.gone.length + changes.come.length > 0) return true;
  return changes.pairs.some(([was, is]) => {
    const item = itemOf(was);
    return item !== undefined && restsOn(before[was] as JsonValue, now[is] as JsonValue, item);
  });
}

function isOfOneItem(
  before: readonly JsonValue[],
  now: readonly JsonValue[],
  sent: JsonObject,
  id: string | undefined,
): boolean {
  const isOther = (item: JsonValue) =>
    id !== undefined && isObject(item) && Object.hasOwn(item, 'id') && String(item.id) !== id;
  return pairItems(before, now, undefined).pairs.some(([was, is]) => {
    const item = before[was] as JsonValue;
    return !isOther(item) && restsOn(item, now[is] as JsonValue, sent);
  });
}
