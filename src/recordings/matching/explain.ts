import type { Exchange } from '../../model/exchange.ts';
import type { RecordingStore } from '../store.ts';
import { explainDifference } from './explain-difference.ts';
import { explainPath } from './explain-path.ts';
import type { Miss } from './miss.ts';
import type { SentRequest } from './sent-request.ts';

/**
 * Explains a miss by what comes nearest to it in the recording, with a bounded amount of work.
 *
 * @param recorded what is recorded for the request's method and path, none of which matches
 * @throws PatchgateError where the recording cannot be read
 */
export async function explainMiss(
  store: RecordingStore,
  recorded: readonly Exchange[],
  sent: SentRequest,
): Promise<Miss> {
  return recorded.length > 0 ? explainDifference(store.name, recorded, sent) : await explainPath(store, sent);
}
