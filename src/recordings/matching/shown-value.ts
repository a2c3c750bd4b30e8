import { childOf, type JsonObject, type JsonValue } from '../../json/json.ts';
import type { KeptBody, StoredBody, StoredHeaders } from '../../model/exchange.ts';
import { contentTypeOf, redactBody, redactText } from '../redaction/redact.ts';
import { REDACTED } from '../redaction/redacted.ts';
import type { Redaction } from '../redaction/redaction.ts';

/** One place where a request is not the recorded one. Values are redacted and cut, as JSON where they are JSON. */
export interface Difference {
  /** `query/limit`, `headers/accept-language`, `body`, or the JSON Pointer of a place in the body; `method` or `path`
   *  where the config's own function makes them differ. */
  place: string;
  /** Absent: the recorded request has nothing there. */
  recorded?: string;
  /** Absent: the request that was sent has nothing there. */
  sent?: string;
}

const LONGEST = 80;

/** Of a body that is no JSON: what is looked at to show its beginning. Placeholders may make it shorter. */
const LOOKED_AT = 4096;

export function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}

/** What a value begins with, as JSON, redacted. No more of it is written than is shown. */
export function shownJson(value: JsonValue, redaction: Redaction): string {
  let text = '';
  const write = (part: JsonValue): void => {
    if (text.length > LONGEST) return;
    if (typeof part === 'string') text += shownText(part, redaction);
    else if (typeof part !== 'object' || part === null) text += JSON.stringify(part);
    else {
      const isList = Array.isArray(part);
      const members = isList ? part.slice(0, LONGEST) : part;
      text += isList ? '[' : '{';
      let comma = '';
      for (const name in members) {
        if (text.length > LONGEST) break;
        text += comma + (isList ? '' : `${shownText(name, redaction)}:`);
        comma = ',';
        const isSecret = !isList && redaction.members.has(name);
        write(isSecret ? REDACTED : ((members as JsonObject)[name] as JsonValue));
      }
      text += isList ? ']' : '}';
    }
  };
  write(value);
  return cut(text);
}

/** Redacted before it is cut: a part of a secret no longer looks like one. */
function shownText(text: string, redaction: Redaction): string {
  return JSON.stringify(redactText(text.slice(0, LOOKED_AT), redaction).slice(0, LONGEST + 1));
}

/** What a body begins with, redacted. */
export function shownBody(body: StoredBody, headers: StoredHeaders, redaction: Redaction): string {
  if ('omitted' in body) return `${body.omitted} bytes that were not kept`;
  if ('json' in body) return shownJson(body.json, redaction);
  const start: KeptBody =
    'text' in body ? { text: body.text.slice(0, LOOKED_AT) } : { base64: body.base64.slice(0, LOOKED_AT) };
  const clean = redactBody(start, contentTypeOf(headers), redaction);
  return cut('text' in clean ? clean.text : (clean as { base64: string }).base64);
}

/** A place of a redacted body: what is no longer there, or below a placeholder, was secret. */
export function valueAt(json: JsonValue | undefined, tokens: readonly (string | number)[]): JsonValue {
  const value = tokens.reduce<unknown>(childOf, json);
  return value === undefined ? REDACTED : (value as JsonValue);
}
