import type { Exchange } from '../../model/exchange.ts';
import type { KeptExchanges } from '../../recordings/kept-exchanges.ts';
import { matchRequest } from '../../recordings/matching/match.ts';
import type { SentRequest } from '../../recordings/matching/sent-request.ts';

/** What was recorded for a request: a sequence, oldest first. */
export interface Found {
  /** The same for every request that matching takes for this one. */
  key: string;
  /** Never 0. */
  length: number;
  at(place: number): Exchange;
  /** The position in its file of the exchange at a place of the sequence. */
  indexOf(place: number): number;
}

/** @param recorded what is recorded for the request's method and path */
export function lookUp(recorded: KeptExchanges, sent: SentRequest): Found | undefined {
  const indexes = matchRequest(recorded, sent);
  if (indexes.length === 0) return undefined;
  const { method, path } = sent.request;
  const indexOf = (place: number) => indexes[place] as number;
  return {
    key: `${method} ${path} ${indexes[0]}`,
    length: indexes.length,
    at: (place) => recorded.at(indexOf(place)),
    indexOf,
  };
}
