import type { Exchange } from '../../model/exchange.ts';
import { HashSet } from '../../recordings/hash-set.ts';
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
  for await (const { exchange, index } of inOrder(store, choose)) {
    if (isEach) {
      yield [{ exchange, index }];
      continue;
    }
    const key = requestKey(exchange.request, rules);
    if (asked.has(key)) continue;
    asked.add(key);
    const { method, path } = exchange.request;
    const kept = await store.look(method, path);
    const alike = kept
      .withKey(key)
      .slice(-MOST_ALIKE)
      .map((at): Kept => ({ index: at, exchange: kept.at(at) }))
      .filter((one) => choose(one.exchange));
    const [first = { exchange, index }, ...others] = alike;
    yield [first, ...others];
  }
}
