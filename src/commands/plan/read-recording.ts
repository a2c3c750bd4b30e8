import type { Gate } from '../../gate/gate.ts';
import { recordedLesson } from '../../guard/recorded-history.ts';
import { findRecording } from '../../recordings/find-recording.ts';
import { openStore } from '../../recordings/store/open-store.ts';
import type { KnownState } from '../../state/known-state.ts';
import { inOrder } from '../recordings/in-order.ts';

/**
 * Teaches what the exchanges of a recording say of projects, in the order of recording.
 *
 * @param folder that of all recordings
 * @throws PatchgateError `bad-usage` where there is no such recording, `bad-recording`, `cannot-read`
 */
export async function readRecording(
  folder: string,
  recording: string,
  gate: Gate,
  state: KnownState,
): Promise<void> {
  await findRecording(folder, recording);
  const store = await openStore(folder, recording);
  try {
    for (const { exchange } of inOrder(store, () => true))
      recordedLesson(gate, ['project'], exchange)?.teach(state);
  } finally {
    await store.close();
  }
}
