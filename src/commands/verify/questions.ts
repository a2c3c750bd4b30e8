import type { Exchange } from '../../model/exchange.ts';
import type { MatchRules } from '../../recordings/matching/match-rules.ts';
import { requestKey } from '../../recordings/matching/request-key.ts';
import type { RecordingStore } from '../../recordings/store/recording-store.ts';
import { inOrder } from '../recordings/in-order.ts';
import type { Choose } from '../recordings/selection.ts';

/** An exchange with its place in its file, from 0. */
export interface Kept {
  index: number;
  exchange: Exchange;
}

/** What is to be asked again, once, and what was answered: never none, oldest first. */
export type Question = readonly [Kept, ...Kept[]];

/** Exchanges of one request that are looked at; the last ones. */
const MOST_ALIKE = 200;

/**
 * The requests of a recording, in the order in which they were recorded.
 *
 * @param isEach whether each is asked as often as it was recorded, in its place. Else requests that matching takes for one are
 *   one question: where nothing changes the service, it has one answer
 * @throws PatchgateError `bad-recording`, `cannot-read`
 */
export function questionsOf(
  store: RecordingStore,
  choose: Choose,
  rules: MatchRules,
  isEach: boolean,
): Question[] {
  const all: Kept[] = inOrder(store, choose);
  if (isEach) return all.map((kept) => [kept]);
  const byKey = new Map<string, [Kept, ...Kept[]]>();
  for (const kept of all) {
    const key = requestKey(kept.exchange.request, rules);
    if (!byKey.get(key)?.push(kept)) byKey.set(key, [kept]);
  }
  return [...byKey.values()].map((alike) => alike.slice(-MOST_ALIKE) as [Kept, ...Kept[]]);
}
