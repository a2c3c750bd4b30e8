import type { RecordedRequest } from '../../model/exchange.ts';
import { isObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { escapeToken } from '../../model/pointer.ts';
import { jsonOf } from '../body.ts';
import { REDACTED } from '../redaction/redact-text.ts';
import type { Redaction } from '../redaction/secret-names.ts';
import { sameJson, sameStored, sameValues } from './matches.ts';
import { queryValues } from './request-key.ts';
import type { ComparedRequest } from './sent-request.ts';
import { cut, shownBody, shownJson } from './shown-value.ts';

/** One place where a request is not the recorded one. Values are redacted and cut, as JSON where they are JSON. */
export interface Difference {
  /** `query/limit`, `body`, or the JSON Pointer of a place in the body. */
  place: string;
  /** Absent: the recorded request has nothing there. */
  recorded?: string;
  /** Absent: the request that was sent has nothing there. */
  sent?: string;
}

/** A difference before anybody asks what its values are. */
type Found = () => Difference;

/** How much may still be looked at, in values of bodies. Comparing several requests takes it from one of these. */
export interface Work {
  left: number;
}

/** Characters of a text that cost as much as a value. */
const CHARACTERS_PER_VALUE = 32;

/** What differs between two requests of one method and path, at most `limit` places; none: they match. */
export function differencesOf(
  recorded: RecordedRequest,
  sent: ComparedRequest,
  limit: number,
  redaction: Redaction,
  work: Work,
): Found[] {
  return new Comparison(sent, limit, redaction, work).run(recorded);
}

class Comparison {
  readonly #found: Found[] = [];
  readonly #sent: ComparedRequest;
  readonly #limit: number;
  readonly #redaction: Redaction;
  readonly #work: Work;

  constructor(sent: ComparedRequest, limit: number, redaction: Redaction, work: Work) {
    this.#sent = sent;
    this.#limit = limit;
    this.#redaction = redaction;
    this.#work = work;
  }

  run(recorded: RecordedRequest): Found[] {
    if (recorded.query !== this.#sent.request.query) this.#compareQueries(recorded.query);
    this.#compareBodies(recorded);
    return this.#found;
  }

  get #full(): boolean {
    return this.#found.length >= this.#limit;
  }

  #add(place: string, recorded: (() => string) | undefined, sent: (() => string) | undefined): void {
    if (this.#full) return;
    this.#found.push(() => ({
      place: cut(place),
      ...(recorded && { recorded: recorded() }),
      ...(sent && { sent: sent() }),
    }));
  }

  #compareQueries(recorded: string): void {
    const before = queryValues(recorded);
    const now = this.#sent.queryValues;
    for (const name of new Set([...before.keys(), ...now.keys()])) {
      const a = before.get(name) ?? [];
      const b = now.get(name) ?? [];
      if (sameValues(a, b)) continue;
      const show = (values: readonly string[]) => {
        if (values.length === 0) return undefined;
        if (this.#redaction.members.has(name)) return () => REDACTED;
        return () => cut(values.map((value) => JSON.stringify(value)).join(', '));
      };
      this.#add(`query/${escapeToken(name)}`, show(a), show(b));
    }
  }

  #compareBodies(recorded: RecordedRequest): void {
    const a = recorded.body;
    const { body: b, headers } = this.#sent.request;
    if (a === b || this.#full) return;
    if (a && 'text' in a) this.#work.left -= a.text.length / CHARACTERS_PER_VALUE;
    const now = this.#sent.json;
    const before = a && now !== undefined ? jsonOf(a) : undefined;
    if (before !== undefined && now !== undefined) {
      this.#compareValues('', before, now);
      return;
    }
    if (a && b && sameStored(a, this.#sent)) return;
    this.#add(
      'body',
      a && (() => shownBody(a, recorded.headers, this.#redaction)),
      b && (() => shownBody(b, headers, this.#redaction)),
    );
  }

  #compareValues(pointer: string, recorded: JsonValue, sent: JsonValue): void {
    this.#work.left--;
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
    for (const name of Object.keys(recorded)) {
      if (this.#full) return;
      this.#compareNamed(pointer, name, recorded[name], Object.hasOwn(sent, name) ? sent[name] : undefined);
    }
    for (const name of this.#sent.namesOf(sent)) {
      if (this.#full) return;
      if (!Object.hasOwn(recorded, name)) this.#compareNamed(pointer, name, undefined, sent[name]);
    }
  }

  #compareNamed(
    pointer: string,
    name: string,
    recorded: JsonValue | undefined,
    sent: JsonValue | undefined,
  ): void {
    const place = `${pointer}/${escapeToken(name)}`;
    if (!this.#redaction.members.has(name)) this.#compareMembers(place, recorded, sent);
    // Below a secret member nothing is shown, so that only whether it differs counts.
    else if (recorded === undefined || sent === undefined || !sameJson(recorded, sent, this.#sent)) {
      const hidden = () => REDACTED;
      this.#add(place, recorded === undefined ? recorded : hidden, sent === undefined ? sent : hidden);
    }
  }

  /** Absent is not null: what only one side has is a difference. */
  #compareMembers(pointer: string, recorded: JsonValue | undefined, sent: JsonValue | undefined): void {
    if (recorded !== undefined && sent !== undefined) this.#compareValues(pointer, recorded, sent);
    else this.#add(pointer, this.#show(recorded), this.#show(sent));
  }

  #show(value: JsonValue | undefined): (() => string) | undefined {
    return value === undefined ? undefined : () => shownJson(value, this.#redaction);
  }
}
