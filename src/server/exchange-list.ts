import type { Verdict } from '../model/finding.ts';
import { NO_REDACTION, type Redaction } from '../recordings/redact/redaction.ts';
import { EXCHANGES_KEPT, ExchangeRing } from './exchange-ring.ts';
import type { FinishedExchange } from './finished-exchange.ts';
import { type ShownExchange, showExchange, showExchangeHead } from './show-exchange.ts';

/**
 * Names what gives exchanges as they were: for what compares them, never to be shown. For all copies of this package, since
 * a test may load two, by `import` and by `require`.
 */
export const AS_SENT = Symbol.for('patchgate.asSent');

export { EXCHANGES_KEPT };

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

const MOST_CUT = 10_000;
/** Characters of a text of a finding or effect: what these quote can be as long as a body. */
const LONGEST_TEXT = 2000;

/** The exchanges seen last, whatever became of them. Held as bytes, as they came; redacted and parsed whenever they are shown. */
export class ExchangeList {
  readonly #redaction: Redaction;
  readonly #ring: ExchangeRing;
  readonly #listeners = new Set<(shown: ShownExchange) => void>();
  /** What the listeners are told of next. */
  readonly #untold: FinishedExchange[] = [];
  /** Sessions of which something is forgotten. Undefined: too many to say which. */
  #cut: Set<string> | undefined = new Set();

  /** @param mostBytes of all that are held */
  constructor(redaction: Redaction, mostBytes?: number) {
    this.#redaction = redaction;
    this.#ring = new ExchangeRing((session) => this.#forgotten(session), mostBytes);
  }

  add(given: FinishedExchange): void {
    const exchange = withShortQuotes(given);
    this.#ring.add(exchange);
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
    const found = this.#ring.get(id);
    return found && showExchange(found, this.#redaction);
  }

  /** The listener is called soon after each exchange that is added from now on, with it, without bodies. The function returned ends that. */
  subscribe(listener: (shown: ShownExchange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets the exchanges, or those of one session; the listeners stay. */
  reset(session?: string): void {
    this.#ring.forget(session);
    if (session === undefined) this.#cut = new Set();
    else this.#cut?.delete(session);
  }

  #forgotten(session: string): void {
    if (this.#cut && this.#cut.add(session).size > MOST_CUT) this.#cut = undefined;
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
    const wanted = { limit, session, outcome };
    for (const exchange of this.#ring.newest(wanted)) yield show(exchange, redaction);
  }
}

/** A verdict can quote as much as the body has. Most quote nothing. */
function withShortQuotes(exchange: FinishedExchange): FinishedExchange {
  const { verdict } = exchange;
  if (!verdict || (verdict.findings.length === 0 && !verdict.effects)) return exchange;
  const findings = verdict.findings.map(withShortTexts);
  const effects = verdict.effects?.map(withShortTexts);
  return { ...exchange, verdict: { ...verdict, findings, ...(effects && { effects }) } };
}

function withShortTexts<Quoting extends object>(quoting: Quoting): Quoting {
  const short = { ...quoting } as Record<string, unknown>;
  for (const [name, value] of Object.entries(short))
    if (typeof value === 'string' && value.length > LONGEST_TEXT)
      short[name] = `${value.slice(0, LONGEST_TEXT)}…`;
  return short as Quoting;
}
