import type { Verdict } from '../model/finding.ts';
import { NO_REDACTION, type Redaction } from '../recordings/redaction/redaction.ts';
import { type PackedExchange, pack, unpack } from './packed-exchange.ts';
import type { Seen } from './seen.ts';
import { type ShownExchange, showExchange, showExchangeHead } from './show-exchange.ts';

/**
 * Names what gives exchanges as they were: for what compares them, never to be shown. For all copies of this package, since
 * a test may load two, by `import` and by `require`.
 */
export const AS_SENT = Symbol.for('patchgate.asSent');

/** The exchanges seen last, whatever became of them. Held as they came, redacted whenever they are shown. */
export interface ExchangeList {
  /** Constant time; nothing is redacted here. */
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
/** Sessions that are told apart among those of which something is forgotten. */
const MOST_CUT = 10_000;
/** @param bytesKept what the exchanges held may take in all: bodies, headers, URLs and findings */
export function createExchangeList(redaction: Redaction, bytesKept: number = BYTES_KEPT): ExchangeList {
  const ring: (PackedExchange | undefined)[] = new Array(EXCHANGES_KEPT).fill(undefined);
  const listeners = new Set<(shown: ShownExchange) => void>();
  let next = 0;
  let count = 0;
  let bytes = 0;
  /** Sessions of which something is forgotten; undefined: there are too many. */
  let cut: Set<string> | undefined = new Set();

  const at = (age: number) => (next - 1 - age + 2 * EXCHANGES_KEPT) % EXCHANGES_KEPT;
  const dropOldest = () => {
    const index = at(count - 1);
    const { weight, session = '' } = ring[index] as PackedExchange;
    bytes -= weight;
    if (cut && cut.add(session).size > MOST_CUT) cut = undefined;
    ring[index] = undefined;
    count--;
  };
  const keep = (packed: PackedExchange) => {
    ring[next] = packed;
    next = (next + 1) % EXCHANGES_KEPT;
    count++;
    bytes += packed.weight;
  };
  const newestFirst = () => Array.from({ length: count }, (_, age) => ring[at(age)] as PackedExchange);
  function* listed({ limit = EXCHANGES_KEPT, outcome, session }: ExchangeFilter, hiding: Redaction) {
    const wanted = newestFirst().filter(
      (packed) =>
        (outcome === undefined || packed.verdict?.outcome === outcome) &&
        (session === undefined || isOf(packed, session)),
    );
    for (const packed of wanted.slice(0, limit)) yield showExchange(unpack(packed), hiding);
  }

  return {
    add(seen) {
      if (count === EXCHANGES_KEPT) dropOldest();
      const packed = pack(seen);
      keep(packed);
      while (bytes > bytesKept) dropOldest();
      if (listeners.size > 0) {
        const shown = showExchangeHead({ ...seen, verdict: packed.verdict }, redaction);
        for (const listener of listeners) listener(shown);
      }
    },
    list: (filter = {}) => listed(filter, redaction),
    [AS_SENT]: (filter = {}) => ({
      exchanges: listed(filter, NO_REDACTION),
      areCut: cut === undefined || (filter.session === undefined ? cut.size > 0 : cut.has(filter.session)),
    }),
    get(id) {
      const packed = newestFirst().find((candidate) => candidate.id === id);
      return packed && showExchange(unpack(packed), redaction);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    reset(session) {
      const others = session === undefined ? [] : newestFirst().filter((packed) => !isOf(packed, session));
      ring.fill(undefined);
      if (session === undefined) cut = new Set();
      else cut?.delete(session);
      next = count = bytes = 0;
      for (const packed of others.reverse()) keep(packed);
    },
  };
}

function isOf({ session = '' }: PackedExchange, name: string): boolean {
  return session === name;
}
