import type { Finding } from '../model/finding.ts';
import { type Report, type Subject, summaryOf } from './report.ts';

/**
 * For programs. Version 1; a member may be added within it, none is taken away or changes its meaning:
 *
 * ```
 * { "version": 1,
 *   "summary": { "files", "judged", "unjudged", "blocked", "errors", "warnings", "omitted" },   numbers
 *   "files": [ {
 *     "file": "recordings/checkout/…/PATCH.json",          "<stdin>" for standard input
 *     "kind": "body" | "recording",
 *     "unjudged": 2,                                       exchanges that no operation concerns
 *     "subjects": [ {
 *       "pointer": "/exchanges/3",                         "" where the whole file is the body
 *       "method": "PATCH", "path": "/…/projects/42",       absent for a body judged by --operation
 *       "operation": "updateProject",                      absent where it could not be told
 *       "outcome": "pass" | "block",
 *       "omitted": 0,                                      findings past the first 100
 *       "findings": [ {
 *         "rule": "schema.required", "severity": "error" | "warn",
 *         "basis": "stated" | "inferred" | "observed" | "protocol",
 *         "pointer": "/languages",                         in the body, "" for the request's own
 *         "message": "…", "hint": "…", "source": "…",      hint and source may be absent
 *         "line": 12, "column": 5                          in the file, from 1, UTF-16; absent where there is no place
 *       } ],
 *       "effects": [ { "kind": "environment-deleted", "id": 2, "name": "Staging" } ]
 *                                                          what it does to its record, as model/effect.ts has them;
 *                                                          absent where nothing, or nothing is known of the record
 *       "effectsOmitted": 20                               effects past the first 100; absent where there are none
 * } ] } ] }
 * ```
 */
export function json(report: Report): string {
  const files = report.files.map(({ file, kind, unjudged, subjects }) => ({
    file,
    kind,
    unjudged,
    subjects: subjects.map(subjectOf),
  }));
  return `${JSON.stringify({ version: 1, summary: summaryOf(report), files }, null, 2)}\n`;
}

function subjectOf(subject: Subject) {
  const { pointer, method, path, operation, outcome, omitted, findings, effects, effectsOmitted } = subject;
  return {
    ...{ pointer, method, path, operation, outcome, omitted },
    findings: findings.map(findingOf),
    ...{ effects, effectsOmitted },
  };
}

/** The members in their order, and no others. */
export function findingOf(finding: Finding) {
  const { rule, severity, basis, pointer, message, hint, source, line, column } = finding;
  return { rule, severity, basis, pointer, message, hint, source, line, column };
}
