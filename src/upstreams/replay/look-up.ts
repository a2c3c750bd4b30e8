import type { Exchange } from '../../model/exchange.ts';
import type { KeptExchanges } from '../../recordings/kept-exchanges.ts';
import { matchRequest } from '../../recordings/matching/match.ts';
import { ofSession } from '../../recordings/matching/of-session.ts';
import type { SentRequest } from '../../recordings/matching/sent-request.ts';

/** What was recorded for a request, as its session is given it: a sequence, oldest first. */
export interface Found {
  /** The same for every request of the session that matching takes for this one. */
  key: string;
  /** It is all that was recorded for the request, in whatever session. */
  isAll: boolean;
  /** It was recorded in sessions of other names, and the request's has none. */
  isOfOthers(): boolean;
  /** Name of the session in which what is recorded further for the request belongs. */
  sessionToRecord(): string;
  /** Never 0. */
  length: number;
  at(place: number): Exchange;
  /** The position in its file of the exchange at a place of the sequence. */
  indexOf(place: number): number;
}

/**
 * @param recorded what is recorded for the request's method and path
 * @param session name of the request's session
 */
export function lookUp(recorded: KeptExchanges, sent: SentRequest, session: string): Found | undefined {
  const all = matchRequest(recorded, sent);
  if (all.length === 0) return undefined;
  const indexes = ofSession(recorded, all, session);
  const { method, path } = sent.request;
  const indexOf = (place: number) => indexes[place] as number;
  const owner = () => recorded.sessionOf(indexOf(0));
  return {
    // Of all: what is recorded on the way may leave the session others of them.
    key: `${method} ${path} ${all[0]}`,
    length: indexes.length,
    isAll: indexes.length === all.length,
    // Who was given what was recorded in the default session is to be given what comes behind it, too.
    sessionToRecord: () => (owner() === '' ? '' : session),
    isOfOthers: () => owner() !== '' && owner() !== session,
    at: (place) => recorded.at(indexOf(place)),
    indexOf,
  };
}
