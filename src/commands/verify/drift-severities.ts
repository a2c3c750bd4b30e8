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

/** The findings of one answer, and how many more there are. */
export interface DriftFindings {
  found: readonly DriftFinding[];
  omitted: number;
}

/**
 * Says the findings of an answer, by the severities that hold for its file, an absolute name, and path; errors first where there
 * are very many.
 */
export function findingDrift({
  rules,
  overrides,
}: DriftSeverities): (drifts: Drifts, file: string, path: string) => DriftFindings {
  const bound = overrides.map(({ ofFile, paths, rules }) => ({ ofFile, ofPath: ofPaths(paths), rules }));
  return (drifts, file, path) =>
    findingsOf(
      drifts,
      rules,
      bound.filter(({ ofFile, ofPath }) => (ofFile?.(file) ?? true) && ofPath(path)),
    );
}

/** @param holding severities that hold for the answer; of several, the later ones count */
function findingsOf(
  drifts: Drifts,
  rules: DriftSeverities['rules'],
  holding: readonly Pick<SeverityOverride, 'rules'>[],
): DriftFindings {
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
function ofPaths(paths: SeverityOverride['paths']): (path: string) => boolean {
  if (!paths) return () => true;
  const fits = paths.globs.map((glob) => paths.compile(glob));
  return (path) => {
    const starts = [...path.matchAll(/\//g)].map(({ index }) => path.slice(index));
    return starts.some((rest) => fits.some((isFit) => isFit(rest)));
  };
}
