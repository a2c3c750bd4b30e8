import type { Finding } from '../model/finding.ts';
import { fingerprintsOf } from './fingerprint.ts';
import { jsonPieces } from './json-pieces.ts';
import { type CheckedFile, type PlacedFinding, type Report, type Subject, summaryOf } from './report.ts';

/** For programs. Version 1, as commands/check/README.md has it; a member may be added within it, none is taken away or changes its meaning. */
export function* json(report: Report): Generator<string> {
  const fingerprints = fingerprintsOf(report);
  const { remarks = [] } = report;
  yield* jsonPieces(
    (files) => ({
      version: 1,
      summary: summaryOf(report),
      ...(remarks.length > 0 && { remarks }),
      files,
    }),
    filesOf(report, fingerprints),
  );
}

/** One after the other: made only when it is written. */
function* filesOf({ files }: Report, fingerprints: Fingerprints) {
  for (const file of files) yield fileOf(file, fingerprints);
}

type Fingerprints = ReadonlyMap<PlacedFinding, string>;

function fileOf(checked: CheckedFile, fingerprints: Fingerprints) {
  const { file, kind, unjudged, clean, skipped, further, subjects } = checked;
  return {
    ...{ file, kind, unjudged },
    ...(clean && { clean }),
    ...(skipped && skipped.length > 0 && { skipped }),
    ...(further && { further }),
    subjects: subjects.map((subject) => subjectOf(subject, fingerprints)),
  };
}

function subjectOf(subject: Subject, fingerprints: Fingerprints) {
  const { pointer, line, method, path, operation, outcome, before, omitted, omittedExcuse } = subject;
  const { findings, effects, effectsOmitted } = subject;
  return {
    ...{ pointer, line, method, path, operation, outcome },
    before: before && { outcome: before.outcome, gone: before.gone.map((finding) => findingOf(finding)) },
    ...{ omitted, omittedExcuse },
    findings: findings.map((finding) => ({
      ...findingOf(finding),
      excuse: finding.excuse,
      fingerprint: fingerprints.get(finding),
    })),
    ...{ effects, effectsOmitted },
  };
}

/** The members in their order, and no others. */
export function findingOf(finding: Finding) {
  const { rule, severity, basis, pointer, message, hint, source, line, column } = finding;
  return { rule, severity, basis, pointer, message, hint, source, line, column };
}
