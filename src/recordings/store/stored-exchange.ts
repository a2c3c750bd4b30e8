import {
  type Exchange,
  isInline,
  type RecordedRequest,
  type RecordedResponse,
} from '../../model/exchange.ts';
import { saysJson, storeBody } from '../body.ts';
import { type PlainExchange, toStoredExchange, toStoredRequest } from '../plain-exchange.ts';
import { contentTypeOf } from '../redaction/redact.ts';
import { inlineBytes, packed, type RecordedAnswer, recordedAnswer } from './recorded-answer.ts';

/**
 * One exchange of a recording, wherever its content is: in memory; still as it was recorded; as text, where all that is asked for
 * often was made of it; or in its file alone, where nobody has asked for it since it was written.
 */
export class StoredExchange {
  /** Name of the session that it was recorded in; `""` is the default one. */
  readonly session: string;
  readonly isFailure: boolean;
  #exchange: Exchange | undefined;
  #plain: PlainExchange | undefined;
  #answer: RecordedAnswer | undefined;
  /** JSON, which takes a fifth of the memory of what is read from it. */
  #text: Buffer | undefined;
  #meta: Exchange['meta'] | undefined;
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
    const exchange = this.#withoutBytes;
    return this.#isBodyInAnswer ? withBody(exchange, this.#answer as RecordedAnswer) : exchange;
  }

  /** The same for its file, after which it may be released: what is made of a recorded one for that is not kept. */
  get forFile(): Exchange {
    const isMade = this.#plain === undefined || this.#exchange !== undefined;
    return isMade ? this.exchange : toStoredExchange(this.#plain as PlainExchange, this.request);
  }

  /** Where the answer has the bytes of the response, it has no body here. */
  get #withoutBytes(): Exchange {
    if (this.#text) return JSON.parse(this.#text.toString('utf8')) as Exchange;
    if (this.#exchange === undefined) this.#readAgain?.();
    if (this.#exchange === undefined) {
      this.#exchange = toStoredExchange(this.#plain as PlainExchange, this.request);
      this.#plain = undefined;
    }
    return this.#exchange;
  }

  get meta(): Exchange['meta'] {
    return this.#meta ?? this.#withoutBytes.meta;
  }

  /** Without a look at the response. */
  get request(): RecordedRequest {
    if (this.#plain === undefined) return this.#withoutBytes.request;
    return toStoredRequest(this.#plain.request);
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

  /** It is found by a key: what it holds is asked for seldom from now on. */
  pack(): void {
    if (this.#text || !this.answer) return;
    const exchange = this.#withoutBytes;
    this.#text = packed(Buffer.from(JSON.stringify(exchange)));
    this.#meta = exchange.meta;
    this.#exchange = undefined;
  }

  /** Its file has it. @param readAgain calls `restore` */
  release(readAgain: () => void): void {
    this.#exchange = this.#plain = this.#answer = this.#text = this.#meta = undefined;
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
