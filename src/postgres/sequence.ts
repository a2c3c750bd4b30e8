import { hash } from 'node:crypto';
import type { RecordedRequest } from '../model/exchange.ts';
import type { MatchRules } from '../recordings/matching/match-rules.ts';
import { sequenceKey } from '../recordings/matching/request-form.ts';

/**
 * What stands for a request and its session in `patchgate_exchange.sequence`: the same in all gates with the same rules.
 *
 * @throws PatchgateError `bad-config` where the config's own function fails
 */
export function sequenceOf(one: { request: RecordedRequest; session: string }, rules: MatchRules): Buffer {
  return hash('sha256', sequenceKey(one, rules), 'buffer');
}
