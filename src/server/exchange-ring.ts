import type { Verdict } from '../model/finding.ts';
import type { BodyToShow, FinishedExchange } from './finished-exchange.ts';

export const EXCHANGES_KEPT = 1000;
const MIB = 1_048_576;
/** It grows where the last thousand need more: most need far less. */
const FIRST_BYTES = MIB;
const MOST_BYTES = 16 * MIB;

/** Where a frame lies, and what exchanges are chosen by. */
interface Slot {
  start: number;
  length: number;
  /** Bytes before the bodies. */
  headLength: number;
  id: number;
  session: string;
  outcome: Verdict['outcome'] | undefined;
}

interface Wanted {
  /** At most so many. */
  limit: number;
  session: string | undefined;
  outcome: Verdict['outcome'] | undefined;
}

/**
 * The first line of a frame: an exchange without its headers and bodies. Those of the request and of the response follow, one name or
 * value a line, then the bodies.
 */
interface FrameHead extends Omit<FinishedExchange, 'request' | 'requestBody' | 'response'> {
  /** Lines of headers. */
  asked: { method: string; url: string; lines: number; size: number; kept: number };
  answered: { status: number; lines: number; size: number; kept: number } | undefined;
}

/** The last exchanges, as frames in one ring of bytes: no object of a request outlives it. */
export class ExchangeRing {
  readonly #onForgotten: (session: string) => void;
  readonly #most: number;
  #bytes: Buffer;
  /** Oldest first. */
  #slots: Slot[] = [];
  /** Behind the newest frame. */
  #end = 0;

  /** @param onForgotten called for each exchange that has no more room */
  constructor(onForgotten: (session: string) => void, mostBytes = MOST_BYTES) {
    this.#onForgotten = onForgotten;
    this.#most = mostBytes;
    this.#bytes = Buffer.allocUnsafeSlow(Math.min(FIRST_BYTES, mostBytes));
  }

  add(exchange: FinishedExchange): void {
    const { id, session = '', verdict, response } = exchange;
    const asked = bytesOf(exchange.requestBody);
    const answered = bytesOf(response?.body);
    const text = textOf(exchange, asked.length, answered.length);
    const headLength = Buffer.byteLength(text);
    const length = headLength + asked.length + answered.length;
    if (length > this.#most) {
      this.#onForgotten(session);
      return;
    }
    if (this.#slots.length === EXCHANGES_KEPT) this.#forgetOldest();
    const start = this.#placeFor(length);
    this.#bytes.write(text, start);
    asked.copy(this.#bytes, start + headLength);
    answered.copy(this.#bytes, start + headLength + asked.length);
    this.#end = start + length;
    this.#slots.push({ start, length, headLength, id, session, outcome: verdict?.outcome });
  }

  get(id: number): FinishedExchange | undefined {
    const slot = this.#slots.find((one) => one.id === id);
    return slot && decode(this.#copyOf(slot), slot.headLength);
  }

  /** Newest first; what is added or forgotten meanwhile changes nothing. */
  *newest({ limit, session, outcome }: Wanted): Iterable<FinishedExchange> {
    const chosen = this.#slots.filter(
      (slot) => slot.session === (session ?? slot.session) && slot.outcome === (outcome ?? slot.outcome),
    );
    const wanted = limit === 0 ? [] : chosen.slice(-limit).reverse();
    const frames = wanted.map((slot) => [this.#copyOf(slot), slot.headLength] as const);
    for (const [frame, headLength] of frames) yield decode(frame, headLength);
  }

  /** @param session undefined: all */
  forget(session: string | undefined): void {
    this.#slots = session === undefined ? [] : this.#slots.filter((slot) => slot.session !== session);
  }

  #copyOf({ start, length }: Slot): Buffer {
    return Buffer.from(this.#bytes.subarray(start, start + length));
  }

  /** Makes room for so many bytes in one piece. */
  #placeFor(length: number): number {
    for (;;) {
      const [oldest] = this.#slots;
      const isRound = oldest !== undefined && oldest.start >= this.#end;
      if (!oldest && length <= this.#bytes.length) return 0;
      if (this.#end + length <= (isRound ? oldest.start : this.#bytes.length)) return this.#end;
      if (oldest && !isRound && length <= oldest.start) return 0;
      if (this.#bytes.length < this.#most) this.#grow();
      else this.#forgetOldest();
    }
  }

  #grow(): void {
    const larger = Buffer.allocUnsafeSlow(Math.min(2 * this.#bytes.length, this.#most));
    let end = 0;
    for (const slot of this.#slots) {
      this.#bytes.copy(larger, end, slot.start, slot.start + slot.length);
      slot.start = end;
      end += slot.length;
    }
    this.#bytes = larger;
    this.#end = end;
  }

  #forgetOldest(): void {
    const oldest = this.#slots.shift();
    if (oldest) this.#onForgotten(oldest.session);
  }
}

const NOTHING = Buffer.alloc(0);

function bytesOf(body: BodyToShow): Buffer {
  if (!body) return NOTHING;
  return Buffer.isBuffer(body) ? body : body.bytes;
}

function sizeOf(body: BodyToShow): number {
  if (!body) return 0;
  return Buffer.isBuffer(body) ? body.length : body.size;
}

/** What stands before the bodies. Headers have no line feeds. */
function textOf(exchange: FinishedExchange, askedKept: number, answeredKept: number): string {
  const { request, response } = exchange;
  const head: FrameHead = {
    id: exchange.id,
    startedAt: exchange.startedAt,
    durationMs: exchange.durationMs,
    handedOnAfterMs: exchange.handedOnAfterMs,
    asked: {
      method: request.method,
      url: request.url,
      lines: request.headers.length,
      size: sizeOf(exchange.requestBody),
      kept: askedKept,
    },
    verdict: exchange.verdict,
    unguarded: exchange.unguarded,
    answeredBy: exchange.answeredBy,
    answered: response && {
      status: response.status,
      lines: response.headers.length,
      size: sizeOf(response.body),
      kept: answeredKept,
    },
    failure: exchange.failure,
    fault: exchange.fault,
    session: exchange.session,
  };
  const answer = response ? `\n${response.headers.join('\n')}` : '';
  return `${JSON.stringify(head)}\n${request.headers.join('\n')}${answer}`;
}

function decode(frame: Buffer, headLength: number): FinishedExchange {
  const [first = '', ...lines] = frame.toString('utf8', 0, headLength).split('\n');
  const { asked, answered, ...others } = JSON.parse(first) as FrameHead;
  const middle = headLength + asked.kept;
  return {
    ...others,
    request: { method: asked.method, url: asked.url, headers: lines.slice(0, asked.lines) },
    requestBody: bodyOf(frame.subarray(headLength, middle), asked.size),
    response: answered && {
      status: answered.status,
      headers: lines.slice(-answered.lines || lines.length),
      body: bodyOf(frame.subarray(middle, middle + answered.kept), answered.size),
    },
  };
}

function bodyOf(bytes: Buffer, size: number): BodyToShow {
  if (size === 0) return undefined;
  return bytes.length < size ? { bytes, size } : bytes;
}
