import type { ExchangesOfPath } from '../store/recording-store.ts';
import type { StoredExchange } from '../store/stored-exchange.ts';
import { matches } from './matches.ts';
import { keyOf } from './request-key.ts';
import type { SentRequest } from './sent-request.ts';

/**
 * Which of the exchanges recorded for this method and path the request is: the same query (in any order) and the same
 * body (JSON: by value, else by its bytes), the recording's `[redacted]` standing for any value; more or less of it, as
 * the rules say.
 *
 * @returns oldest first. The first of them is the same for every request that is taken for this one. Unless one has a
 *  placeholder, it is the same list as long as exchanges are only added
 * @throws PatchgateError `bad-config` where the config's own function fails
 */
export function matchRequest(recorded: ExchangesOfPath, sent: SentRequest): readonly StoredExchange[] {
  const same = recorded.withKey(keyOf(sent.form, sent.rules));
  const open = recorded.open.filter(({ request }) => matches(request, sent));
  if (open.length === 0) return same;
  const matched = new Set([...open, ...same]);
  return same.length === 0 ? open : recorded.all.filter((one) => matched.has(one));
}
