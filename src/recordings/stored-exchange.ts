import { HOP_BY_HOP, type ResponseHead } from '../http/http.ts';
import { type Exchange, isKept, type RecordedRequest } from '../model/exchange.ts';
import { bodyBytes } from './body.ts';

/** A recorded response, ready for the wire. */
export interface RecordedAnswer extends ResponseHead {
  /** Empty if there is none. */
  body: Buffer;
}

/** One exchange of a recording, with the answer made from it. */
export class StoredExchange {
  /** Name of the session that it was recorded in; `""` is the default one. */
  readonly session: string;
  readonly meta: Exchange['meta'];
  #exchange: Exchange | undefined;
  /** As JSON, a fifth of the memory. */
  #packed: Buffer | undefined;
  #answer: RecordedAnswer | undefined;

  private constructor(exchange: Exchange) {
    this.session = exchange.meta.session ?? '';
    this.meta = exchange.meta;
    this.#exchange = exchange;
  }

  static of(exchange: Exchange): StoredExchange {
    return new StoredExchange(exchange);
  }

  get exchange(): Exchange {
    return this.#exchange ?? JSON.parse(String(this.#packed));
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
    if (!this.#exchange || !this.answer) return;
    this.#packed = Buffer.from(JSON.stringify(this.#exchange));
    this.#exchange = undefined;
  }
}

const NO_BODY = Buffer.alloc(0);

function answerOf({ request: { method }, response, meta }: Exchange): RecordedAnswer | undefined {
  const { status, headers: stored, body: kept } = response;
  if (!isKept(kept)) return undefined;
  const isHead = method === 'HEAD';
  const hasNoBody = isHead || status === 204 || status === 304;
  const body = hasNoBody ? NO_BODY : bodyBytes(kept);
  const headers: string[] = [];
  for (const [name, value] of Object.entries(stored)) {
    // An edited or imported file may hold headers of another connection.
    if (HOP_BY_HOP.has(name) || (name === 'content-length' && !isHead)) continue;
    for (const one of [value].flat()) headers.push(name, one);
  }
  if (!hasNoBody) headers.push('content-length', String(body.length));
  return { status, message: '', headers, tookMs: meta.durationMs, body };
}
