import type { Exchange } from '../../model/exchange.ts';
import type { Unanswerable } from './answerable.ts';

/** Why no exchange of a sequence is the answer. */
export interface Refused {
  reason: Unanswerable | 'already-served';
  /** The one that would have been. */
  exchange: Exchange;
}

/**
 * The place of the first exchange, from one on, that can be an answer; past the last of them, that one again.
 *
 * @param exchanges a sequence: never none
 * @param next the place of the one that comes next; may lie behind the last
 * @param isStrict nothing is served again
 */
export function choose(
  exchanges: { readonly length: number; at(place: number): Exchange | undefined },
  next: number,
  isStrict: boolean,
  whyNot: (exchange: Exchange) => Unanswerable | undefined,
): { place: number } | Refused {
  const { length } = exchanges;
  for (let place = next; place < length; place++) {
    if (whyNot(exchanges.at(place) as Exchange) === undefined) return { place };
  }
  for (let place = Math.min(next, length) - 1; place >= 0; place--) {
    const exchange = exchanges.at(place) as Exchange;
    if (whyNot(exchange) === undefined) return isStrict ? { reason: 'already-served', exchange } : { place };
  }
  const exchange = exchanges.at(length - 1) as Exchange;
  return { reason: whyNot(exchange) as Unanswerable, exchange };
}
