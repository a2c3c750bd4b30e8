import type { InlineBody, InlineRequest } from '../../model/exchange.ts';
import { type RequestHead, splitTarget } from '../../model/http.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { bodyBytes, jsonOf } from '../body.ts';
import { contentTypeOf, redactBody } from '../redaction/redact.ts';
import { recordedRequest } from '../settle.ts';
import { queryValues } from './request-key.ts';

/** A request that is looked up in a recording. What its bytes alone do not say is found out when it is asked for. */
export class SentRequest {
  readonly head: RequestHead;
  readonly body: Buffer;
  #json: JsonValue | undefined;
  #compared: ComparedRequest | undefined;

  /** @param json the body as a value, where somebody has parsed it already */
  constructor(head: RequestHead, body: Buffer, json: JsonValue | undefined) {
    this.head = head;
    this.body = body;
    this.#json = json;
  }

  get query(): string {
    return splitTarget(this.head.url).query;
  }

  get compared(): ComparedRequest {
    if (this.#compared === undefined) {
      this.#compared = new ComparedRequest(recordedRequest(this.head, this.body, this.#json));
      this.#json = undefined;
    }
    return this.#compared;
  }
}

/** A request that is compared to many: what all comparisons need of it is made once. */
export class ComparedRequest {
  readonly request: InlineRequest;
  #json: { value: JsonValue | undefined } | undefined;
  #queryValues: ReadonlyMap<string, readonly string[]> | undefined;
  #bytes: Buffer | undefined;
  #clean: InlineBody | undefined;
  readonly #names = new WeakMap<JsonObject, readonly string[]>();

  constructor(request: InlineRequest) {
    this.request = request;
  }

  /** What `jsonOf` gives for the body. */
  get json(): JsonValue | undefined {
    const { body } = this.request;
    this.#json ??= { value: body && jsonOf(body) };
    return this.#json.value;
  }

  get queryValues(): ReadonlyMap<string, readonly string[]> {
    this.#queryValues ??= queryValues(this.request.query);
    return this.#queryValues;
  }

  get bytes(): Buffer {
    this.#bytes ??= bodyBytes(this.request.body);
    return this.#bytes;
  }

  /** The body as it would have been recorded. */
  get clean(): InlineBody | undefined {
    const { body, headers } = this.request;
    this.#clean ??= body && redactBody(body, contentTypeOf(headers));
    return this.#clean;
  }

  /** The names of an object within the body. */
  namesOf(object: JsonObject): readonly string[] {
    let names = this.#names.get(object);
    if (names === undefined) {
      names = Object.keys(object);
      this.#names.set(object, names);
    }
    return names;
  }
}
