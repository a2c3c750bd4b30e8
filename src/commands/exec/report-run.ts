import type { Patchgate } from '../../app/patchgate.ts';
import { hintWith } from '../../recordings/matching/explain-path.ts';
import { crossSessionText, missesText, neverHappenedText } from '../../reporters/run-text.ts';
import { amount } from '../../reporters/wording.ts';
import { reportUnserved } from '../report-unserved.ts';
import { BY_FLAGS, refusedTexts } from './refused-text.ts';
import type { Ended } from './run-command.ts';
import { URL_VARIABLE } from './variables.ts';

/** What of a run is reported, and how. */
export interface Reporting {
  /** Name of the recording. */
  recording: string;
  isRecording: boolean;
  failUnused: boolean;
  failOnBlock: boolean;
  /** Whether all that was never served is listed, even where that is no failure. */
  isVerbose: boolean;
  /** Takes a text of one or more lines. */
  say(text: string): void;
}

/**
 * Says which requests of a command had no answer in the recording, which were blocked, and what it never asked for.
 *
 * @returns whether that is a failure, whatever the command says
 * @throws PatchgateError where the recording cannot be read
 */
export async function reportRun(
  gate: Patchgate,
  { code, isKilled }: Ended,
  { recording, isRecording, failUnused, failOnBlock, isVerbose, say }: Reporting,
): Promise<boolean> {
  const { count, misses, isOrdered } = gate.misses();
  const again = 'the same command with --record new_episodes --target URL';
  const text = missesText(
    count,
    misses.map((miss) => ({ ...miss, hint: hintWith(miss.hint, recording, again) })),
    isOrdered,
  );
  if (text) say(text);
  const hits = crossSessionText(
    gate.crossSessionHits(),
    'the same command with --record all --target URL, and that test alone',
  );
  if (hits) say(hits);
  // A command may well live with a target that fails, but of it there is no answer in what was recorded.
  for (const refused of refusedTexts(gate, BY_FLAGS, code !== 0 || isRecording)) say(refused);
  const { requests, blocked } = gate.counts();
  const isFailure = count > 0 || (failOnBlock && blocked > 0);
  // Who was interrupted has not asked for all.
  if (isKilled) return isFailure;
  for (const idle of gate.faults.neverHappened()) say(neverHappenedText(idle));
  if (requests === 0)
    say(
      `the command sent no request: its base URL must come from ${URL_VARIABLE}, or from a variable that --env sets`,
    );
  const unserved = await gate.unserved();
  if (!unserved?.total) return isFailure;
  if (failUnused) return reportUnserved(unserved, say) || isFailure;
  if (requests === 0) return isFailure;
  if (isVerbose || unserved.count === 0) reportUnserved(unserved, say);
  else
    say(
      `${amount(unserved.count, 'exchange')} not served (of ${unserved.total} in "${recording}"; -v lists them)`,
    );
  return isFailure;
}
