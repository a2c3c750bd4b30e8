import {
  type Exchange,
  isInline,
  type RecordedRequest,
  type RecordedResponse,
} from '../../model/exchange.ts';
import { saysJson, storeBody } from '../body.ts';
import type { PlainExchange } from '../plain-exchange.ts';
import { contentTypeOf } from '../redaction/redact.ts';
import { toStoredExchange, toStoredRequest } from '../to-stored-exchange.ts';
import { inlineBytes, type RecordedAnswer, recordedAnswer } from './recorded-answer.ts';

/**
 * One exchange of a recording, wherever its content is: in memory; still as it was recorded; or in its file alone, where nobody has
 * asked for it since it was written.
 */
export class StoredExchange {
  /** Name of the session that it was recorded in; `""` is the default one. */
  readonly session: string;
  readonly isFailure: boolean;
  #exchange: Exchange | undefined;
  #plain: PlainExchange | undefined;
  #request: RecordedRequest | undefined;
  #answer: RecordedAnswer | undefined;
  /** The response's JSON is not kept beside its bytes, which take a fourth of the memory. */
  #isBodyInAnswer = false;
  #readAgain: (() => void) | undefined;

  private constructor(exchange: Exchange | undefined, plain: PlainExchange | undefined) {
    this.#exchange = exchange;
    this.#plain = plain;
    this.session = (exchange ? exchange.meta.session : plain?.session) ?? '';
    this.isFailure = (exchange ?? plain)?.failure !== undefined;
  }

  static of(exchange: Exchange): StoredExchange {
    return new StoredExchange(exchange, undefined);
  }

  static ofPlain(plain: PlainExchange): StoredExchange {
    return new StoredExchange(undefined, plain);
  }

  /** @throws PatchgateError `bad-recording`, `cannot-read` where it must be read again and cannot be */
  get exchange(): Exchange {
    if (this.#exchange === undefined) this.#readAgain?.();
    if (this.#exchange === undefined) {
      this.#exchange = toStoredExchange(this.#plain as PlainExchange, this.request);
      this.#plain = this.#request = undefined;
    }
    return this.#isBodyInAnswer ? withBody(this.#exchange, this.#answer as RecordedAnswer) : this.#exchange;
  }

  get meta(): Exchange['meta'] {
    return (this.#exchange ?? this.exchange).meta;
  }

  /** Without a look at the response. */
  get request(): RecordedRequest {
    if (this.#plain === undefined) return (this.#exchange ?? this.exchange).request;
    this.#request ??= toStoredRequest(this.#plain.request);
    return this.#request;
  }

  /** What answers its request; undefined where there is no response, or its body does not stand with the exchange. */
  get answer(): RecordedAnswer | undefined {
    if (this.#answer) return this.#answer;
    const { exchange } = this;
    const { request, response, meta } = exchange;
    if (!response || !isInline(response.body)) return undefined;
    this.#answer = recordedAnswer(request, response, inlineBytes(response), meta.durationMs);
    if (this.#answer.body.length > 0 && isMadeOfBytes(response)) {
      const { body: _, ...rest } = response;
      this.#exchange = { ...exchange, response: rest };
      this.#isBodyInAnswer = true;
    }
    return this.#answer;
  }

  /** Its file has it. @param readAgain calls `restore` */
  release(readAgain: () => void): void {
    this.#exchange = this.#plain = this.#request = this.#answer = undefined;
    this.#isBodyInAnswer = false;
    this.#readAgain = readAgain;
  }

  restore(exchange: Exchange): void {
    this.#exchange = exchange;
    this.#readAgain = undefined;
  }
}

/** Whether its bytes alone give back its body as it stands in the file, which somebody may have written. */
function isMadeOfBytes({ headers, body }: RecordedResponse): boolean {
  if (body === undefined || !('json' in body) || Object.keys(body).length > 1) return false;
  return saysJson(contentTypeOf(headers));
}

function withBody(exchange: Exchange, answer: RecordedAnswer): Exchange {
  const response = exchange.response as RecordedResponse;
  const body = storeBody(answer.body, contentTypeOf(response.headers));
  return { ...exchange, response: { ...response, ...(body && { body }) } };
}
