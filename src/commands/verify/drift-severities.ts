import type { Finding, SeveritySetting } from '../../model/finding.ts';
import type { SeverityOverride } from '../../model/severity-override.ts';
import { DRIFT_RULES, type DriftRule } from '../../recordings/drift/drift-rules.ts';
import type { Drift, Drifts } from '../../recordings/drift/drifts.ts';

/** As `Config` has them. */
export interface DriftSeverities {
  rules: Readonly<Record<string, SeveritySetting>>;
  overrides: readonly SeverityOverride[];
}

/** Findings of one answer that are reported at most, as of a verdict of the gate. */
const MOST = 100;

/** A difference that counts, and what is said of it. */
export interface DriftFinding {
  drift: Drift;
  finding: Finding;
}

/**
 * The findings of an answer, by the severities that hold for its file and path; errors first where there are very many.
 *
 * @param file absolute
 */
export function driftFindings(
  drifts: Drifts,
  { rules, overrides }: DriftSeverities,
  file: string,
  path: string,
): { found: readonly DriftFinding[]; omitted: number } {
  const holding = overrides.filter((one) => (one.ofFile?.(file) ?? true) && isOfPath(one, path));
  const severityOf = (name: DriftRule): SeveritySetting => {
    const own = DRIFT_RULES.find((rule) => rule.name === name)?.severity as SeveritySetting;
    return holding.findLast((one) => one.rules[name])?.rules[name] ?? rules[name] ?? own;
  };
  const { drifts: told, omitted } = drifts.all();
  const found = told.flatMap((drift): DriftFinding | [] => {
    const severity = severityOf(drift.rule);
    const { rule, pointer, message } = drift;
    return severity === 'off'
      ? []
      : { drift, finding: { rule, severity, basis: 'recorded', pointer, message } };
  });
  const errors = found.filter(({ finding }) => finding.severity === 'error');
  const kept = found.length <= MOST ? found : [...new Set([...errors, ...found])].slice(0, MOST);
  return { found: kept, omitted: omitted + found.length - kept.length };
}

/** As for the gate, what stands before the operations' templates counts for nothing: a glob may begin at any part of a path. */
function isOfPath({ paths }: SeverityOverride, path: string): boolean {
  if (!paths) return true;
  const starts = [...path.matchAll(/\//g)].map(({ index }) => path.slice(index));
  return paths.globs.some((glob) => {
    const fits = paths.compile(glob);
    return starts.some((rest) => fits(rest));
  });
}
