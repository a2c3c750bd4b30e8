import { fingerprintsOf } from './fingerprint.ts';
import { jsonPieces } from './json.ts';
import { type Report, type ReporterOptions, repositoryPath } from './report.ts';
import { printable } from './wording.ts';

/**
 * For GitLab's merge requests: Code Quality, `[{ "description", "check_name", "fingerprint", "severity", "location" }]`
 * (https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format). What does not count is left out.
 */
export function* gitlab(report: Report, options: Pick<ReporterOptions, 'cwd' | 'root'>): Generator<string> {
  const fingerprints = fingerprintsOf(report);
  const found = report.files.flatMap(({ file, subjects }) => {
    // A line is demanded, and so is a path.
    const path = repositoryPath(file, options) ?? 'stdin';
    return subjects.flatMap(({ line: start = 1, findings }) =>
      findings.filter(({ excuse }) => !excuse).map((finding) => ({ path, start, finding })),
    );
  });
  yield* jsonPieces(
    (list) => list,
    found,
    ({ path, start, finding }) => {
      const { rule, severity, message, hint, line = start } = finding;
      return {
        description: printable(hint === undefined ? message : `${message}; ${hint}`),
        check_name: rule,
        fingerprint: fingerprints.get(finding),
        severity: severity === 'error' ? 'major' : 'minor',
        location: { path, lines: { begin: line } },
      };
    },
  );
}
