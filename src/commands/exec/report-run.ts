import type { Patchgate } from '../../patchgate.ts';
import { hintWith } from '../../recordings/matching/miss.ts';
import { borrowedText } from '../../reporters/borrowed-text.ts';
import { neverHappenedText } from '../../reporters/faults-text.ts';
import { missesText } from '../../reporters/misses-text.ts';
import { reportUnserved } from '../report-unserved.ts';
import { BY_FLAGS, refusedTexts } from './refused-text.ts';
import type { Ended } from './run-command.ts';
import { URL_VARIABLE } from './variables.ts';

/** Exchanges that are listed as never served where that is no failure. */
const MOST_UNSERVED = 10;

/** What of a run is reported, and how. */
export interface Reporting {
  /** Name of the recording. */
  recording: string;
  isRecording: boolean;
  failUnused: boolean;
  /** Takes a text of one or more lines. */
  say(text: string): void;
}

/**
 * Says which requests of a command had no answer in the recording, and what it never asked for.
 *
 * @returns whether that is a failure, whatever the command says
 * @throws PatchgateError where the recording cannot be read
 */
export async function reportRun(
  gate: Patchgate,
  { code, isKilled }: Ended,
  { recording, isRecording, failUnused, say }: Reporting,
): Promise<boolean> {
  const { count, misses, isOrdered } = gate.misses();
  const again = 'the same command with --record new_episodes --target URL';
  const text = missesText(
    count,
    misses.map((miss) => ({ ...miss, hint: hintWith(miss.hint, recording, again) })),
    isOrdered,
  );
  if (text) say(text);
  const borrowed = borrowedText(
    gate.borrowed(),
    'the same command with --record all --target URL, and that test alone',
  );
  if (borrowed) say(borrowed);
  const isFailed = code !== 0;
  // A command may well live with a target that fails, but of it there is no answer in what was recorded.
  if (isFailed || isRecording) for (const refused of refusedTexts(gate, BY_FLAGS, !isFailed)) say(refused);
  // Who was interrupted has not asked for all.
  if (isKilled) return count > 0;
  for (const idle of gate.faults.neverHappened()) say(neverHappenedText(idle));
  const unserved = await gate.unserved();
  const [any] = gate.exchanges({ limit: 1 });
  const isSilent = any === undefined && count === 0 && unserved?.count === unserved?.total;
  if (isSilent)
    say(
      `the command sent no request: its base URL must come from ${URL_VARIABLE}, or from a variable that --env sets`,
    );
  if (!unserved?.total || (!failUnused && (isSilent || unserved.isCut))) return count > 0;
  const isLeft = reportUnserved(unserved, say, failUnused ? undefined : MOST_UNSERVED);
  return count > 0 || (failUnused && isLeft);
}
