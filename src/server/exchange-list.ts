import type { Verdict } from '../model/finding.ts';
import { withShortTexts } from '../model/short-text.ts';
import type { Redaction } from '../recordings/redact/redaction.ts';
import { BYTES_KEPT, bodyToShow, type FinishedExchange } from './exchange.ts';
import { LONGEST_TEXT, type ShownExchange, showExchange } from './show-exchange.ts';

export interface ExchangeFilter {
  /** At most so many. */
  limit?: number | undefined;
  /** Only the judged ones with this outcome. */
  outcome?: Verdict['outcome'] | undefined;
  /** Only those of this session; `""` is the default one. */
  session?: string | undefined;
  /** With their bodies. Default true. */
  bodies?: boolean | undefined;
}

const MOST_EXCHANGES = 1000;
const MOST_BYTES = 16 * 1024 * 1024;

/** `at`: of a frame's first byte, over all that was ever written. `own`: names and values of the request. Sizes are in bytes. */
type Numbers = [id: number, at: number, textSize: number, startedAt: number, durationMs: number, ...Sizes];
type Sizes = [askedSize: number, answerSize: number, own: number, status: number];
const NUMBERS = 9;
const NOTHING = bodyToShow(Buffer.alloc(0));

/**
 * The exchanges seen last, whatever became of them: as frames in one ring of bytes, as they came, so that no object of a request
 * outlives it: answers wait while the garbage collector copies those. They are redacted and parsed whenever they are shown.
 */
export class ExchangeList {
  #ring: Buffer;
  readonly #numbers = new Float64Array(MOST_EXCHANGES * NUMBERS);
  /** Of each place; undefined: it is forgotten. */
  #sessions: (string | undefined)[] = [];
  readonly #listeners = new Set<(shown: ShownExchange) => void>();
  #everAdded = 0;
  /** Behind the newest frame. */
  #end = 0;

  /** @param mostBytes that the ring grows to; it begins with a sixteenth */
  constructor(
    private readonly redaction: Redaction,
    private readonly mostBytes = MOST_BYTES,
  ) {
    this.#ring = Buffer.allocUnsafeSlow(mostBytes / 16);
  }

  add(exchange: FinishedExchange): void {
    this.#keep(exchange);
    if (this.#listeners.size === 0) return;
    // Its answer goes out first, and is not later for those who look.
    setImmediate(() => {
      const shown = showExchange(exchange, this.redaction, false);
      for (const listener of this.#listeners) listener(shown);
    });
  }

  /** Newest first. Each is redacted when the iterator gets to it, and left out if others have taken its place by then. */
  *list(filter: ExchangeFilter = {}): Iterable<ShownExchange> {
    const { limit = MOST_EXCHANGES, outcome, session, bodies = true } = filter;
    let left = limit;
    for (const exchange of this.#newestFirst(session)) {
      if (outcome !== undefined && exchange.verdict?.outcome !== outcome) continue;
      if (left-- === 0) return;
      yield showExchange(exchange, this.redaction, bodies);
    }
  }

  get(id: number): ShownExchange | undefined {
    const [exchange] = this.#newestFirst(undefined, id);
    return exchange && showExchange(exchange, this.redaction);
  }

  /** The listener is called soon after each exchange that is added from now on, with it, without bodies. The function returned ends that. */
  subscribe(listener: (shown: ShownExchange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets the exchanges, or those of one session; the listeners stay. */
  reset(session?: string): void {
    this.#sessions = this.#sessions.map((own) => (own === (session ?? own) ? undefined : own));
  }

  #keep(exchange: FinishedExchange): void {
    const { id, startedAt, durationMs, request, verdict, unguarded, answeredBy, failure, fault } = exchange;
    const { requestBody: asked = NOTHING, response } = exchange;
    const answer = response?.body ?? NOTHING;
    const { outcome = '', operation = '', findings, omitted, effects } = verdict ?? {};
    const isPlain = !findings?.length && !omitted && !effects && !operation.includes('\n');
    const said = { verdict: isPlain ? undefined : verdict, unguarded, failure, fault };
    let rest = isPlain && !unguarded && !failure && !fault ? '' : JSON.stringify(said);
    // A verdict can quote as much as a body has.
    if (rest.length > BYTES_KEPT) rest = JSON.stringify(withShortTexts(said, LONGEST_TEXT));
    // None holds a line feed, and as JSON they take twice as long.
    let text = `${rest}\n${outcome}\n${isPlain ? operation : ''}\n${answeredBy}\n${request.method}\n${request.url}`;
    for (const one of request.headers) text += `\n${one}`;
    for (const one of response?.headers ?? []) text += `\n${one}`;
    const textSize = Buffer.byteLength(text);
    const length = textSize + asked.bytes.length + answer.bytes.length;
    // The ring doubles while frame and empty end could reach the oldest that stays. In twice the same bytes each keeps its place.
    const oldest = this.#numbers[((this.#everAdded + 1) % MOST_EXCHANGES) * NUMBERS + 1] as number;
    while (this.#end + 2 * length - oldest > this.#ring.length && 2 * this.#ring.length <= this.mostBytes)
      this.#ring = Buffer.concat([this.#ring, this.#ring]);
    if (length > this.#ring.length) return;
    // A frame is one piece: what is left at the end of the ring stays empty.
    const left = this.#ring.length - (this.#end % this.#ring.length);
    const at = length > left ? this.#end + left : this.#end;
    this.#end = at + length;
    const place = this.#everAdded++ % MOST_EXCHANGES;
    this.#sessions[place] = exchange.session?.name ?? '';
    const sizes: Sizes = [asked.size, answer.size, request.headers.length, response?.status ?? 0];
    this.#numbers.set([id, at, textSize, startedAt, durationMs, ...sizes], place * NUMBERS);
    let next = at % this.#ring.length;
    next += this.#ring.write(text, next);
    next += asked.bytes.copy(this.#ring, next);
    answer.bytes.copy(this.#ring, next);
  }

  /** Those that are still whole: all, those of a session, or the one with an id. Bodies are parts of the ring. */
  *#newestFirst(session?: string, only?: number): Iterable<FinishedExchange> {
    for (let n = this.#everAdded - 1; n >= Math.max(0, this.#everAdded - MOST_EXCHANGES); n--) {
      const place = n % MOST_EXCHANGES;
      const name = this.#sessions[place];
      if (name === undefined || name !== (session ?? name)) continue;
      const numbers = this.#numbers.subarray(place * NUMBERS, (place + 1) * NUMBERS) as unknown as Numbers;
      const [id, at, textSize, startedAt, durationMs, askedSize, answerSize, own, status] = numbers;
      if (at < this.#end - this.#ring.length) return;
      if (id !== (only ?? id)) continue;
      const frame = this.#ring.subarray(at % this.#ring.length);
      const lines = frame.toString('utf8', 0, textSize).split('\n');
      const [rest, outcome, operation, answeredBy, method = '', url = '', ...headers] = lines;
      const middle = textSize + Math.min(askedSize, BYTES_KEPT);
      const end = middle + Math.min(answerSize, BYTES_KEPT);
      const body = { size: answerSize, bytes: frame.subarray(middle, end) };
      const plain = { outcome, findings: [], omitted: 0, ...(operation && { operation }) };
      yield {
        ...{ id, startedAt, durationMs, answeredBy: answeredBy as FinishedExchange['answeredBy'] },
        ...(outcome && { verdict: plain as Verdict }),
        ...(rest && JSON.parse(rest)),
        session: { name },
        request: { method, url, headers: headers.slice(0, own) },
        requestBody: { size: askedSize, bytes: frame.subarray(textSize, middle) },
        response: status ? { status, headers: headers.slice(own), body } : undefined,
      };
    }
  }
}
