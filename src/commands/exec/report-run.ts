import type { Patchgate } from '../../patchgate.ts';
import { recordIt } from '../../recordings/matching/miss.ts';
import { borrowedText } from '../../reporters/borrowed-text.ts';
import { missesText } from '../../reporters/misses-text.ts';
import type { ShownExchange } from '../../server/show-exchange.ts';
import { reportUnserved } from '../report-unserved.ts';
import type { Ended } from './run-command.ts';
import { URL_VARIABLE } from './variables.ts';

/** Exchanges that are listed as never served where that is no failure; requests that the gate answered itself. */
const MOST_UNSERVED = 10;
const MOST_ANSWERED = 5;
/** A miss, of which is told elsewhere. */
const NO_RECORDING = 501;

/** What of a run is reported, and how. */
export interface Reporting {
  /** Name of the recording. */
  recording: string;
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
  { recording, failUnused, say }: Reporting,
): Promise<boolean> {
  const { count, misses } = gate.misses();
  const again = 'the same command with --record new_episodes --target URL';
  const text = missesText(
    count,
    misses.map((miss) => ({ ...miss, hint: miss.hint.replaceAll(recordIt(recording), again) })),
  );
  if (text) say(text);
  const borrowed = borrowedText(
    gate.borrowed(),
    'the same command with --record all --target URL, and that test alone',
  );
  if (borrowed) say(borrowed);
  if (code !== 0) for (const refused of lastRefused(gate)) say(refusedText(refused));
  // Who was interrupted has not asked for all.
  if (isKilled) return count > 0;
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

/** The last requests that were blocked, or came to grief on their way. */
function lastRefused(gate: Patchgate): ShownExchange[] {
  const refused: ShownExchange[] = [];
  for (const one of gate.exchanges()) {
    const { answeredBy, response, verdict, failure } = one;
    // A fault that was asked for is neither.
    const isRefused = answeredBy === 'gate' && (verdict?.outcome === 'block' || failure !== undefined);
    if (!isRefused || response === undefined || response.status === NO_RECORDING) continue;
    if (refused.push(one) === MOST_ANSWERED) break;
  }
  return refused.reverse();
}

function refusedText({ request, response, verdict, failure }: ShownExchange): string {
  const [first] = verdict?.findings.filter(({ severity }) => severity === 'error') ?? [];
  const why = failure ?? (first ? `${first.rule}: ${first.message}` : '');
  return `the gate answered ${request.method} ${request.url} with ${response?.status}: ${why}`;
}
