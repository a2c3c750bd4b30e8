import { fingerprintsOf } from './fingerprint.ts';
import { jsonPieces } from './json-pieces.ts';
import type { PlacedFinding, Report } from './report.ts';
import type { ReporterOptions } from './reporter.ts';
import { repositoryPath } from './repository-path.ts';
import { printable } from './wording.ts';

const SEVERITIES: Readonly<Record<PlacedFinding['severity'], string>> = { error: 'major', warn: 'minor' };

/**
 * For GitLab's merge requests: Code Quality, `[{ "description", "check_name", "fingerprint", "severity", "location" }]`
 * (https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format). What does not count is left out.
 */
export function* gitlab(report: Report, options: Pick<ReporterOptions, 'cwd' | 'root'>): Generator<string> {
  yield* jsonPieces((list) => list, issuesOf(report, options));
}

function* issuesOf(report: Report, options: Pick<ReporterOptions, 'cwd' | 'root'>) {
  const fingerprints = fingerprintsOf(report);
  for (const { file, subjects } of report.files) {
    // A line is demanded, and so is a path.
    const path = repositoryPath(file, options) ?? 'stdin';
    for (const { line: start = 1, findings } of subjects) {
      for (const finding of findings) {
        const { rule, severity, message, hint, line, excuse } = finding;
        if (excuse) continue;
        yield {
          description: printable(hint === undefined ? message : `${message}; ${hint}`),
          check_name: rule,
          fingerprint: fingerprints.get(finding),
          severity: SEVERITIES[severity],
          location: { path, lines: { begin: line ?? start } },
        };
      }
    }
  }
}
