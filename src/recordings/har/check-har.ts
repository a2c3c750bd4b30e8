import { isObject, type JsonValue, member } from '../../json/json.ts';
import { isSessionName } from '../../model/session-name.ts';

/** The first field that is not as HAR 1.2 says. */
export interface WrongField {
  pointer: string;
  /** Follows the pointer: `must be a text`. */
  what: string;
}

/** Whether it is an archive at all. Its entries are looked at one by one. */
export function checkHar(har: unknown): WrongField | undefined {
  const log = member(har, 'log');
  if (!isObject(log)) return wrong('', 'has no object "log": this is no HTTP archive');
  const { entries } = log;
  if (!Array.isArray(entries)) return wrong('/log/entries', 'must be a list');
  return undefined;
}

/**
 * Checks the fields of an entry that import looks at. What tools leave out, though the standard wants it, may be left
 * out, and times may be whatever they are; what else is there must be of its type.
 */
export function checkEntry(entry: JsonValue): WrongField | undefined {
  const response = member(entry, 'response');
  if (isObject(response) && isAbsent(response.status)) return wrong('/response/status', 'must be an integer');
  return checkMessages(entry);
}

/** Checks what was asked in an entry, and what was answered as far as it is there: whatever else an entry may lack. */
export function checkMessages(entry: JsonValue): WrongField | undefined {
  if (!isObject(entry)) return wrong('', 'must be an object');
  const { request, response } = entry;
  if (!isObject(request)) return wrong('/request', 'must be an object');
  if (typeof request.method !== 'string') return wrong('/request/method', 'must be a text');
  if (typeof request.url !== 'string') return wrong('/request/url', 'must be a text');
  const { postData } = request;
  return (
    checkHeaders(request.headers, '/request/headers') ??
    checkBody(postData, '/request/postData') ??
    checkHeaders(member(postData, 'params'), '/request/postData/params') ??
    checkResponse(response) ??
    checkOwn(entry._patchgate)
  );
}

function checkResponse(response: JsonValue | undefined): WrongField | undefined {
  if (isAbsent(response)) return undefined;
  if (!isObject(response)) return wrong('/response', 'must be an object');
  if (!isAbsent(response.status) && !Number.isInteger(response.status))
    return wrong('/response/status', 'must be an integer');
  return (
    checkHeaders(response.headers, '/response/headers') ?? checkBody(response.content, '/response/content')
  );
}

/** Of params, too: those of files have no value. */
function checkHeaders(list: JsonValue | undefined, pointer: string): WrongField | undefined {
  if (isAbsent(list)) return undefined;
  if (!Array.isArray(list)) return wrong(pointer, 'must be a list');
  const index = list.findIndex(
    (one) =>
      typeof member(one, 'name') !== 'string' ||
      !(isAbsent(member(one, 'value')) || typeof member(one, 'value') === 'string'),
  );
  return index < 0 ? undefined : wrong(`${pointer}/${index}`, 'must have a name and a value, both texts');
}

function checkBody(body: JsonValue | undefined, pointer: string): WrongField | undefined {
  if (isAbsent(body)) return undefined;
  if (!isObject(body)) return wrong(pointer, 'must be an object');
  for (const name of ['text', 'encoding', '_encoding', 'mimeType', '_file']) {
    const value = body[name];
    if (!isAbsent(value) && typeof value !== 'string') return wrong(`${pointer}/${name}`, 'must be a text');
  }
  return undefined;
}

function checkOwn(own: JsonValue | undefined): WrongField | undefined {
  if (isAbsent(own)) return undefined;
  const sizes = ['request', 'response'].map((side) => member(member(own, 'omitted'), side));
  const isGood =
    isObject(own) &&
    [own.path, own.query].every((text) => text === undefined || typeof text === 'string') &&
    (own.session === undefined || isSessionName(own.session)) &&
    (own.omitted === undefined || isObject(own.omitted)) &&
    sizes.every((size) => size === undefined || (Number.isInteger(size) && (size as number) >= 0));
  return isGood ? undefined : wrong('/_patchgate', 'is not as patchgate writes it');
}

/** Tools write null for what they do not know. */
function isAbsent(value: JsonValue | undefined): value is null | undefined {
  return value === undefined || value === null;
}

function wrong(pointer: string, what: string): WrongField {
  return { pointer, what };
}
