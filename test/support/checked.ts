/** What `check` judged, made by hand. */
import type { CheckedFile, PlacedFinding, Subject } from '../../src/reporters/report.ts';

export function finding(more: Partial<PlacedFinding> = {}): PlacedFinding {
  return {
    rule: 'schema.required',
    severity: 'error',
    basis: 'stated',
    pointer: '/languages',
    message: 'languages is mandatory',
    line: 3,
    column: 5,
    ...more,
  };
}

/** A request that is blocked where one of its findings is an error. */
export function subject(findings: readonly PlacedFinding[], more: Partial<Subject> = {}): Subject {
  return {
    pointer: '/exchanges/0',
    method: 'PATCH',
    path: '/v2/accounts/current/projects/42',
    operation: 'updateProject',
    outcome: findings.some(({ severity }) => severity === 'error') ? 'block' : 'pass',
    findings,
    omitted: 0,
    ...more,
  };
}

export function checkedFile(file: string, ...subjects: readonly Subject[]): CheckedFile {
  return { file, kind: 'recording', subjects, unjudged: 0 };
}
