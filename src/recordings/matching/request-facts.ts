import type { RecordedRequest } from '../../model/exchange.ts';
import type { RequestFacts } from '../kept-exchanges.ts';
import { formOf } from './form-of.ts';
import type { MatchRules } from './match-rules.ts';
import { hasPlaceholder, keyOf } from './request-key.ts';

/** @throws PatchgateError `bad-config` where the config's own function fails */
export function requestFacts(request: RecordedRequest, rules: MatchRules): RequestFacts {
  const form = formOf(request, rules);
  return { key: keyOf(form, rules), isOpen: hasPlaceholder(form, rules) };
}
