import { LRUCache } from 'lru-cache';
import type { RawHeaders } from '../http/http.ts';
import type { Effect } from '../model/effect.ts';
import type { Verdict } from '../model/finding.ts';
import { NO_REDACTION, type Redaction } from '../recordings/redaction/redaction.ts';
import type { BodyToShow, FinishedExchange } from './finished-exchange.ts';
import { type ShownExchange, showExchange, showExchangeHead } from './show-exchange.ts';

/**
 * Names what gives exchanges as they were: for what compares them, never to be shown. For all copies of this package, since
 * a test may load two, by `import` and by `require`.
 */
export const AS_SENT = Symbol.for('patchgate.asSent');

export interface SentExchanges {
  exchanges: Iterable<ShownExchange>;
  /** Others of them are forgotten, since there were too many. */
  areCut: boolean;
}

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

export const EXCHANGES_KEPT = 1000;
const BYTES_KEPT = 32 * 1_048_576;
const MOST_CUT = 10_000;
/** What an exchange takes beside its texts and bodies, roughly. */
const OVERHEAD = 1024;
/** Characters of a text of a finding. */
const LONGEST_TEXT = 2000;

/** The exchanges seen last, whatever became of them. Held as they came, redacted whenever they are shown. */
export class ExchangeList {
  readonly #redaction: Redaction;
  readonly #listeners = new Set<(shown: ShownExchange) => void>();
  /** What the listeners are told of next. */
  readonly #untold: FinishedExchange[] = [];
  /** Sessions of which something is forgotten. Undefined: too many to say which. */
  #cut: Set<string> | undefined = new Set();
  /** In the order of coming. */
  readonly #kept: LRUCache<number, FinishedExchange>;
  #count = 0;

  /** @param bytesKept what the exchanges held may take in all, roughly */
  constructor(redaction: Redaction, bytesKept: number = BYTES_KEPT) {
    this.#redaction = redaction;
    this.#kept = new LRUCache({
      max: EXCHANGES_KEPT,
      maxSize: bytesKept,
      sizeCalculation: weightOf,
      dispose: ({ session = '' }, _, reason) => {
        if (reason === 'evict' && this.#cut && this.#cut.add(session).size > MOST_CUT) this.#cut = undefined;
      },
    });
  }

  /** Holds it as it is: nothing is copied or redacted here. */
  add(given: FinishedExchange): void {
    const exchange = withShortQuotes(given);
    this.#kept.set(++this.#count, exchange);
    // Its answer goes out first, and is not later for those who look.
    if (this.#listeners.size > 0 && this.#untold.push(exchange) === 1) setImmediate(() => this.#tell());
  }

  /** Newest first. Each is redacted when the iterator gets to it; what is added meanwhile does not show up. */
  list(filter: ExchangeFilter = {}): Iterable<ShownExchange> {
    return this.#listed(filter, this.#redaction);
  }

  /** The same with all that is secret. */
  [AS_SENT](filter: ExchangeFilter = {}): SentExchanges {
    const cut = this.#cut;
    return {
      exchanges: this.#listed(filter, NO_REDACTION),
      areCut: cut === undefined || (filter.session === undefined ? cut.size > 0 : cut.has(filter.session)),
    };
  }

  get(id: number): ShownExchange | undefined {
    // The cache's own search would make it the newest.
    for (const exchange of this.#kept.values())
      if (exchange.id === id) return showExchange(exchange, this.#redaction);
    return undefined;
  }

  /** The listener is called soon after each exchange that is added from now on, with it, without bodies. The function returned ends that. */
  subscribe(listener: (shown: ShownExchange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets the exchanges, or those of one session; the listeners stay. */
  reset(session?: string): void {
    for (const [key, exchange] of [...this.#kept.entries()])
      if (isOf(exchange, session)) this.#kept.delete(key);
    if (session === undefined) this.#cut = new Set();
    else this.#cut?.delete(session);
  }

  #tell(): void {
    for (const exchange of this.#untold.splice(0)) {
      const shown = showExchangeHead(exchange, this.#redaction);
      for (const listener of this.#listeners) listener(shown);
    }
  }

  *#listed(filter: ExchangeFilter, redaction: Redaction) {
    const { limit = EXCHANGES_KEPT, outcome, session, bodies = true } = filter;
    const show = bodies ? showExchange : showExchangeHead;
    const wanted = [...this.#kept.values()].filter(
      (exchange) =>
        (outcome ?? exchange.verdict?.outcome) === exchange.verdict?.outcome && isOf(exchange, session),
    );
    for (const exchange of wanted.slice(0, limit)) yield show(exchange, redaction);
  }
}

/** @param name undefined: of any */
function isOf({ session = '' }: FinishedExchange, name: string | undefined): boolean {
  return session === (name ?? session);
}

/** Bytes that it keeps in memory, roughly. */
function weightOf({ request, requestBody, response, verdict }: FinishedExchange): number {
  let weight = OVERHEAD + request.url.length + lengthOf(request.headers) + memoryOf(requestBody);
  if (response) weight += lengthOf(response.headers) + memoryOf(response.body);
  if (!verdict) return weight;
  for (const { pointer, message, hint = '' } of verdict.findings)
    weight += OVERHEAD + pointer.length + message.length + hint.length;
  return weight + OVERHEAD * (verdict.effects?.length ?? 0);
}

function lengthOf(headers: RawHeaders): number {
  let length = 0;
  for (const text of headers) length += text.length;
  return length;
}

function memoryOf(body: BodyToShow): number {
  if (!body) return 0;
  const { buffer, length } = Buffer.isBuffer(body) ? body : body.bytes;
  // Small buffers share the pool's memory.
  return buffer.byteLength === Buffer.poolSize ? length : buffer.byteLength;
}

/** What a verdict quotes can be as long as the body. Most verdicts quote nothing. */
function withShortQuotes(exchange: FinishedExchange): FinishedExchange {
  const { verdict } = exchange;
  if (!verdict || (verdict.findings.length === 0 && !verdict.effects)) return exchange;
  const findings = verdict.findings.map(shortTexts);
  // Their texts are values of JSON, of which each stands by itself.
  const effects = verdict.effects?.map((effect) => (isShort(effect) ? effect : shortTexts(effect)));
  return { ...exchange, verdict: { ...verdict, findings, ...(effects && { effects }) } };
}

function isShort(effect: Effect): boolean {
  for (const name in effect) {
    const value = effect[name as keyof Effect] as unknown;
    if (typeof value === 'string' && value.length > LONGEST_TEXT) return false;
  }
  return true;
}

function shortTexts<Quoting extends object>(quoting: Quoting): Quoting {
  const short = { ...quoting } as Record<string, unknown>;
  for (const [name, value] of Object.entries(short))
    if (typeof value === 'string') short[name] = shortText(value);
  return short as Quoting;
}

/** Copied by way of bytes: a text that was cut out of another one holds all of that. */
function shortText(text: string): string {
  const short = text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
  return Buffer.from(short, 'utf16le').toString('utf16le');
}
