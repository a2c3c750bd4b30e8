import type { Exchange } from '../../model/exchange.ts';
import type { Unanswerable } from './answerable.ts';

/** Why no exchange of a sequence is the answer. */
export type Refused =
  | {
      reason: Unanswerable;
      /** The one that would have been. */
      exchange: Exchange;
    }
  | {
      reason: 'already-served';
      exchange: Exchange;
      /** How often the request was recorded. */
      recorded: number;
      /** How many of these could be answers, and were; undefined where there are too many to look. */
      served: number | undefined;
    };

/** To look at an exchange may mean to read it from disk. */
const MOST_COUNTED = 1000;

interface Sequence {
  readonly length: number;
  at(place: number): Exchange | undefined;
}

/**
 * The place of the first exchange, from one on, that can be an answer; past the last of them, that one again.
 *
 * @param exchanges a sequence: never none
 * @param next the place of the one that comes next; may lie behind the last
 * @param isStrict nothing is served again
 */
export function choose(
  exchanges: Sequence,
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
    if (whyNot(exchange) !== undefined) continue;
    if (!isStrict) return { place };
    return { reason: 'already-served', exchange, recorded: length, served: answersIn(exchanges, whyNot) };
  }
  const exchange = exchanges.at(length - 1) as Exchange;
  return { reason: whyNot(exchange) as Unanswerable, exchange };
}

function answersIn(
  exchanges: Sequence,
  whyNot: (exchange: Exchange) => Unanswerable | undefined,
): number | undefined {
  if (exchanges.length > MOST_COUNTED) return undefined;
  let answers = 0;
  for (let place = 0; place < exchanges.length; place++) {
    if (whyNot(exchanges.at(place) as Exchange) === undefined) answers++;
  }
  return answers;
}
