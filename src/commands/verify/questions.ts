import type { Exchange } from '../../model/exchange.ts';
import { HashSet } from '../../recordings/hash-set.ts';
import type { KeptExchanges } from '../../recordings/kept-exchanges.ts';
import type { MatchRules } from '../../recordings/matching/match-rules.ts';
import { requestKey } from '../../recordings/matching/request-key.ts';
import type { RecordingStore } from '../../recordings/store.ts';
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
export async function* questionsOf(
  store: RecordingStore,
  choose: Choose,
  rules: MatchRules,
  isEach: boolean,
): AsyncGenerator<Question> {
  const asked = new HashSet();
  // It is enough to find all that are asked alike, answers and all: those of other requests need not be in memory meanwhile.
  const requestOf = ({ request, meta }: Exchange): Exchange => ({ request, meta });
  for await (const { exchange, index } of inOrder(store, choose, isEach ? undefined : requestOf)) {
    if (isEach) {
      yield [{ exchange, index }];
      continue;
    }
    const key = requestKey(exchange.request, rules);
    if (asked.has(key)) continue;
    asked.add(key);
    const { method, path } = exchange.request;
    const kept = await store.look(method, path);
    const places = kept.withKey(key);
    // One with a placeholder is found by no key; and whoever records at the same time may have taken it away.
    const [first, ...others] = lastOf(
      kept,
      places.length > 0 || index >= kept.length ? places : [index],
      choose,
    );
    if (first) yield [first, ...others];
  }
}

/** The last ones that are chosen, oldest first. */
function lastOf(kept: KeptExchanges, places: readonly number[], choose: Choose): Kept[] {
  const last: Kept[] = [];
  for (const index of places.toReversed()) {
    const exchange = kept.at(index);
    if (choose(exchange)) last.push({ index, exchange });
    if (last.length === MOST_ALIKE) break;
  }
  return last.reverse();
}
