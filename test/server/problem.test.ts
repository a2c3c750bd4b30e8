import { describe, expect, it } from 'vitest';
import { PatchgateError } from '../../src/errors.ts';
import { header } from '../../src/http/http.ts';
import type { Finding, Verdict } from '../../src/model/finding.ts';
import { type GateAnswer, problem, problemOfError, problemOfVerdict } from '../../src/server/problem.ts';

const missing: Finding = {
  rule: 'schema.required',
  severity: 'error',
  basis: 'stated',
  pointer: '/languages',
  message: 'languages is mandatory',
  hint: 'send the full project',
  source: 'service-api 4.1 rule 1',
  line: 1,
  column: 2,
};
const wrongType: Finding = {
  rule: 'schema.type',
  severity: 'error',
  basis: 'stated',
  pointer: '/environments/0/id',
  message: 'must be an integer',
};
const warning: Finding = { ...missing, rule: 'project.empty-list', severity: 'warn' };

function blocked(members: Partial<Verdict>): Verdict {
  return {
    outcome: 'block',
    operation: 'updateProject',
    findings: [missing],
    omitted: 0,
    status: 422,
    problem: 'invalid-request',
    ...members,
  };
}

function parsed(answer: GateAnswer): Record<string, unknown> {
  return JSON.parse(answer.body.toString());
}

describe('problemOfVerdict', () => {
  it('answers as RFC 9457 wants it', () => {
    const answer = problemOfVerdict(blocked({ findings: [missing, warning, wrongType] }));
    expect(answer.status).toBe(422);
    expect(parsed(answer)).toEqual({
      type: 'urn:patchgate:problem:invalid-request',
      title: 'The gate blocked this request',
      status: 422,
      detail: '2 errors: /languages: languages is mandatory; /environments/0/id: must be an integer',
      operation: 'updateProject',
      findings: [missing, warning, wrongType],
    });
    expect(header(answer.headers, 'content-type')).toBe('application/problem+json');
    expect(header(answer.headers, 'content-length')).toBe(String(answer.body.length));
    expect(header(answer.headers, 'cache-control')).toBe('no-store');
    expect(header(answer.headers, 'patchgate-blocked')).toBe('invalid-request');
  });

  it('names the guard and its status', () => {
    const answer = problemOfVerdict(blocked({ status: 409, problem: 'destructive-change' }));
    expect(parsed(answer)).toMatchObject({ type: 'urn:patchgate:problem:destructive-change', status: 409 });
    expect(header(answer.headers, 'patchgate-blocked')).toBe('destructive-change');
  });

  it('counts what was omitted, and keeps the detail short', () => {
    const many = Array.from({ length: 100 }, (_, i) => ({ ...wrongType, pointer: `/goals/${i}` }));
    const body = parsed(problemOfVerdict(blocked({ findings: many, omitted: 7 })));
    expect(body.omitted).toBe(7);
    expect(body.findings).toHaveLength(100);
    expect(body.detail).toMatch(
      /^100 or more errors: \/goals\/0: must be an integer; .*\/goals\/4: [^;]*; 95 more$/,
    );
  });

  it('stays bounded where a pointer is as long as a body', () => {
    const long = { ...wrongType, pointer: `/${'x'.repeat(700_000)}` };
    const answer = problemOfVerdict(blocked({ findings: [missing, long, long] }));
    expect(answer.body.length).toBeLessThan(1_100_000);
    expect(parsed(answer)).toMatchObject({ findings: [missing, long], omitted: 1 });
    expect(String(parsed(answer).detail).length).toBeLessThan(500);
  });

  it('gives the length in bytes', () => {
    const answer = problemOfVerdict(blocked({ findings: [{ ...missing, message: 'naïve ☃' }] }));
    expect(header(answer.headers, 'content-length')).toBe(String(Buffer.byteLength(answer.body.toString())));
  });
});

describe('problemOfError', () => {
  it('carries what, hint and details, but neither cause nor stack', () => {
    const error = new PatchgateError('no-recording', 'nothing recorded for PATCH /a', {
      hint: 'record it first',
      cause: new Error('the cause'),
      details: { nearest: { differs: ['/name'] }, status: 200, detail: 'other', type: 'other' },
    });
    const answer = problemOfError(error);
    expect(parsed(answer)).toEqual({
      type: 'urn:patchgate:problem:no-recording',
      title: 'The recording has no answer to this request',
      status: 501,
      nearest: { differs: ['/name'] },
      detail: 'nothing recorded for PATCH /a',
      hint: 'record it first',
    });
    expect(answer.body.toString()).not.toMatch(/the cause|problem\.test/);
  });

  it('has a title for every code', () => {
    expect(parsed(problemOfError(new PatchgateError('internal', 'oh')))).toMatchObject({
      title: 'Patchgate could not answer this request',
      status: 500,
    });
  });
});

it('lets no member replace the fixed ones', () => {
  expect(parsed(problem('not-found', 404, { title: 'x', status: 1, detail: 'd' }))).toMatchObject({
    title: 'Patchgate has nothing here',
    status: 404,
    detail: 'd',
  });
});
