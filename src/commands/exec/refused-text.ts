import type { Patchgate } from '../../app/patchgate.ts';
import { losesEnvironment } from '../../model/effect.ts';
import type { Verdict } from '../../model/finding.ts';

/** Texts that are shown. */
const MOST = 5;

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
 * The requests that were blocked, or failed on their way: what was answered, and why; alike ones are one. Misses are told elsewhere.
 *
 * @param withFailures those that failed, too
 */
export function refusedTexts(
  gate: Pick<Patchgate, 'exchanges'>,
  remediation: Remediation,
  withFailures: boolean,
): string[] {
  const counts = new Map<string, number>();
  for (const { answeredBy, request, response, verdict, failure } of gate.exchanges()) {
    const isRefused = verdict?.outcome === 'block' || (withFailures && failure !== undefined);
    if (answeredBy !== 'gate' || !isRefused || response === undefined || response.status === 501) continue;
    const error = verdict?.findings.find(({ severity }) => severity === 'error');
    const why = failure ?? (error ? `${error.rule}: ${error.message}` : '');
    const remedy = verdict?.problem === 'destructive-change' ? `\n  ${remedyOf(verdict, remediation)}` : '';
    const text = `the gate answered ${request.method} ${request.url} with ${response.status}: ${why}${remedy}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const all = [...counts].map(([text, count]) =>
    count > 1 ? text.replace(/$/m, ` (${count} times)`) : text,
  );
  const more = all.length - MOST;
  return [
    ...all.slice(0, MOST).reverse(),
    ...(more > 0 ? [`${more} further kinds of requests were refused`] : []),
  ];
}

function remedyOf({ effects = [] }: Verdict, { again, allowDelete, noGuard }: Remediation): string {
  const lost = effects.filter(losesEnvironment);
  if (lost.some((effect) => effect.protected))
    return 'the guard policy protects it: nothing deletes it through this gate';
  const names = [...new Set(lost.map(({ name }) => name))];
  const isPlain = names.length > 0 && names.every((name) => /^[\w.-][\w. -]{0,99}$/.test(name));
  const allowed = isPlain ? `${allowDelete}'${names.join(',')}', or with ` : '';
  return `where it is meant to go: ${again} ${allowed}${noGuard}`;
}
