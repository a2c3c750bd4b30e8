import { HOP_BY_HOP, type RawHeaders, type ResponseHead } from '../../http/http.ts';
import { type Exchange, isKept, type RecordedRequest, type RecordedResponse } from '../../model/exchange.ts';
import { bodyBytes, saysJson, storeBody } from '../body.ts';
import { contentTypeOf } from '../redaction/redact.ts';

/** One exchange of a recording: as it was read, or as short text, where all that is asked for often was made of it. */
export class StoredExchange {
  /** Name of the session that it was recorded in; `""` is the default one. */
  readonly session: string;
  readonly meta: Exchange['meta'];
  #exchange: Exchange | undefined;
  /** JSON, which takes a fifth of the memory of what is read from it. */
  #packed: Buffer | undefined;
  #answer: RecordedAnswer | undefined;
  /** The response's JSON is not kept beside its bytes, which take a fourth of the memory. */
  #isBodyInAnswer = false;

  private constructor(exchange: Exchange) {
    this.session = exchange.meta.session ?? '';
    this.meta = exchange.meta;
    this.#exchange = exchange;
  }

  static of(exchange: Exchange): StoredExchange {
    return new StoredExchange(exchange);
  }

  get exchange(): Exchange {
    const exchange = this.#withoutBytes;
    return this.#isBodyInAnswer ? withBody(exchange, this.#answer as RecordedAnswer) : exchange;
  }

  /** Where the answer has the bytes of the response, it has no body here. */
  get #withoutBytes(): Exchange {
    return this.#exchange ?? JSON.parse(String(this.#packed));
  }

  get request(): RecordedRequest {
    return this.#withoutBytes.request;
  }

  /** What answers its request; undefined where its body was not kept. */
  get answer(): RecordedAnswer | undefined {
    if (this.#answer) return this.#answer;
    const { exchange } = this;
    const { request, response, meta } = exchange;
    if (!isKept(response.body)) return undefined;
    this.#answer = recordedAnswer(request, response, bodyBytes(response.body), meta.durationMs);
    if (this.#exchange && this.#answer.body.length > 0 && isMadeOfBytes(response)) {
      const { body: _, ...rest } = response;
      this.#exchange = { ...exchange, response: rest };
      this.#isBodyInAnswer = true;
    }
    return this.#answer;
  }

  /** It is found by a key: what it holds is asked for seldom from now on. */
  pack(): void {
    if (!this.#exchange || !this.answer) return;
    this.#packed = packed(Buffer.from(JSON.stringify(this.#exchange)));
    this.#exchange = undefined;
  }
}

/** Whether its bytes alone give back its body as it stands in the file, which somebody may have written. */
function isMadeOfBytes({ headers, body }: RecordedResponse): boolean {
  if (body === undefined || !('json' in body) || Object.keys(body).length > 1) return false;
  return saysJson(contentTypeOf(headers));
}

function withBody(exchange: Exchange, answer: RecordedAnswer): Exchange {
  const { response } = exchange;
  const body = storeBody(answer.body, contentTypeOf(response.headers));
  return { ...exchange, response: { ...response, ...(body && { body }) } };
}

/** A recorded response, ready for the wire. */
export interface RecordedAnswer extends ResponseHead {
  /** Empty where there is none. */
  body: Buffer;
}

const NO_BODY = Buffer.alloc(0);

function recordedAnswer(
  { method }: RecordedRequest,
  response: RecordedResponse,
  bytes: Buffer,
  tookMs: number,
): RecordedAnswer {
  const { status } = response;
  const isHead = method === 'HEAD';
  const hasNoBody = isHead || status === 204 || status === 304;
  const body = hasNoBody ? NO_BODY : packed(bytes);
  const headers: string[] = [];
  for (const [name, value] of Object.entries(response.headers)) {
    // A file that people edit or bring from elsewhere may hold what belongs to another connection.
    if (HOP_BY_HOP.has(name) || (name === 'content-length' && !isHead)) continue;
    for (const one of typeof value === 'string' ? [value] : value) headers.push(name, one);
  }
  if (!hasNoBody) headers.push('content-length', String(body.length));
  return { status, message: '', headers: shared(headers), tookMs, body };
}

const BLOCK = 64 * 1024;
const SHORT = 4 * 1024;
let block = NO_BODY;
let used = 0;

/** Short bytes stand one behind the other: each by itself would hold a whole block of Node's buffers in memory. */
function packed(bytes: Buffer): Buffer {
  if (bytes.length > SHORT) return bytes;
  if (used + bytes.length > block.length) {
    block = Buffer.allocUnsafeSlow(BLOCK);
    used = 0;
  }
  const start = used;
  used += bytes.copy(block, start);
  return block.subarray(start, used);
}

/** Lists of headers that many answers have in common; so many are remembered. */
const MOST_SHARED = 1000;
const lists = new Map<string, RawHeaders>();

/** Of equal lists the one that is in memory already. */
function shared(headers: RawHeaders): RawHeaders {
  // No header holds a line feed.
  const name = headers.join('\n');
  const known = lists.get(name);
  if (known) return known;
  if (lists.size < MOST_SHARED) lists.set(name, headers);
  return headers;
}
