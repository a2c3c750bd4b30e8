import { isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { escapeToken, pointerOf } from '../../json/pointer.ts';
import { type PatternNode, patternsBelow } from '../../json/pointer-pattern.ts';
import type { RecordedRequest } from '../../model/exchange.ts';
import { redactPath, redactText } from '../redaction/redact.ts';
import { REDACTED } from '../redaction/redacted.ts';
import type { Redaction } from '../redaction/redaction.ts';
import { formOf } from './form-of.ts';
import { sameStored, sameValues } from './matches.ts';
import { queryValues } from './query.ts';
import type { RequestForm } from './request-form.ts';
import { nameOf, sameJson, unpaired } from './same-json.ts';
import { sameText } from './same-text.ts';
import { cleanForm, type SentRequest } from './sent-request.ts';
import { cut, shownBody, shownJson, valueAt } from './shown-value.ts';

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

/** A difference before anybody asks what its values are. */
export interface Found {
  part: 'head' | 'query' | 'headers' | 'body';
  show(): Difference;
}

/** How much may still be looked at, in values of bodies. Comparing several requests takes it from one of these. */
export interface Work {
  left: number;
}

/** Characters of a text that cost as much as a value. */
const CHARACTERS_PER_VALUE = 32;

/** What differs between two requests of one method and path, at most `limit` places; none: they match. */
export function differencesOf(
  recorded: RecordedRequest,
  sent: SentRequest,
  limit: number,
  work: Work,
): Found[] {
  return new Comparison(recorded, sent, limit, work).run();
}

/** What a value is, for showing. */
type Shown = () => string;

type Tokens = readonly (string | number)[];

class Comparison {
  readonly #found: Found[] = [];
  readonly #request: RecordedRequest;
  readonly #recorded: RequestForm;
  #clean: RequestForm | undefined;
  readonly #sent: SentRequest;
  readonly #limit: number;
  readonly #redaction: Redaction;
  readonly #work: Work;

  constructor(recorded: RecordedRequest, sent: SentRequest, limit: number, work: Work) {
    this.#request = recorded;
    this.#recorded = formOf(recorded, sent.rules);
    this.#sent = sent;
    this.#limit = limit;
    this.#redaction = sent.rules.redaction;
    this.#work = work;
  }

  run(): Found[] {
    const before = this.#recorded.parts;
    const now = this.#sent.form.parts;
    for (const part of ['method', 'path'] as const) {
      if (before[part] === now[part]) continue;
      const shown = (parts: typeof now) => () => cut(redactPath(parts[part], this.#redaction));
      this.#add('head', part, shown(before), shown(now));
    }
    if (before.query !== now.query) this.#compareQueries();
    this.#compareHeaders();
    this.#compareBodies();
    return this.#found;
  }

  get #full(): boolean {
    return this.#found.length >= this.#limit;
  }

  #add(part: Found['part'], place: string, recorded: Shown | undefined, sent: Shown | undefined): void {
    if (this.#full) return;
    const show = () => ({
      place: cut(redactText(place, this.#redaction)),
      ...(recorded && { recorded: recorded() }),
      ...(sent && { sent: sent() }),
    });
    this.#found.push({ part, show });
  }

  /** What may be shown of the recorded request: redaction may have been set up since. */
  get #cleanRecorded(): RequestForm {
    this.#clean ??= cleanForm(this.#request, this.#sent.rules);
    return this.#clean;
  }

  #compareQueries(): void {
    const before = queryValues(this.#recorded.parts.query);
    const now = this.#sent.queryValues;
    for (const name of new Set([...before.keys(), ...now.keys()])) {
      const a = before.get(name);
      const b = now.get(name);
      if (a && b && sameValues(a, b)) continue;
      const shown = (form: () => RequestForm) => () => {
        if (this.#redaction.members.has(name)) return REDACTED;
        const values = queryValues(form().parts.query).get(name) ?? [];
        return cut(values.map((value) => JSON.stringify(value)).join(', '));
      };
      this.#add(
        'query',
        `query/${escapeToken(name)}`,
        a && shown(() => this.#cleanRecorded),
        b && shown(() => this.#sent.clean),
      );
    }
  }

  #compareHeaders(): void {
    const before = new Map(this.#recorded.parts.headers);
    const now = new Map(this.#sent.form.parts.headers);
    for (const name of this.#sent.rules.headers) {
      const a = before.get(name);
      const b = now.get(name);
      if (a === b || (a !== undefined && b !== undefined && sameText(a, b))) continue;
      const shown = (value: string | undefined) =>
        value === undefined ? undefined : () => cut(JSON.stringify(value));
      this.#add('headers', `headers/${name}`, shown(a), shown(b));
    }
  }

  #compareBodies(): void {
    const a = this.#recorded.parts.body;
    const b = this.#sent.form.parts.body;
    if (a === b || this.#full) return;
    if (a && 'text' in a) this.#work.left -= a.text.length / CHARACTERS_PER_VALUE;
    const now = this.#sent.form.json;
    const before = a && now !== undefined ? this.#recorded.json : undefined;
    if (before !== undefined && now !== undefined) {
      this.#compareValues([], before, now, this.#sent.rules.sets);
      return;
    }
    if (a && b && sameStored(this.#recorded, this.#sent)) return;
    const { headers } = this.#sent.request;
    this.#add(
      'body',
      'body',
      a && (() => shownBody(this.#cleanRecorded.parts.body ?? a, this.#request.headers, this.#redaction)),
      b && (() => shownBody(this.#sent.clean.parts.body ?? b, headers, this.#redaction)),
    );
  }

  #compareValues(tokens: Tokens, recorded: JsonValue, sent: JsonValue, sets: PatternNode | undefined): void {
    this.#work.left--;
    if (recorded === REDACTED || recorded === sent || this.#full) return;
    if (typeof recorded === 'string' && typeof sent === 'string' && sameText(recorded, sent)) return;
    if (Array.isArray(recorded) && Array.isArray(sent)) {
      if (sets?.isMeant) this.#compareSets(tokens, recorded, sent, sets);
      else {
        for (let i = 0; i < Math.max(recorded.length, sent.length) && !this.#full; i++) {
          this.#compareMembers([...tokens, i], recorded[i], sent[i], sets && patternsBelow(sets, i));
        }
      }
    } else if (isObject(recorded) && isObject(sent)) {
      this.#compareObjects(tokens, recorded, sent, sets);
    } else this.#differ(tokens, true, true);
  }

  /** Each item without one like it is a difference by itself, at its own place. */
  #compareSets(tokens: Tokens, recorded: JsonValue[], sent: JsonValue[], sets: PatternNode): void {
    const work = this.#sent.itemsOf(sent, sets).reduce((sum, { length }) => sum + length, 0);
    this.#work.left -= (2 * work) / CHARACTERS_PER_VALUE;
    const alone = unpaired(recorded, sent, this.#sent, sets);
    for (const i of alone.recorded) this.#differ([...tokens, i], true, false);
    for (const i of alone.sent) this.#differ([...tokens, i], false, true);
  }

  #compareObjects(
    tokens: Tokens,
    recorded: JsonObject,
    sent: JsonObject,
    sets: PatternNode | undefined,
  ): void {
    const compare = (name: string, a: JsonValue | undefined, b: JsonValue | undefined) =>
      this.#compareNamed([...tokens, name], name, a, b, sets && patternsBelow(sets, name));
    const paired = new Set<string>();
    for (const name of Object.keys(recorded)) {
      if (this.#full) return;
      const other = nameOf(name, recorded, sent, this.#sent);
      if (other !== undefined) paired.add(other);
      compare(name, recorded[name], other === undefined ? undefined : sent[other]);
    }
    for (const name of this.#sent.namesOf(sent)) {
      if (this.#full) return;
      if (!paired.has(name)) compare(name, undefined, sent[name]);
    }
  }

  #compareNamed(
    tokens: Tokens,
    name: string,
    recorded: JsonValue | undefined,
    sent: JsonValue | undefined,
    sets: PatternNode | undefined,
  ): void {
    const isSecret = this.#redaction.members.has(name);
    if (!isSecret || recorded === undefined || sent === undefined) {
      this.#compareMembers(tokens, recorded, sent, sets);
    } else if (!sameJson(recorded, sent, this.#sent, sets)) {
      // Below a secret member nothing is shown, so that only whether it differs counts.
      this.#differ(tokens, true, true);
    }
  }

  /** Absent is not null: what only one side has is a difference. */
  #compareMembers(
    tokens: Tokens,
    recorded: JsonValue | undefined,
    sent: JsonValue | undefined,
    sets: PatternNode | undefined,
  ): void {
    if (recorded !== undefined && sent !== undefined) this.#compareValues(tokens, recorded, sent, sets);
    else this.#differ(tokens, recorded !== undefined, sent !== undefined);
  }

  #differ(tokens: Tokens, isRecorded: boolean, isSent: boolean): void {
    const shown = (form: () => RequestForm) => () => {
      const value = valueAt(form().json, tokens);
      return value === REDACTED ? value : shownJson(value, this.#redaction);
    };
    this.#add(
      'body',
      tokens.length === 0 ? 'body' : pointerOf(tokens),
      isRecorded ? shown(() => this.#cleanRecorded) : undefined,
      isSent ? shown(() => this.#sent.clean) : undefined,
    );
  }
}
