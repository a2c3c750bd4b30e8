import { describe, expect, it } from 'vitest';
import { type PolicyOptions, verdictOf } from '../../src/gate/policy.ts';
import type { RawFinding } from '../../src/model/finding.ts';
import { project } from '../support/bodies.ts';
import { brief, gate, PROJECT_URL, PROXY_DEFAULTS, patch, type TestGateOptions } from '../support/gate.ts';

type More = Partial<Parameters<typeof verdictOf>[3]>;

const policy =
  (options: Partial<PolicyOptions> = {}) =>
  (operation: string, findings: readonly RawFinding[], more: More = {}) =>
    verdictOf({ ...PROXY_DEFAULTS, ...options }, operation, findings, { severities: () => ({}), ...more });

function raw(rule: string, members: Partial<RawFinding> = {}): RawFinding {
  return { rule, severity: 'error', basis: 'stated', pointer: '/x', message: 'is wrong', ...members };
}

const judge = (options: TestGateOptions, url: string, body: unknown) =>
  gate(options).inspect(patch(url, body)).verdict;

const EMPTY = { ...project(), environments: [] };

describe('severities', () => {
  it('can be given by rule, over its own and over the operation', () => {
    const verdict = (severity: 'error' | 'warn' | 'off') => {
      const { outcome, findings } = judge({ severities: { 'schema.unknown-field': severity } }, PROJECT_URL, {
        ...project(),
        owner: 1,
      });
      return [outcome, ...brief(findings)];
    };
    expect(verdict('error')).toEqual(['block', 'schema.unknown-field error /owner']);
    expect(verdict('warn')).toEqual(['pass', 'schema.unknown-field warn /owner']);
    expect(verdict('off')).toEqual(['pass']);
  });
});

describe('validation', () => {
  const wrong = { ...project(), name: 1, owner: 1 };

  it('warn passes all and reports all', () => {
    const verdict = judge({ validation: 'warn' }, PROJECT_URL, wrong);
    expect(verdict).toMatchObject({ outcome: 'pass', operation: 'updateProject' });
    expect(verdict).not.toHaveProperty('status');
    expect(verdict).not.toHaveProperty('problem');
    expect(brief(verdict.findings).sort()).toEqual([
      'schema.type error /name',
      'schema.unknown-field warn /owner',
    ]);
  });

  it('off judges nothing but what the guard asks', () => {
    expect(judge({ validation: 'off' }, PROJECT_URL, wrong)).toEqual({
      outcome: 'pass',
      operation: 'updateProject',
      findings: [],
      omitted: 0,
    });
  });
});

describe('the guard', () => {
  const destructive = {
    outcome: 'block',
    status: 409,
    problem: 'destructive-change',
    findings: [{ rule: 'project.empty-list', severity: 'error', pointer: '/environments' }],
  };

  it.each(['enforce', 'warn', 'off'] as const)(
    'blocks what deletes for good, under validation %s',
    (validation) => {
      expect(judge({ validation }, PROJECT_URL, EMPTY)).toMatchObject(destructive);
    },
  );

  describe.each(['warn', 'off'] as const)('under validation %s, blocks what it cannot read', (validation) => {
    const judged = (url: string, body: string | Uint8Array, headers?: readonly string[]) => {
      const verdict = gate({ validation }).inspect(patch(url, body, headers)).verdict;
      return [verdict.outcome, verdict.status, ...brief(verdict.findings)].join(' ');
    };
    const zstd = ['content-type', 'application/json', 'content-encoding', 'zstd'];
    it('of a project', () => {
      const good = JSON.stringify(project());
      expect(judged('/accounts/current//projects/42', good)).toContain('block 400 request.ambiguous-path');
      expect(judged(PROJECT_URL, `\uFEFF${good}`)).toBe('block 400 request.json error');
      expect(judged(PROJECT_URL, '{"environments":[],"environments":[{}]}')).toContain(
        'block 422 request.duplicate-key error /environments',
      );
      const twoReadings = [
        `{"Environments":[],${good.slice(1)}`,
        `{"environmentſ":[],${good.slice(1)}`,
        `{"__proto__":{"environments":[]},${good.slice(1)}`,
        good.replace('"id":1,', '"id":9007199254740993,'),
      ];
      for (const body of twoReadings) expect(judged(PROJECT_URL, body)).toMatch(/^block 422/);
      expect(judged(PROJECT_URL, good, zstd)).toBe('block 415 request.content-encoding error');
      expect(judged(PROJECT_URL, '['.repeat(200))).toBe('block 413 request.too-large error');
    });
  });
});

describe('the status is that of the first stage that failed', () => {
  it.each([
    [['schema.type', 'request.json'], 400],
    [['request.json', 'request.content-type'], 415],
    [['request.content-type', 'request.too-large'], 413],
    [['request.too-large', 'request.ambiguous-path'], 400],
    [['schema.type', 'request.path-parameter'], 422],
    [['schema.of-ones-own'], 422],
    [['draft.percentage-range'], 422],
  ])('%j: %i', (rules, status) => {
    const findings = rules.map((rule) => raw(rule));
    for (const order of [findings, [...findings].reverse()])
      expect(policy()('x', order)).toMatchObject({
        outcome: 'block',
        status,
        problem: 'invalid-request',
      });
  });
});

describe('more findings than are reported', () => {
  const many = (count: number, severity: 'error' | 'warn') =>
    Array.from({ length: count }, (_, index) =>
      raw('schema.type', { severity, pointer: `/${severity}/${index}` }),
    );
  const count = (findings: readonly { severity: string }[], severity: string) =>
    findings.filter((finding) => finding.severity === severity).length;

  it('are counted', () => {
    expect(policy()('x', many(100, 'warn'))).toMatchObject({ findings: { length: 100 }, omitted: 0 });
    expect(policy()('x', many(101, 'warn'))).toMatchObject({ findings: { length: 100 }, omitted: 1 });
    expect(policy()('x', many(150, 'warn'), { omitted: 7 })).toMatchObject({
      findings: { length: 100 },
      omitted: 57,
    });
    expect(policy()('x', [], { omitted: 7 })).toMatchObject({ outcome: 'pass', omitted: 7 });
  });

  it('are errors before warnings, in their order', () => {
    const { findings, omitted, outcome } = policy()('x', [...many(120, 'warn'), ...many(30, 'error')]);
    expect([count(findings, 'error'), count(findings, 'warn'), omitted, outcome]).toEqual([
      30,
      70,
      50,
      'block',
    ]);
    expect(findings[0]?.pointer).toBe('/warn/0');
    expect(findings.at(-1)?.pointer).toBe('/error/29');
    const errors = policy()('x', [...many(5, 'warn'), ...many(120, 'error')]);
    expect([count(errors.findings, 'error'), errors.omitted]).toEqual([100, 25]);
  });
});

describe('places', () => {
  const TEXT = '{\n  "name": 1,\n  "a": {"b": 2}\n}';
  const placed = (finding: RawFinding) => {
    const [{ line, column } = {}] = policy()('x', [finding], { text: TEXT }).findings;
    return [line, column];
  };

  it('are those of values, and of names where the name is what is wrong', () => {
    expect(placed(raw('schema.type', { pointer: '/name' }))).toEqual([2, 11]);
    expect(placed(raw('schema.field-case', { pointer: '/name' }))).toEqual([2, 3]);
    expect(placed(raw('schema.unknown-field', { pointer: '/a/b' }))).toEqual([3, 9]);
    expect(placed(raw('schema.required', { pointer: '/a/c' }))).toEqual([3, 9]);
    expect(placed(raw('feature.empty-update', { pointer: '' }))).toEqual([1, 1]);
  });

  it('are not given to what is of the request itself, nor changed where they are known', () => {
    expect(placed(raw('request.path-parameter', { pointer: '' }))).toEqual([undefined, undefined]);
    expect(placed(raw('request.duplicate-key', { pointer: '/name', line: 7, column: 8 }))).toEqual([7, 8]);
  });
});
