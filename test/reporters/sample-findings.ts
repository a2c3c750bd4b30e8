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

/** One of each that a report can have beside findings that count. */
export const SUPPRESSED_REPORT: Report = {
  files: [
    checkedFile(
      [
        subject([
          finding({ message: 'known', line: 5, column: 9, excuse: { by: 'baseline' } }),
          finding({
            message: 'suppressed',
            excuse: { by: 'suppression', reason: 'until the migration', expires: '2026-12-31' },
          }),
          finding({ rule: 'x.warns', severity: 'warn', message: 'new', line: 6, column: 1 }),
        ]),
      ],
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
    { severity: 'error', message: 'suppressions/0 expired on 2026-11-01', hint: 'fix it' },
    { severity: 'warn', message: 'suppressions/1 suppresses nothing' },
    { severity: 'note', message: 'baseline.json holds 1 finding now' },
  ],
};

/** A change of the contract: a request that it newly rejects, one that it newly allows, one that stays as it is. */
export const CHANGE_REPORT: Report = {
  files: [
    checkedFile([
      subject([finding({ line: 4, column: 2 })], { before: { outcome: 'pass', gone: [] } }),
      subject([], {
        pointer: '/exchanges/1',
        before: {
          outcome: 'block',
          gone: [finding({ rule: 'schema.enum', pointer: '/languages/0', message: 'RUST is not listed' })],
        },
      }),
      subject([finding({ excuse: { by: 'old-contract' } }), finding({ rule: 'x.warns', severity: 'warn' })], {
        pointer: '/exchanges/2',
        before: { outcome: 'block', gone: [] },
      }),
    ]),
  ],
};
