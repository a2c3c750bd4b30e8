import type { Verdict } from '../model/finding.ts';
import { withShortTexts } from '../model/short-text.ts';
import type { Redaction } from '../recordings/redact/redaction.ts';
import type { FinishedExchange } from './exchange.ts';
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
/** Characters of a frame before its bodies. A verdict can quote as much as a body has: past this it is cut. */
const LONGEST_HEAD = 65_536;

/** Where a frame lies, what exchanges are chosen by, and what of them takes longer to write than to keep. */
interface Slot {
  /** Of its first byte, counted over all that was ever written. */
  at: number;
  length: number;
  /** Bytes before the bodies. */
  textLength: number;
  outcome: Verdict['outcome'] | undefined;
  said: Omit<FinishedExchange, 'request'> & { session: { name: string } };
  /** Bytes of the request's body and those that are kept of it, bytes of the answer's; names and values of the request; the status. */
  sizes: readonly (number | undefined)[];
}

/**
 * The exchanges seen last, whatever became of them: as frames in one ring of bytes, as they came, so that no object of a request
 * outlives it. They are redacted and parsed whenever they are shown.
 */
export class ExchangeList {
  readonly #redaction: Redaction;
  readonly #ring: Buffer;
  readonly #listeners = new Set<(shown: ShownExchange) => void>();
  /** Oldest first. */
  #slots: Slot[] = [];
  /** Behind the newest frame. */
  #end = 0;

  /** @param mostBytes of all that are held: the system gives them when they are first written to */
  constructor(redaction: Redaction, mostBytes = MOST_BYTES) {
    this.#redaction = redaction;
    this.#ring = Buffer.allocUnsafeSlow(mostBytes);
  }

  add(exchange: FinishedExchange): void {
    this.#keep(exchange);
    if (this.#listeners.size === 0) return;
    // Its answer goes out first, and is not later for those who look.
    setImmediate(() => {
      const shown = showExchange(exchange, this.#redaction, false);
      for (const listener of this.#listeners) listener(shown);
    });
  }

  /** Newest first. Each is redacted when the iterator gets to it, and left out if others have taken its place by then. */
  *list(filter: ExchangeFilter = {}): Iterable<ShownExchange> {
    const { limit = MOST_EXCHANGES, outcome, session, bodies = true } = filter;
    const chosen = this.#slots.filter(
      ({ said, outcome: own }) =>
        said.session.name === (session ?? said.session.name) && own === (outcome ?? own),
    );
    for (const slot of chosen.reverse().slice(0, limit))
      if (this.#has(slot)) yield showExchange(this.#read(slot), this.#redaction, bodies);
  }

  get(id: number): ShownExchange | undefined {
    const slot = this.#slots.find(({ said }) => said.id === id);
    return slot && showExchange(this.#read(slot), this.#redaction);
  }

  /** The listener is called soon after each exchange that is added from now on, with it, without bodies. The function returned ends that. */
  subscribe(listener: (shown: ShownExchange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets the exchanges, or those of one session; the listeners stay. */
  reset(session?: string): void {
    this.#slots =
      session === undefined ? [] : this.#slots.filter(({ said }) => said.session.name !== session);
  }

  #keep(exchange: FinishedExchange): void {
    const { id, startedAt, durationMs, request, unguarded, answeredBy, failure, fault } = exchange;
    const { requestBody: asked, response, verdict: judged } = exchange;
    const { method, url, headers } = request;
    const session = { name: exchange.session?.name ?? '' };
    // None holds a line feed, and as JSON they take twice as long.
    const lines = [method, url, ...headers, ...(response?.headers ?? [])].join('\n');
    const sizes = [asked?.size, asked?.bytes.length, response?.body?.size, headers.length, response?.status];
    // A verdict that found nothing is small, and stays as it is.
    const found = judged?.effects || judged?.findings.length ? judged : undefined;
    const verdict = found ? undefined : judged;
    const said = { id, startedAt, durationMs, session, verdict, unguarded, answeredBy, failure, fault };
    let text = `${found ? JSON.stringify(found) : ''}\n${lines}`;
    if (found && text.length > LONGEST_HEAD)
      text = `${JSON.stringify(withShortTexts(found, LONGEST_TEXT))}\n${lines}`;
    const textLength = Buffer.byteLength(text);
    const length = textLength + (asked?.bytes.length ?? 0) + (response?.body?.bytes.length ?? 0);
    if (length > this.#ring.length) return;
    // A frame is one piece: what is left at the end of the ring stays empty.
    const left = this.#ring.length - (this.#end % this.#ring.length);
    const at = length > left ? this.#end + left : this.#end;
    this.#end = at + length;
    const isOver = (oldest: Slot) => this.#slots.length === MOST_EXCHANGES || !this.#has(oldest);
    while (this.#slots[0] && isOver(this.#slots[0])) this.#slots.shift();
    this.#slots.push({ at, length, textLength, outcome: judged?.outcome, said, sizes });
    let place = at % this.#ring.length;
    place += this.#ring.write(text, place);
    if (asked) place += asked.bytes.copy(this.#ring, place);
    response?.body?.bytes.copy(this.#ring, place);
  }

  /** Whether nothing was written over it. */
  #has({ at }: Slot): boolean {
    return at >= this.#end - this.#ring.length;
  }

  /** An exchange of a frame, whose bodies are parts of the ring. */
  #read({ at, length, textLength, said, sizes }: Slot): FinishedExchange {
    const place = at % this.#ring.length;
    const frame = this.#ring.subarray(place, place + length);
    const [line, method = '', url = '', ...headers] = frame.toString('utf8', 0, textLength).split('\n');
    const [size, kept = 0, answerSize, own, status] = sizes;
    const middle = textLength + kept;
    const requestBody = size === undefined ? undefined : { size, bytes: frame.subarray(textLength, middle) };
    const body = answerSize === undefined ? undefined : { size: answerSize, bytes: frame.subarray(middle) };
    const response = status === undefined ? undefined : { status, headers: headers.slice(own), body };
    const request = { method, url, headers: headers.slice(0, own) };
    return { ...said, ...(line && { verdict: JSON.parse(line) }), request, requestBody, response };
  }
}
