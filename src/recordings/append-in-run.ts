import type { FirstSights } from './first-sights.ts';
import type { PlainExchange } from './plain-exchange.ts';
import type { RecordingStore } from './store.ts';

/**
 * Hands an exchange of a run to a store.
 *
 * @param sights of the run so far
 * @param replace mode `all`: the first answer to a request drops what earlier runs recorded for it in its session
 */
export function appendInRun(
  store: RecordingStore,
  exchange: PlainExchange,
  sights: FirstSights,
  replace: boolean,
): void {
  if (exchange.failure) store.append(exchange, false, sights.addFailure(exchange));
  else {
    const isFirst = replace && sights.add(exchange);
    store.append(exchange, isFirst, isFirst ? sights.failuresOf(exchange) : 0);
  }
}
