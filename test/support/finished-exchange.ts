import type { Finding, Verdict } from '../../src/model/finding.ts';
import { bodyToShow, type FinishedExchange } from '../../src/server/exchange.ts';

export function finding(pointer: string, members: Partial<Finding> = {}): Finding {
  return {
    rule: 'schema.type',
    severity: 'error',
    basis: 'stated',
    pointer,
    message: 'is wrong',
    ...members,
  };
}

export function verdict(members: Partial<Verdict> = {}): Verdict {
  return { outcome: 'pass', operation: 'updateProject', findings: [], omitted: 0, ...members };
}

/** A project PATCH that passed and was answered by the target. */
export function finished(members: Partial<FinishedExchange> = {}): FinishedExchange {
  return {
    id: 1,
    startedAt: Date.UTC(2026, 10, 20, 12),
    durationMs: 12.3456,
    request: {
      method: 'PATCH',
      url: '/api/v2/accounts/current/projects/42',
      headers: ['Host', 'localhost', 'Content-Type', 'application/json'],
    },
    requestBody: bodyToShow(Buffer.from('{"name":"a"}')),
    verdict: verdict(),
    answeredBy: 'target',
    response: {
      status: 200,
      headers: ['Content-Type', 'application/json'],
      body: bodyToShow(Buffer.from('{"ok":true}')),
    },
    ...members,
  };
}
