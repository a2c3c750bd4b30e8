import type { RecordedRequest, StoredBody } from '../../model/exchange.ts';
import { isObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { bodyBytes, jsonOf } from '../body.ts';
import { hashInName, hashOf } from '../body-file.ts';
import { REDACTED } from '../redaction/redact-text.ts';
import { queryValues } from './request-key.ts';
import type { ComparedRequest } from './sent-request.ts';

/**
 * Whether a request is the recorded one of the same method and path, whose placeholders stand for any value. Ends at the
 * first difference: of what was sent no more is looked at than was recorded.
 */
export function matches(recorded: RecordedRequest, sent: ComparedRequest): boolean {
  return sameQuery(recorded.query, sent) && sameBody(recorded.body, sent);
}

function sameQuery(recorded: string, sent: ComparedRequest): boolean {
  if (recorded === sent.request.query) return true;
  const before = queryValues(recorded);
  const now = sent.queryValues;
  if (before.size !== now.size) return false;
  for (const [name, values] of before) if (!sameValues(values, now.get(name) ?? [])) return false;
  return true;
}

/** Of one name of a query. */
export function sameValues(recorded: readonly string[], sent: readonly string[]): boolean {
  return (
    recorded.length === sent.length && recorded.every((value, i) => value === REDACTED || value === sent[i])
  );
}

function sameBody(recorded: StoredBody | undefined, sent: ComparedRequest): boolean {
  const { body } = sent.request;
  if (recorded === undefined || body === undefined) return recorded === body;
  const now = sent.json;
  const before = now === undefined ? undefined : jsonOf(recorded);
  if (before !== undefined && now !== undefined) return sameJson(before, now, sent);
  return sameStored(recorded, sent);
}

/** Of bodies that are not both JSON. */
export function sameStored(recorded: StoredBody, sent: ComparedRequest): boolean {
  if ('omitted' in recorded) return false;
  if ('file' in recorded) return hashInName(recorded.file) === hashOf(sent.bytes);
  const bytes = bodyBytes(recorded);
  // Only a placeholder can be what redaction makes of a body.
  return bytes.equals(sent.bytes) || (bytes.includes(REDACTED) && bytes.equals(bodyBytes(sent.clean)));
}

export function sameJson(recorded: JsonValue, now: JsonValue, sent: ComparedRequest): boolean {
  if (recorded === REDACTED || recorded === now) return true;
  if (Array.isArray(recorded)) {
    if (!Array.isArray(now) || recorded.length !== now.length) return false;
    return recorded.every((item, i) => sameJson(item, now[i] as JsonValue, sent));
  }
  return isObject(recorded) && isObject(now) && sameObject(recorded, now, sent);
}

function sameObject(recorded: JsonObject, now: JsonObject, sent: ComparedRequest): boolean {
  const names = Object.keys(recorded);
  return (
    names.length === sent.namesOf(now).length &&
    names.every(
      (name) =>
        Object.hasOwn(now, name) && sameJson(recorded[name] as JsonValue, now[name] as JsonValue, sent),
    )
  );
}
