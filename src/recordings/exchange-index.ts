import { setImmediate } from 'node:timers/promises';
import { hashOfBody } from '../body-hash.ts';
import { HOP_BY_HOP, type ResponseHead } from '../http/http.ts';
import { type Exchange, headerPairs, type RecordedRequest } from '../model/exchange.ts';
import { bodyBytes } from './body.ts';
import { cleanForm, compareJson, type Form, formOf, keyOf, type MatchRules } from './match.ts';
import { holdsPlaceholder } from './redact/redacted.ts';

export class ExchangeIndex {
  /** Oldest first; always the same list, which only grows. */
  readonly all: StoredExchange[];
  readonly #rules: MatchRules;
  readonly #byKey = new Map<string, StoredExchange[]>();
  /** Those whose request has a placeholder: no key finds all requests that match it. */
  readonly #open: { stored: StoredExchange; form: Form }[] = [];
  /** So many of the first have their keys. */
  #keyed = 0;

  constructor(exchanges: readonly Exchange[], rules: MatchRules) {
    this.all = exchanges.map((one) => new StoredExchange(one));
    this.#rules = rules;
  }

  add(exchange: Exchange): void {
    this.all.push(new StoredExchange(exchange));
  }

  /** The exchanges that match a request, oldest first: the very request, else those that a placeholder makes the same. */
  find(request: RecordedRequest): readonly StoredExchange[] {
    this.#keyUpTo(this.all.length);
    const form = formOf(request, this.#rules);
    const same = this.#byKey.get(keyOf(form));
    if (same) return same;
    const alike = this.#open.filter((one) => compareJson(one.form, form, () => false));
    const open = alike.map(({ stored }) => stored);
    return open.length > 0 ? open : (this.#byKey.get(keyOf(cleanForm(request, this.#rules))) ?? []);
  }

  /** The same by the bytes of query and body, without parsing; undefined if they do not say it. */
  withBytes(query: string, body: Buffer): readonly StoredExchange[] | undefined {
    this.#keyUpTo(this.all.length);
    const isSaid = this.#rules.headers.size === 0 && this.#open.length === 0;
    return isSaid ? this.#byKey.get(bytesKey(query, body)) : undefined;
  }

  /** Makes keys and answers ahead. Requests go first. */
  async prepare(): Promise<void> {
    for (const [i, stored] of this.all.entries()) {
      this.#keyUpTo(i + 1);
      stored.answer();
      await setImmediate();
    }
  }

  #keyUpTo(count: number): void {
    for (; this.#keyed < count; this.#keyed++) {
      const stored = this.all[this.#keyed] as StoredExchange;
      const { request } = stored;
      const form = formOf(request, this.#rules);
      if (holdsPlaceholder(JSON.stringify(form))) this.#open.push({ stored, form });
      const key = keyOf(form);
      // An empty list gets room for 17 when the first is pushed.
      const same = this.#byKey.get(key);
      same?.push(stored);
      const all = same ?? [stored];
      this.#byKey.set(key, all).set(bytesKey(request.query, bodyBytes(request.body)), all);
    }
  }
}

/** A key that needs no parsing. No `keyOf` has a blank. */
const bytesKey = (query: string, body: Buffer) => `${hashOfBody(body)} ${query}`;

/** The exchanges that a session gets: those recorded in one of its name, else those of the default session (`""`), else all. */
export function ofSession(matched: readonly StoredExchange[], name: string): readonly StoredExchange[] {
  if (matched.length <= 1) return matched;
  const recordedIn = (session: string) => matched.filter((one) => one.session === session);
  const own = recordedIn(name);
  const given = own.length > 0 ? own : recordedIn('');
  return given.length > 0 ? given : matched;
}

export class StoredExchange {
  readonly meta: Exchange['meta'];
  /** Name of that which it was recorded in; `""` is the default one. */
  readonly session: string;
  readonly status: number;
  /** As JSON once the answer is made: a fifth of the memory. */
  #request: RecordedRequest | Buffer;
  #response: Exchange['response'] | RecordedAnswer;

  constructor({ request, response, meta }: Exchange) {
    this.meta = meta;
    this.session = meta.session ?? '';
    this.status = response.status;
    this.#request = request;
    this.#response = response;
  }

  get request(): RecordedRequest {
    return Buffer.isBuffer(this.#request) ? JSON.parse(this.#request.toString()) : this.#request;
  }

  /** The answer to its request, ready for the wire. It is made once. */
  answer(): RecordedAnswer {
    const request = this.#request;
    if (Buffer.isBuffer(request)) return this.#response as RecordedAnswer;
    const answer = answerOf(request, this.#response as Exchange['response']);
    [this.#request, answer.body] = lasting(Buffer.from(JSON.stringify(request)), answer.body);
    this.#response = answer;
    return answer;
  }
}

type RecordedAnswer = ResponseHead & { body: Buffer; from: 'recording' };

function answerOf({ method }: RecordedRequest, response: Exchange['response']): RecordedAnswer {
  const { status } = response;
  const isHead = method === 'HEAD';
  const hasNoBody = isHead || status === 204 || status === 304;
  const body = bodyBytes(hasNoBody ? undefined : response.body);
  // An edited or imported file may hold headers of another connection.
  const headers = headerPairs(response.headers)
    .filter(([name]) => !HOP_BY_HOP.has(name) && (isHead || name !== 'content-length'))
    .flat();
  if (!hasNoBody) headers.push('content-length', String(body.length));
  return { status, message: '', headers, body, from: 'recording' };
}

/** Copies in one piece of memory outside of Node's pool: a part of that which stays would keep all of its 8 KiB. */
function lasting(one: Buffer, other: Buffer): [Buffer, Buffer] {
  const both = Buffer.allocUnsafeSlow(one.length + other.length);
  one.copy(both);
  other.copy(both, one.length);
  return [both.subarray(0, one.length), both.subarray(one.length)];
}
