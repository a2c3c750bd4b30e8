import { expect, it } from 'vitest';
import { PatchgateError } from '../../src/errors.ts';
import { header } from '../../src/http/http.ts';
import type { Finding, Verdict } from '../../src/model/finding.ts';
import { type GateAnswer, problemOfError, problemOfVerdict } from '../../src/server/problem.ts';

const FINDING: Finding = {
  ...{ rule: 'schema.type', severity: 'error', basis: 'stated', pointer: '/environments/0/id' },
  message: 'must be an integer — ☃',
} as Finding;
const blocked = (findings: Finding[], members: Partial<Verdict> = {}): Verdict => ({
  ...{ outcome: 'block', operation: 'updateProject', findings, omitted: 0, status: 422 },
  ...{ problem: 'invalid-request', ...members },
});
const parsed = ({ body }: GateAnswer): Record<string, unknown> => JSON.parse(body.toString());

it('answers what is blocked as RFC 9457 wants it', () => {
  const answer = problemOfVerdict(blocked([FINDING]));
  expect(parsed(answer)).toEqual({
    type: 'urn:patchgate:problem:invalid-request',
    title: 'The gate blocked this request',
    status: 422,
    detail: '1 error: /environments/0/id: must be an integer — ☃',
    operation: 'updateProject',
    findings: [FINDING],
  });
  expect(answer.headers).toEqual([
    ...['Content-Type', 'application/problem+json', 'Content-Length', String(answer.body.length)],
    ...['Cache-Control', 'no-store', 'Patchgate-Blocked', 'invalid-request'],
  ]);
  const guards = problemOfVerdict(blocked([FINDING], { status: 409, problem: 'destructive-change' }));
  expect([guards.status, header(guards.headers, 'patchgate-blocked')]).toEqual([409, 'destructive-change']);
});

it('counts what was omitted, and stays short where there is much, or a pointer is as long as a body', () => {
  const many = Array.from({ length: 100 }, (_, i) => ({ ...FINDING, pointer: `/goals/${i}` }));
  const body = parsed(problemOfVerdict(blocked(many, { omitted: 7 })));
  expect(body).toMatchObject({
    omitted: 7,
    detail: expect.stringMatching(/^100 or more errors: .*; 95 more$/),
  });
  const long = { ...FINDING, pointer: `/${'x'.repeat(700_000)}` };
  const answer = problemOfVerdict(blocked([FINDING, long, long]));
  expect(answer.body.length).toBeLessThan(1_100_000);
  expect(parsed(answer)).toMatchObject({ findings: [FINDING, long], omitted: 1 });
  expect(String(parsed(answer).detail).length).toBeLessThan(500);
});

it('carries what, hint and details of an error, but neither cause nor stack', () => {
  const error = new PatchgateError('no-recording', 'nothing recorded for PATCH /a', {
    hint: 'record it first',
    cause: new Error('the cause'),
    details: { nearest: { differs: ['/name'] }, status: 200, detail: 'other', type: 'other' },
  });
  expect(parsed(problemOfError(error))).toEqual({
    type: 'urn:patchgate:problem:no-recording',
    title: 'The recording has no answer to this request',
    status: 501,
    nearest: { differs: ['/name'] },
    detail: 'nothing recorded for PATCH /a',
    hint: 'record it first',
  });
});
