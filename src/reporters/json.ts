import type { Finding } from '../model/finding.ts';
import { type CheckedFile, type Report, summaryOf } from './report.ts';

/** For programs: version 1, as docs/reference/formats.md has it. A member may be added within it, none goes or changes its meaning. */
export function json(report: Report): string {
  const { files, remarks = [] } = report;
  return jsonText({
    version: 1,
    summary: summaryOf(report),
    ...(remarks.length > 0 && { remarks }),
    files: files.map(fileOf),
  });
}

function fileOf({ file, kind, unjudged, skipped = [], subjects }: CheckedFile) {
  return {
    ...{ file, kind, unjudged },
    ...(skipped.length > 0 && { skipped }),
    // Members that are undefined are not written.
    subjects: subjects.map((subject) => {
      const { pointer, line, method, path, operation, outcome, omitted } = subject;
      const { findings, effects, effectsOmitted } = subject;
      return {
        ...{ pointer, line, method, path, operation, outcome, omitted },
        findings: findings.map(findingOf),
        ...{ effects, effectsOmitted },
      };
    }),
  };
}

/** The members in their order, and no others. */
export function findingOf(finding: Finding) {
  const { rule, severity, basis, pointer, message, hint, source, line, column } = finding;
  return { rule, severity, basis, pointer, message, hint, source, line, column };
}

/** Half of a surrogate pair, as a JSON text has it: escaped. */
const HALF = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/** Strict readers refuse a text with half of a surrogate pair. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2).replace(HALF, '$1\ufffd')}\n`;
}
