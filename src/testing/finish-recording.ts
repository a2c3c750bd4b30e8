import { join } from 'node:path';
import { openRecording, rulesOf } from '../app/open-recording.ts';
import { PatchgateError } from '../errors.ts';
import { hasJournal } from '../recordings/store/open-store.ts';
import type { Config } from '../settings/config.ts';

/**
 * What a run has recorded that was ended before it closed its gate is in a journal, which git does not see: it is moved into the
 * files before it is replayed here, so that nobody takes it for recorded whose commit is without it.
 *
 * @param notice is told where there was any
 */
export async function finishRecording(config: Config, notice: (text: string) => void): Promise<void> {
  if (!hasJournal(join(config.recordings, config.recording))) return;
  try {
    const store = await openRecording(config, rulesOf(config), notice, { writable: true });
    await store.close();
  } catch (error) {
    // Somebody is still at it, or this process may not write here: it is replayed from where it is.
    if (!(error instanceof PatchgateError) || !LEFT_TO_OTHERS.includes(error.code)) throw error;
  }
}

const LEFT_TO_OTHERS: readonly string[] = ['recording-in-use', 'cannot-write'];
