import { type PlacedFinding, type Report, summaryOf } from './report.ts';

/** For programs: version 1. A member may be added within it, none goes or changes its meaning. */
export function json(report: Report): string {
  const files = report.files.map(({ taken, subjects, ...file }) => ({
    ...file,
    subjects: subjects.map((subject) => ({ ...subject, findings: subject.findings.map(findingOf) })),
  }));
  const remarks = report.remarks?.length ? { remarks: report.remarks } : {};
  return jsonText({ version: 1, summary: summaryOf(report), ...remarks, files });
}

/** The line around a place is for people. */
export function findingOf({ excerpt, ...finding }: PlacedFinding) {
  return finding;
}

/** Half of a surrogate pair, as a JSON text has it: escaped. */
const HALF = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/** Strict readers refuse a text with half of a surrogate pair. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2).replace(HALF, '$1\ufffd')}\n`;
}
