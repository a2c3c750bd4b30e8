import { hash } from 'node:crypto';
import type { RecordedRequest } from '../model/exchange.ts';
import { requestKey } from '../recordings/match.ts';
import type { MatchRules } from '../recordings/match-rules.ts';

/**
 * What stands for a request and its session in `patchgate_exchange.sequence`: the same in all gates with the same rules.
 *
 * @throws PatchgateError `bad-config` where the config's own function fails
 */
export function sequenceOf(one: { request: RecordedRequest; session: string }, rules: MatchRules): Buffer {
  return hash('sha256', requestKey(one.request, rules) + one.session, 'buffer');
}
