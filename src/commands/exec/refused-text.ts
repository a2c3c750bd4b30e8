import type { Patchgate } from '../../app/patchgate.ts';
import { losesEnvironment } from '../../model/effect.ts';
import type { Verdict } from '../../model/finding.ts';
import { REDACTED } from '../../recordings/redact/redacted.ts';
import { sanitize } from '../../reporters/wording.ts';

/** Requests that are listed. */
const MOST = 5;
/** A miss, of which is told elsewhere. */
const NO_RECORDING = 501;

/** Names that are written out to be allowed, and characters of each. */
const MOST_NAMES = 10;
const MOST_CHARACTERS = 100;

/** How the user lets a request delete what it deletes. */
export interface Remediation {
  again: string;
  /** What stands before the names, in quotes. */
  allowDelete: string;
  noGuard: string;
}

export const BY_FLAGS: Remediation = {
  again: 'the same command with',
  allowDelete: '--allow-delete ',
  noGuard: '--no-guard',
};

/**
 * The requests that were blocked, or failed on their way, oldest first: what was answered, and why. Alike ones are
 * one. Where there are many: those whose PATCH deletes, then the last ones.
 *
 * @param withFailures those that failed, too
 */
export function refusedTexts(
  gate: Pick<Patchgate, 'exchanges'> & { counts(): { blocked: number } },
  remediation: Remediation,
  withFailures: boolean,
): string[] {
  // Those that the list of exchanges does not hold any more.
  let others = gate.counts().blocked;
  const refused = new Map<string, { text: string; deletes: boolean; count: number }>();
  for (const { answeredBy, request, response, verdict, failure } of gate.exchanges()) {
    // A fault that was asked for is neither.
    const isBlocked = verdict?.outcome === 'block';
    if (isBlocked) others--;
    const isRefused = answeredBy === 'gate' && (isBlocked || (withFailures && failure !== undefined));
    if (!isRefused || response === undefined || response.status === NO_RECORDING) continue;
    const error = verdict?.findings.find(({ severity }) => severity === 'error');
    const why = failure ?? (error ? `${error.rule}: ${error.message}` : '');
    const text = `the gate answered ${request.method} ${request.url} with ${response.status}: ${why}`;
    const deletes = verdict?.problem === 'destructive-change';
    const remedy = deletes ? `\n  ${remedyText(verdict, remediation)}` : '';
    const one = refused.get(text + remedy) ?? { text, deletes, count: 0 };
    one.count++;
    refused.set(text + remedy, one);
  }
  const all = [...refused].map(([key, { text, deletes, count }]) => ({
    text: count > 1 ? `${text} (${count} times)${key.slice(text.length)}` : key,
    ...{ deletes, count },
  }));
  // A test of what is refused expects the others.
  const listed = new Set(all.toSorted((a, b) => Number(b.deletes) - Number(a.deletes)).slice(0, MOST));
  for (const one of all) if (!listed.has(one)) others += one.count;
  const texts = all.filter((one) => listed.has(one)).map(({ text }) => text);
  const rest =
    others > 0 ? [`${others} further ${others === 1 ? 'request was' : 'requests were'} refused`] : [];
  return [...texts.reverse(), ...rest];
}

function remedyText(
  { effects = [], effectsOmitted = 0 }: Verdict,
  { again, allowDelete, noGuard }: Remediation,
): string {
  const lost = effects.filter(losesEnvironment);
  if (lost.some((effect) => effect.protected))
    return 'the guard policy protects it: nothing deletes it through this gate';
  const names = [...new Set(lost.map(({ name }) => name))];
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
  return sanitize(name.replace(/[,'\t]|^\s|\s$/g, '?')).replaceAll('\ufffd', '?');
}
