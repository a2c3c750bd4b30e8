import type { CheckedFile, PlacedFinding, Report, Subject } from '../../src/reporters/report.ts';

export function finding(parts: Partial<PlacedFinding> = {}): PlacedFinding {
  return {
    rule: 'schema.type',
    severity: 'error',
    basis: 'stated',
    pointer: '/name',
    message: 'name must be a string',
    source: 'service-api 2.1',
    ...parts,
  };
}

/** A request of a file that holds several; blocked where it has an error. */
export function subject(findings: readonly PlacedFinding[], parts: Partial<Subject> = {}): Subject {
  const isBlocked = findings.some(({ severity }) => severity === 'error');
  return {
    ...{ pointer: '/exchanges/0', line: 3, method: 'PATCH', path: '/accounts/current/projects/42' },
    ...{ operation: 'updateProject', outcome: isBlocked ? 'block' : 'pass', omitted: 0 },
    findings,
    ...parts,
  };
}

export function checkedFile(subjects: readonly Subject[], parts: Partial<CheckedFile> = {}): CheckedFile {
  return { file: 'recordings/PATCH.json', kind: 'recording', unjudged: 0, subjects, ...parts };
}

/** One of each that a report can have beside findings. */
export const REMARKS_REPORT: Report = {
  files: [
    checkedFile(
      [subject([finding({ rule: 'x.warns', severity: 'warn', message: 'new', line: 6, column: 1 })])],
      {
        kind: 'har',
        unjudged: 2,
        skipped: [
          {
            pointer: '/log/entries/7',
            line: 90,
            method: 'PATCH',
            path: '/accounts/current/drafts/1',
            why: "the request's body is not in the file",
          },
        ],
      },
    ),
  ],
  remarks: [
    { severity: 'warn', message: 'nothing was judged', hint: 'check the paths' },
    { severity: 'note', message: 'wrote 1 file' },
  ],
};
