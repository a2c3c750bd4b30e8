import { HOP_BY_HOP, type ResponseHead } from '../http/http.ts';
import { type Exchange, headerPairs, isKept, type RecordedRequest } from '../model/exchange.ts';
import { bodyBytes } from './body.ts';

/** A recorded response, ready for the wire. */
export interface RecordedAnswer extends ResponseHead {
  /** Empty if there is none. */
  body: Buffer;
  from: 'recording';
}

/** One exchange of a recording, with the answer made from it. */
export class StoredExchange {
  /** Name of the session that it was recorded in; `""` is the default one. */
  readonly session: string;
  readonly meta: Exchange['meta'];
  /** As JSON once it is packed: a fifth of the memory. */
  #exchange: Exchange | Buffer;
  #answer: RecordedAnswer | undefined;

  constructor(exchange: Exchange) {
    this.session = exchange.meta.session ?? '';
    this.meta = exchange.meta;
    this.#exchange = exchange;
  }

  get exchange(): Exchange {
    return Buffer.isBuffer(this.#exchange) ? JSON.parse(this.#exchange.toString()) : this.#exchange;
  }

  get request(): RecordedRequest {
    return this.exchange.request;
  }

  /** The answer to its request; undefined if its body was not kept. */
  get answer(): RecordedAnswer | undefined {
    this.#answer ??= answerOf(this.exchange);
    return this.#answer;
  }

  /** Makes the answer, and keeps the rest as text. */
  pack(): void {
    if (this.answer) this.#exchange = Buffer.from(JSON.stringify(this.exchange));
  }
}

function answerOf({ request: { method }, response }: Exchange): RecordedAnswer | undefined {
  if (!isKept(response.body)) return undefined;
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
