import type { Patchgate } from '../../app/patchgate.ts';
import { losesEnvironment } from '../../model/effect.ts';
import type { Verdict } from '../../model/finding.ts';
import { REDACTED } from '../../recordings/redaction/redacted.ts';
import { printable } from '../../reporters/wording.ts';
import type { ShownExchange } from '../../server/show-exchange.ts';

/** Requests that are listed. */
const MOST = 5;
/** A miss, of which is told elsewhere. */
const NO_RECORDING = 501;

/** Names that are written out to be allowed, and characters of each. */
const MOST_NAMES = 10;
const MOST_CHARACTERS = 100;

/** How whoever ran it lets go what a request deletes. */
export interface WayOut {
  again: string;
  /** What stands before the names, in quotes. */
  allowDelete: string;
  noGuard: string;
}

export const BY_FLAGS: WayOut = {
  again: 'the same command with',
  allowDelete: '--allow-delete ',
  noGuard: '--no-guard',
};

/**
 * The requests that were blocked, or came to grief on their way, oldest first: what was answered, and why. Alike ones are
 * one. Where there are many: those whose PATCH deletes, then the last ones.
 *
 * @param withFailures those that came to grief, too
 */
export function refusedTexts(
  gate: Pick<Patchgate, 'exchanges' | 'counts'>,
  wayOut: WayOut,
  withFailures: boolean,
): string[] {
  // Those that the list of exchanges does not hold any more.
  let others = gate.counts().blocked;
  const refused = new Map<string, { text: string; letGo: string; count: number }>();
  for (const one of gate.exchanges()) {
    const { answeredBy, response, verdict, failure } = one;
    // A fault that was asked for is neither.
    const isBlocked = verdict?.outcome === 'block';
    if (isBlocked) others--;
    const isRefused = answeredBy === 'gate' && (isBlocked || (withFailures && failure !== undefined));
    if (!isRefused || response === undefined || response.status === NO_RECORDING) continue;
    const text = refusedText(one);
    const letGo = verdict?.problem === 'destructive-change' ? `\n  ${letGoText(verdict, wayOut)}` : '';
    const known = refused.get(text + letGo);
    if (known) known.count++;
    else refused.set(text + letGo, { text, letGo, count: 1 });
  }
  const all = [...refused.values()];
  // Whoever tests what is refused expects the others.
  const listed = new Set(all.toSorted((a, b) => Number(!a.letGo) - Number(!b.letGo)).slice(0, MOST));
  const texts = all
    .filter((one) => listed.has(one))
    .map(({ text, letGo, count }) => `${text}${count > 1 ? ` (${count} times)` : ''}${letGo}`);
  others += all.filter((one) => !listed.has(one)).reduce((sum, { count }) => sum + count, 0);
  const rest =
    others > 0 ? [`${others} further ${others === 1 ? 'request was' : 'requests were'} refused`] : [];
  return [...texts.reverse(), ...rest];
}

function refusedText({ request, response, verdict, failure }: ShownExchange): string {
  const [first] = verdict?.findings.filter(({ severity }) => severity === 'error') ?? [];
  const why = failure ?? (first ? `${first.rule}: ${first.message}` : '');
  return `the gate answered ${request.method} ${request.url} with ${response?.status}: ${why}`;
}

function letGoText(
  { effects = [], effectsOmitted = 0 }: Verdict,
  { again, allowDelete, noGuard }: WayOut,
): string {
  const names = [...new Set(effects.filter(losesEnvironment).map(({ name }) => name))];
  const canBeNamed =
    effectsOmitted === 0 &&
    names.length > 0 &&
    names.length <= MOST_NAMES &&
    names.every((name) => name !== '' && name.length <= MOST_CHARACTERS && !name.includes(REDACTED));
  const some = canBeNamed ? `${allowDelete}'${names.map(patternOf).join(',')}', or with ` : '';
  return `where it is meant to go: ${again} ${some}${noGuard}`;
}

/** A name as the flag takes it between quotes: `?` stands for what the shell, a list or a terminal would take for its own. */
function patternOf(name: string): string {
  return printable(name.replace(/[,'\t]|^\s|\s$/g, '?')).replaceAll('\ufffd', '?');
}
