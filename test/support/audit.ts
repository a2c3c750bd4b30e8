import type { Entry } from '../../src/server/entry.ts';

/** A line as the gate writes it, without its end: a PATCH that passed with an error (`--validation warn`). */
export function auditLine(members: Partial<Entry> = {}): string {
  const line = {
    audit: 1,
    time: '2026-11-23T05:00:00.000Z',
    client: '127.0.0.1',
    method: 'PATCH',
    path: '/api/v2/accounts/current/projects/42',
    operation: 'updateProject',
    record: { base: '/api/v2', account: 'current', kind: 'project', id: '42' },
    verdict: 'pass',
    findings: [{ rule: 'schema.enum', severity: 'error', pointer: '/languages/0', message: 'wrong' }],
    approved: false,
    forwarded: true,
    answeredBy: 'target',
    status: 200,
    ...members,
  };
  return JSON.stringify(line);
}
