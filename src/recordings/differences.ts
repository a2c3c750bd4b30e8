import type { RecordedRequest, StoredBody } from '../model/exchange.ts';
import { isObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { escapeToken } from '../model/pointer.ts';
import { bodyBytes, jsonOf } from './body.ts';
import { contentTypeOf, redactBody, redactJson } from './redact.ts';
import { REDACTED } from './redact-text.ts';
import { queryPairs } from './request-key.ts';
import { DEFAULT_REDACTION, type Redaction } from './secret-names.ts';

/** One place where a request is not the recorded one. Values are redacted and cut, as JSON where they are JSON. */
export interface Difference {
  /** `query/limit`, `body`, or the JSON Pointer of a place in the body. */
  place: string;
  /** Absent: the recorded request has nothing there. */
  recorded?: string;
  /** Absent: the request that was sent has nothing there. */
  sent?: string;
}

const LONGEST_SHOWN = 80;

/** What differs between two requests of one method and path, at most `limit` places; none: they match. */
export function differencesOf(
  recorded: RecordedRequest,
  sent: RecordedRequest,
  limit: number,
  redaction: Redaction = DEFAULT_REDACTION,
): Difference[] {
  return new Comparison(limit, redaction).run(recorded, sent);
}

class Comparison {
  readonly #found: Difference[] = [];
  readonly #limit: number;
  readonly #redaction: Redaction;

  constructor(limit: number, redaction: Redaction) {
    this.#limit = limit;
    this.#redaction = redaction;
  }

  run(recorded: RecordedRequest, sent: RecordedRequest): Difference[] {
    if (recorded.query !== sent.query) this.#compareQueries(recorded.query, sent.query);
    this.#compareBodies(recorded, sent);
    return this.#found;
  }

  get #full(): boolean {
    return this.#found.length >= this.#limit;
  }

  #add(place: string, recorded: string | undefined, sent: string | undefined): void {
    if (this.#full) return;
    this.#found.push({
      place,
      ...(recorded !== undefined && { recorded: cut(recorded) }),
      ...(sent !== undefined && { sent: cut(sent) }),
    });
  }

  #compareQueries(recorded: string, sent: string): void {
    const before = valuesByName(recorded);
    const now = valuesByName(sent);
    for (const name of new Set([...before.keys(), ...now.keys()])) {
      const a = before.get(name) ?? [];
      const b = now.get(name) ?? [];
      if (a.length === b.length && a.every((value, i) => value === REDACTED || value === b[i])) continue;
      const show = (values: string[]) => {
        if (values.length === 0) return undefined;
        return this.#redaction.members.has(name) ? REDACTED : values.map((v) => JSON.stringify(v)).join(', ');
      };
      this.#add(`query/${escapeToken(name)}`, show(a), show(b));
    }
  }

  #compareBodies(recorded: RecordedRequest, sent: RecordedRequest): void {
    const a = recorded.body;
    const b = sent.body;
    if (a === b) return;
    const before = a && jsonOf(a);
    const now = b && jsonOf(b);
    if (before !== undefined && now !== undefined) {
      this.#compareValues('', before, now);
      return;
    }
    const recordedClean = a && redactBody(a, contentTypeOf(recorded.headers), this.#redaction);
    const sentClean = b && redactBody(b, contentTypeOf(sent.headers), this.#redaction);
    if (a && b && (sameBytes(a, b) || sameBytes(a, sentClean))) return;
    this.#add('body', recordedClean && textOf(recordedClean), sentClean && textOf(sentClean));
  }

  #compareValues(pointer: string, recorded: JsonValue, sent: JsonValue): void {
    if (recorded === REDACTED || recorded === sent || this.#full) return;
    if (Array.isArray(recorded) && Array.isArray(sent)) {
      for (let i = 0; i < Math.max(recorded.length, sent.length) && !this.#full; i++) {
        this.#compareMembers(`${pointer}/${i}`, recorded[i], sent[i]);
      }
    } else if (isObject(recorded) && isObject(sent)) {
      this.#compareObjects(pointer, recorded, sent);
    } else {
      this.#add(pointer === '' ? 'body' : pointer, this.#show(recorded), this.#show(sent));
    }
  }

  #compareObjects(pointer: string, recorded: JsonObject, sent: JsonObject): void {
    for (const name of new Set([...Object.keys(recorded), ...Object.keys(sent)])) {
      if (this.#full) return;
      const a = Object.hasOwn(recorded, name) ? recorded[name] : undefined;
      const b = Object.hasOwn(sent, name) ? sent[name] : undefined;
      const place = `${pointer}/${escapeToken(name)}`;
      if (!this.#redaction.members.has(name)) this.#compareMembers(place, a, b);
      else if (a === undefined || b === undefined || differ(a, b)) {
        this.#add(place, a === undefined ? a : REDACTED, b === undefined ? b : REDACTED);
      }
    }
  }

  /** Absent is not null: what only one side has is a difference. */
  #compareMembers(pointer: string, recorded: JsonValue | undefined, sent: JsonValue | undefined): void {
    if (recorded !== undefined && sent !== undefined) this.#compareValues(pointer, recorded, sent);
    else this.#add(pointer, this.#show(recorded), this.#show(sent));
  }

  #show(value: JsonValue | undefined): string | undefined {
    return value === undefined ? undefined : JSON.stringify(redactJson(value, this.#redaction));
  }
}

/** Below a secret member nothing is shown, so that only whether it differs counts. */
function differ(recorded: JsonValue, sent: JsonValue): boolean {
  if (recorded === REDACTED || recorded === sent) return false;
  const asRequest = (json: JsonValue) => ({ method: '', path: '', query: '', headers: {}, body: { json } });
  return differencesOf(asRequest(recorded), asRequest(sent), 1).length > 0;
}

function valuesByName(query: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of queryPairs(query)) {
    const list = values.get(name);
    if (list) list.push(value);
    else values.set(name, [value]);
  }
  return values;
}

function sameBytes(a: StoredBody, b: StoredBody | undefined): boolean {
  return bodyBytes(a).equals(bodyBytes(b));
}

function textOf(body: StoredBody): string {
  if ('text' in body) return body.text;
  return 'base64' in body ? body.base64 : JSON.stringify(body.json);
}

function cut(text: string): string {
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`;
}
