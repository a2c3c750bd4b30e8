import type { RequestHead } from '../../http/http.ts';
import type { JsonValue } from '../../json/json.ts';
import { type InlineRequest, isInline, type RecordedRequest } from '../../model/exchange.ts';
import { bodyBytes } from '../body.ts';
import { recordedRequest } from '../plain-exchange.ts';
import { contentTypeOf, redactBody, redactBytes, redactPath, redactQuery } from '../redaction/redact.ts';
import { DEFAULT_RULES, type MatchRules } from './match-rules.ts';
import { queryValues } from './query.ts';
import { formOf, type RequestForm } from './request-form.ts';

/** A request that is looked up in a recording, and compared to many: what all comparisons need of it is made once. */
export class SentRequest {
  readonly request: InlineRequest;
  readonly rules: MatchRules;
  #form: RequestForm | undefined;
  #queryValues: ReadonlyMap<string, readonly string[]> | undefined;
  #bytes: Buffer | undefined;
  #cleanBytes: Buffer | undefined;
  #clean: RequestForm | undefined;

  constructor(request: InlineRequest, rules: MatchRules = DEFAULT_RULES) {
    this.request = request;
    this.rules = rules;
  }

  /**
   * @param json the body as a value, where somebody has parsed it already
   * @param path under which the recording has it
   */
  static of(
    head: RequestHead,
    body: Buffer,
    json: JsonValue | undefined,
    rules: MatchRules = DEFAULT_RULES,
    path?: string,
  ): SentRequest {
    const request = recordedRequest(head, body, json, rules.headers);
    request.path = path ?? redactPath(request.path, rules.redaction);
    return new SentRequest(request, rules);
  }

  /** What is compared, as are all the following. */
  get form(): RequestForm {
    this.#form ??= formOf(this.request, this.rules);
    return this.#form;
  }

  get queryValues(): ReadonlyMap<string, readonly string[]> {
    this.#queryValues ??= queryValues(this.form.query);
    return this.#queryValues;
  }

  get bytes(): Buffer {
    const { body } = this.form;
    // What is sent is never in a file of its own.
    this.#bytes ??= bodyBytes(isInline(body) ? body : undefined);
    return this.#bytes;
  }

  /** The body's bytes as they would have been recorded. */
  get cleanBytes(): Buffer {
    this.#cleanBytes ??= redactBytes(this.bytes, contentTypeOf(this.request.headers), this.rules.redaction);
    return this.#cleanBytes;
  }

  /** The form of the request as it would have been recorded: what may be shown. */
  get clean(): RequestForm {
    this.#clean ??= cleanForm(this.request, this.rules);
    return this.#clean;
  }
}

/** The form of a request, recorded or sent, once it is redacted. */
export function cleanForm(request: RecordedRequest, rules: MatchRules): RequestForm {
  const { query, headers, body } = request;
  const { redaction } = rules;
  const clean = body && redactBody(body, contentTypeOf(headers), redaction);
  return formOf({ ...request, query: redactQuery(query, redaction), ...(clean && { body: clean }) }, rules);
}
