import type { KeptExchanges } from '../kept-exchanges.ts';
import { matches } from './matches.ts';
import { keyOf } from './request-key.ts';
import type { SentRequest } from './sent-request.ts';

/** So few are compared one by one, which costs less than to make their keys. */
const FEW = 4;

/**
 * Which of the exchanges recorded for this method and path the request is: the same query (in any order) and the same
 * body (JSON: by value, else by its bytes), the recording's `[redacted]` standing for any value; more or less of it, as
 * the rules say.
 *
 * @returns their positions, oldest first. The first of them is the same for every request that is taken for this one
 * @throws PatchgateError `bad-config` where the config's own function fails
 */
export function matchRequest(recorded: KeptExchanges, sent: SentRequest): readonly number[] {
  const isMatch = (index: number) => matches(recorded.at(index).request, sent);
  if (recorded.length <= FEW) return Array.from({ length: recorded.length }, (_, i) => i).filter(isMatch);
  const same = recorded.withKey(keyOf(sent.form, sent.rules));
  const open = recorded.open.filter(isMatch);
  return open.length === 0 ? same : [...open, ...same].sort((a, b) => a - b);
}
