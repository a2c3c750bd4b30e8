import { fingerprintsOf } from './fingerprint.ts';
import { jsonPieces } from './json.ts';
import { findingsOf, type Report, type ReporterOptions, repositoryPath } from './report.ts';
import { sanitize } from './wording.ts';

/**
 * For GitLab's merge requests: Code Quality, `[{ "description", "check_name", "fingerprint", "severity", "location" }]`
 * (https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format). What does not count is left out.
 */
export function* gitlab(report: Report, options: Pick<ReporterOptions, 'cwd' | 'root'>): Generator<string> {
  const fingerprints = fingerprintsOf(report);
  yield* jsonPieces(
    (list) => list,
    findingsOf(report),
    ({ file, subject, finding }) => {
      const { rule, severity, message, hint, line = subject.line ?? 1 } = finding;
      return {
        description: sanitize(hint === undefined ? message : `${message}; ${hint}`),
        check_name: rule,
        fingerprint: fingerprints.get(finding),
        severity: severity === 'error' ? 'major' : 'minor',
        // A line is demanded, and so is a path.
        location: { path: repositoryPath(file, options) ?? 'stdin', lines: { begin: line } },
      };
    },
  );
}
