import { LRUCache } from 'lru-cache';
import type { RawHeaders } from '../http/http.ts';
import type { Effect } from '../model/effect.ts';
import type { Verdict } from '../model/finding.ts';
import { NO_REDACTION, type Redaction } from '../recordings/redaction/redaction.ts';
import type { KeptBody, Seen } from './seen.ts';
import { type ShownExchange, showExchange, showExchangeHead } from './show-exchange.ts';

/**
 * Names what gives exchanges as they were: for what compares them, never to be shown. For all copies of this package, since
 * a test may load two, by `import` and by `require`.
 */
export const AS_SENT = Symbol.for('patchgate.asSent');

/** The exchanges seen last, whatever became of them. Held as they came, redacted whenever they are shown. */
export interface ExchangeList {
  /** Holds it as it is: nothing is copied or redacted here. */
  add(seen: Seen): void;
  /** Newest first. Each is redacted when the iterator gets to it; what is added meanwhile does not show up. */
  list(filter?: ExchangeFilter): Iterable<ShownExchange>;
  /** The same with all that is secret. */
  [AS_SENT](filter?: ExchangeFilter): SentExchanges;
  get(id: number): ShownExchange | undefined;
  /** The listener is called with each exchange added from now on, without bodies. The function returned ends that. */
  subscribe(listener: (shown: ShownExchange) => void): () => void;
  /** Forgets the exchanges, or those of one session; the listeners stay. */
  reset(session?: string): void;
}

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
}

export const EXCHANGES_KEPT = 1000;
const BYTES_KEPT = 32 * 1_048_576;
const MOST_CUT = 10_000;
/** What an exchange takes beside its texts and bodies, roughly. */
const OVERHEAD = 1024;
/** Characters of a text of a finding. */
const LONGEST_TEXT = 2000;

/** @param bytesKept what the exchanges held may take in all, roughly */
export function createExchangeList(redaction: Redaction, bytesKept: number = BYTES_KEPT): ExchangeList {
  const listeners = new Set<(shown: ShownExchange) => void>();
  /** Sessions of which something is forgotten. Undefined: too many to say which. */
  let cut: Set<string> | undefined = new Set();
  /** In the order of coming. */
  const kept = new LRUCache<number, Seen>({
    max: EXCHANGES_KEPT,
    maxSize: bytesKept,
    sizeCalculation: weightOf,
    dispose({ session = '' }, _, reason) {
      if (reason === 'evict' && cut && cut.add(session).size > MOST_CUT) cut = undefined;
    },
  });
  let count = 0;

  function* listed({ limit = EXCHANGES_KEPT, outcome, session }: ExchangeFilter, hiding: Redaction) {
    const wanted = [...kept.values()].filter(
      (seen) => (outcome ?? seen.verdict?.outcome) === seen.verdict?.outcome && isOf(seen, session),
    );
    for (const seen of wanted.slice(0, limit)) yield showExchange(seen, hiding);
  }

  return {
    add(given) {
      const seen = withShortQuotes(given);
      kept.set(++count, seen);
      if (listeners.size === 0) return;
      const shown = showExchangeHead(seen, redaction);
      for (const listener of listeners) listener(shown);
    },
    list: (filter = {}) => listed(filter, redaction),
    [AS_SENT]: (filter = {}) => ({
      exchanges: listed(filter, NO_REDACTION),
      areCut: cut === undefined || (filter.session === undefined ? cut.size > 0 : cut.has(filter.session)),
    }),
    get(id) {
      const seen = kept.find((candidate) => candidate.id === id);
      return seen && showExchange(seen, redaction);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    reset(session) {
      for (const [key, seen] of [...kept.entries()]) if (isOf(seen, session)) kept.delete(key);
      if (session === undefined) cut = new Set();
      else cut?.delete(session);
    },
  };
}

/** @param name undefined: of any */
function isOf({ session = '' }: Seen, name: string | undefined): boolean {
  return session === (name ?? session);
}

/** Bytes that it keeps in memory, roughly. */
function weightOf({ request, requestBody, response, verdict }: Seen): number {
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

function memoryOf(body: KeptBody): number {
  if (!body) return 0;
  const { buffer, length } = Buffer.isBuffer(body) ? body : body.bytes;
  // Small buffers share the pool's memory.
  return buffer.byteLength === Buffer.poolSize ? length : buffer.byteLength;
}

/** What a verdict quotes can be as long as the body. Most verdicts quote nothing. */
function withShortQuotes(seen: Seen): Seen {
  const { verdict } = seen;
  if (!verdict || (verdict.findings.length === 0 && !verdict.effects)) return seen;
  const findings = verdict.findings.map(shortTexts);
  // Their texts are values of JSON, of which each stands by itself.
  const effects = verdict.effects?.map((effect) => (isShort(effect) ? effect : shortTexts(effect)));
  return { ...seen, verdict: { ...verdict, findings, ...(effects && { effects }) } };
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
