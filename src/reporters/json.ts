import type { Finding } from '../model/finding.ts';
import { fingerprintsOf } from './fingerprint.ts';
import { jsonPieces } from './json-pieces.ts';
import { type CheckedFile, type PlacedFinding, type Report, type Subject, summaryOf } from './report.ts';

/**
 * For programs. Version 1; a member may be added within it, none is taken away or changes its meaning:
 *
 * ```
 * { "version": 1,
 *   "summary": { "files", "judged", "unjudged", "skipped", "blocked",              numbers; "errors" and "warnings" are
 *                "errors", "warnings", "known", "suppressed", "unchanged",         the findings that count, the three behind
 *                "omitted", "breaks", "allows" },                                  them those with an excuse; "breaks" and
 *                                                                                  "allows" with --against-contract alone
 *   "remarks": [ { "severity": "error" | "warn" | "note", "message": "…", "hint": "…" } ],
 *                                                          of suppressions and baseline; absent where there are none
 *   "files": [ {
 *     "file": "recordings/checkout/…/PATCH.json",          "<stdin>" for standard input
 *     "kind": "body" | "recording" | "requests" | "har",   "requests": JSON Lines
 *     "unjudged": 2,                                       exchanges that no operation concerns
 *     "clean": 9000,                                       further requests that pass without findings and effects, and
 *                                                          are not among the subjects; absent where there are none
 *     "skipped": [ {                                       requests that could not be judged; absent where there are none
 *       "pointer": "/log/entries/3", "line": 12, "method": "PATCH", "path": "/…", "why": "…"
 *     } ],
 *     "further": {                                         requests that are only counted, since there is very much to say;
 *       "judged", "blocked", "skipped", "omitted",         absent where there are none
 *       "breaks", "allows",
 *       "findings": [ { "rule": "…", "severity": "…", "excuse": { … }, "count": 400000 } ]
 *     },
 *     "subjects": [ {
 *       "pointer": "/exchanges/3",                         "" where the whole file is the body
 *       "line": 40,                                        where the request begins; absent where the whole file is the body
 *       "method": "PATCH", "path": "/…/projects/42",       absent for a body judged by --operation
 *       "operation": "updateProject",                      absent where it could not be told
 *       "outcome": "pass" | "block",
 *       "before": {                                        with --against-contract: what the contract before said
 *         "outcome": "pass" | "block" | "unjudged",
 *         "gone": [ … ]                                    its findings that there are no more, as below
 *       },
 *       "omitted": 0,                                      findings past the first 100
 *       "omittedExcuse": { … },                            why those do not count, as "excuse"; absent where they do
 *       "findings": [ {
 *         "rule": "schema.required", "severity": "error" | "warn",
 *         "basis": "stated" | "inferred" | "observed" | "protocol",
 *         "pointer": "/languages",                         in the body, "" for the request's own
 *         "message": "…", "hint": "…", "source": "…",      hint and source may be absent
 *         "line": 12, "column": 5,                         in the file, from 1, UTF-16; absent where there is no place
 *         "excuse":                                        why it does not count; absent where it does
 *           { "by": "baseline" } | { "by": "old-contract" } |
 *           { "by": "suppression", "reason": "…", "expires": "2026-12-31" },
 *         "fingerprint": "0f…"                             what it is known by from run to run: 32 hexadecimal digits;
 *                                                          not of those that are gone
 *       } ],
 *       "effects": [ { "kind": "environment-deleted", "id": 2, "name": "Staging" } ]
 *                                                          what it does to its record, as model/effect.ts has them;
 *                                                          absent where nothing, or nothing is known of the record
 *       "effectsOmitted": 20                               effects past the first 100; absent where there are none
 * } ] } ] }
 * ```
 */
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
