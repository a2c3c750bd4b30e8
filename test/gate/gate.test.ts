import { describe, expect, it } from 'vitest';
import type { Circumstances, Gate } from '../../src/gate/gate.ts';
import { type JsonObject, member } from '../../src/json/json.ts';
import { tokensOf } from '../../src/json/pointer.ts';
import type { Verdict } from '../../src/model/finding.ts';
import type { Known } from '../../src/model/record.ts';
import type { Rule } from '../../src/model/rule.ts';
import { draft, feature, project } from '../support/bodies.ts';
import {
  brief,
  DRAFT_URL,
  FEATURE_URL,
  gate,
  PROJECT_URL,
  patch,
  type TestGateOptions,
} from '../support/gate.ts';
import { shouting } from '../support/team-rule.ts';

const proxy = gate();

const judge = (url: string, body: unknown, headers?: string[]): Verdict =>
  proxy.inspect(patch(url, body, headers)).verdict;

describe('a number that not every reader gets right', () => {
  /** What is said of such a number at a place. */
  const saidAt = (url: string, body: object, pointer: string) => {
    const whole = structuredClone(body);
    const tokens = tokensOf(pointer);
    const last = tokens.pop() as string;
    const holder = tokens.reduce((at: unknown, token) => (at as JsonObject)[token], whole) as JsonObject;
    holder[last] = 'HERE';
    const text = JSON.stringify(whole).replace('"HERE"', '9007199254740993');
    const { findings } = proxy.inspect(patch(url, text)).verdict;
    return findings.find(({ rule }) => rule === 'request.unsafe-number');
  };

  it.each([
    [FEATURE_URL, feature(), ['/variables/0/defaultValue', '/variations/0/variables/0/value', '/unlisted']],
    [FEATURE_URL, feature(), ['/setting/associatedCampaigns/0', '/variables/0/unlisted']],
    [PROJECT_URL, project(), ['/environments/0/unlisted', '/owner']],
    [DRAFT_URL, draft(), ['/goals/0/cssSelectors/0']],
  ])('is a warning where the contract leaves the value of %s open', (url, body, places) => {
    for (const pointer of places)
      expect(saidAt(url, body, pointer), pointer).toMatchObject({ severity: 'warn', pointer });
  });

  it.each([
    [PROJECT_URL, project(), ['/name', '/languages/0', '/environments/0/id', '/environments']],
    [
      FEATURE_URL,
      feature(),
      ['/goals/0/metricId', '/variables/0/id', '/variations/0/variables/0/variableId'],
    ],
    [DRAFT_URL, draft(), ['/draftId', '/urls/0/value', '/globalSegment/id']],
  ])('is an error where the contract says what stands in %s', (url, body, places) => {
    for (const pointer of places)
      expect(saidAt(url, body, pointer), pointer).toMatchObject({ severity: 'error', pointer });
  });
});

describe('a verdict', () => {
  it('passes what is right, with nothing to say', () => {
    const pass = { outcome: 'pass', findings: [], omitted: 0 };
    expect(judge(PROJECT_URL, project())).toEqual({ ...pass, operation: 'updateProject' });
    expect(judge(FEATURE_URL, feature())).toEqual({ ...pass, operation: 'updateFeature' });
    expect(judge(DRAFT_URL, draft())).toEqual({ ...pass, operation: 'updateDraft' });
  });

  it('tells all that is wrong, of schema and rules alike, each with its place', () => {
    const text = `{
  "name": 7,
  "languages": ["GO", "GO"],
  "environments": [
    {"id": 1, "name": "A", "isEnabled": true},
    {"id": 1, "name": "B", "IsEnabled": true}
  ]
}`;
    const { findings, ...verdict } = judge(PROJECT_URL, text);
    expect(verdict).toEqual({
      outcome: 'block',
      operation: 'updateProject',
      omitted: 0,
      status: 422,
      problem: 'invalid-request',
    });
    const places = findings.map(({ rule, pointer, line, column }) => `${rule} ${pointer} ${line}:${column}`);
    expect(places.sort()).toEqual([
      'project.unique-environment-id /environments/1/id 6:12',
      'project.unique-language /languages/1 3:23',
      'schema.field-case /environments/1/IsEnabled 6:28',
      'schema.required /environments/1/isEnabled 6:6',
      'schema.type /name 2:11',
    ]);
  });
});

describe('what is known of the record', () => {
  const known: Known = {
    record: {
      name: 'Checkout',
      languages: ['NODEJS', 'PHP'],
      environments: [
        { id: 1, name: 'Production', isEnabled: true },
        { id: 2, name: 'Staging', isEnabled: false },
        { id: 3, name: 'e2e-3', isEnabled: false },
      ],
    },
    isWhole: true,
  };
  const [production, staging] = known.record.environments as JsonObject[];
  // Staging has a new id, e2e-3 and PHP are left out.
  const body = {
    name: 'Checkout',
    languages: ['NODEJS'],
    environments: [production, { ...staging, id: 4711 }],
  };
  const judged = (options: TestGateOptions, sent: unknown, circumstances: Circumstances = { known }) =>
    gate(options).inspect(patch(PROJECT_URL, sent), undefined, circumstances);
  const short = (options: TestGateOptions, sent: unknown, circumstances?: Circumstances) => {
    const { outcome, status, problem, findings } = judged(options, sent, circumstances).verdict;
    return [[outcome, status, problem].join(' ').trim(), ...brief(findings)];
  };
  const DELETED = 'project.environment-deleted';
  const REPLACED = 'project.environment-replaced';
  const LANGUAGE = 'project.language-removed warn /languages';
  const LOST = 'block 409 destructive-change';
  const errors = [`${DELETED} error /environments`, `${REPLACED} error /environments/1/id`];
  const warnings = errors.map((text) => text.replace('error', 'warn'));

  it.each([
    ['on', 'enforce', [LOST, ...errors, LANGUAGE]],
    ['strict', 'enforce', [LOST, ...errors, LANGUAGE]],
    ['off', 'enforce', ['pass', ...warnings, LANGUAGE]],
    ['on', 'warn', [LOST, ...errors, LANGUAGE]],
    ['off', 'warn', ['pass', ...warnings, LANGUAGE]],
    ['on', 'off', [LOST, ...errors]],
  ] as const)('is held against the body: guard %s, validation %s', (guard, validation, told) => {
    expect(short({ guard, validation }, body)).toEqual(told);
  });

  it('says what becomes of it', () => {
    const { verdict, effects } = judged({ allowDelete: ['e2e-*'] }, body);
    expect(effects).toEqual([
      { kind: 'environment-replaced', id: 2, name: 'Staging', newId: 4711, index: 1 },
      { kind: 'environment-deleted', id: 3, name: 'e2e-3', allowed: true },
      { kind: 'language-removed', name: 'PHP' },
    ]);
    expect(verdict.effects).toEqual(effects);
    expect(judged({}, known.record).verdict).not.toHaveProperty('effects');
  });

  it('may go where its name may', () => {
    expect(short({ allowDelete: ['e2e-*', 'Staging'] }, body)).toEqual(['pass', ...warnings, LANGUAGE]);
    expect(short({ allowDelete: ['e2e-*'] }, body)[0]).toBe(LOST);
    const none = { ...body, environments: [] };
    expect(short({ allowDelete: ['*'] }, none)[0]).toBe('pass');
    expect(short({ allowDelete: ['e2e-*'] }, none)[0]).toBe(LOST);
    expect(short({ allowDelete: ['*'] }, none, {})[0]).toBe(LOST);
    expect(short({ allowDelete: ['*'] }, none, { known: { ...known, isWhole: false } })[0]).toBe(LOST);
  });

  it('may go where that is approved, and nothing else may', () => {
    const approved: Circumstances = { known, approval: 'approved' };
    expect(short({}, body, approved)).toEqual(['pass', ...warnings, LANGUAGE]);
    expect(short({ severities: { [DELETED]: 'error', [REPLACED]: 'error' } }, body, approved)[0]).toBe(
      'pass',
    );
    expect(short({}, { ...body, name: 1 }, approved)[0]).toBe('block 422 invalid-request');
    expect(short({ validation: 'warn' }, '{"environments":[],"environments":[]}', approved)[0]).toContain(
      '422',
    );
    expect(short({ guard: 'strict' }, body, { approval: 'approved' })[0]).toBe('pass');
  });

  it('is an error where the approval is none', () => {
    const refused: Circumstances = {
      known,
      approval: { refused: 'it was used already', hint: 'take another' },
    };
    expect(judged({}, known.record, refused).verdict).toMatchObject({
      outcome: 'block',
      status: 409,
      findings: [
        { rule: 'request.approval', severity: 'error', pointer: '', message: 'it was used already' },
      ],
    });
    expect(short({}, body, refused)).toEqual([LOST, ...errors, LANGUAGE, 'request.approval error']);
  });

  it('is asked for by the strict guard', () => {
    const sent = known.record;
    const told = [LOST, 'project.state-unknown error'];
    expect(short({ guard: 'strict' }, sent, {})).toEqual(told);
    expect(short({ guard: 'strict' }, sent, { known: { ...known, isWhole: false } })).toEqual(told);
    expect(short({ guard: 'strict' }, sent)).toEqual(['pass']);
    expect(short({}, sent, {})).toEqual(['pass']);
  });
});

describe('whatever is sent', () => {
  it('in numbers past all reason, gets a verdict that is short', { tags: 'slow' }, () => {
    const list = (count: number, item: string) => Array(count).fill(item).join(',');
    const fields = (count: number) => Array.from({ length: count }, (_, index) => `"f${index}":1`).join(',');
    const bodies: [string, string][] = [
      [FEATURE_URL, `{"goals":[${list(60_000, '1')}]}`],
      [PROJECT_URL, `{"environments":[${list(60_000, '{}')}]}`],
      [PROJECT_URL, `{"environments":[${list(60_000, '{"id":1}')}]}`],
    ];
    for (const [url, body] of bodies) {
      const verdict = judge(url, body);
      expect(verdict.findings.length).toBeLessThanOrEqual(100);
      expect(verdict.findings.length + verdict.omitted).toBeGreaterThan(50_000);
      expect(JSON.stringify(verdict).length).toBeLessThan(10_000_000);
    }
    for (const twice of [
      `{${list(60_000, '"a":1')}}`,
      `{"${'x'.repeat(60_000)}":{${list(60_000, '"a":1')}}}`,
    ]) {
      const verdict = judge(FEATURE_URL, twice);
      expect(verdict).toMatchObject({ outcome: 'block', status: 422 });
      expect(JSON.stringify(verdict).length).toBeLessThan(10_000_000);
    }
    const { findings, omitted } = judge(FEATURE_URL, `{${fields(190_000)}}`);
    expect([findings.length, findings.length + omitted]).toEqual([100, 190_000]);
  });
});

describe('a rule of a team that guards', () => {
  const keepsKey: Rule = {
    ...shouting(),
    name: 'team.keeps-key',
    guards: true,
    *check({ body }) {
      if (member(body, 'key') === null)
        yield { pointer: '/key', message: 'is lost', isDestructive: true, hint: 'send it' };
    },
    examples: { passes: [{ body: {} }], fails: [{ body: { key: null }, pointers: ['/key'] }] },
  };
  const own = (more: TestGateOptions = {}) => gate({ customRules: { updateDraft: [keepsKey] }, ...more });

  it('makes its operation one that the guard watches', () => {
    expect([own().guards('draft'), proxy.guards('draft'), own().guards('feature')]).toEqual([
      true,
      false,
      false,
    ]);
    for (const severity of ['off', 'warn', 'error'] as const) {
      const rules = { 'team.keeps-key': severity };
      expect(own({ severities: rules }).inspect(patch(DRAFT_URL, { key: null })).verdict).toMatchObject({
        status: 409,
        problem: 'destructive-change',
      });
    }
    expect(own({ guard: 'off' }).inspect(patch(DRAFT_URL, { key: null })).verdict.status).toBe(422);
    const circumstances = { approval: 'approved' } as const;
    expect(own().inspect(patch(DRAFT_URL, { key: null }), undefined, circumstances).verdict.outcome).toBe(
      'pass',
    );
  });

  it('is not passed by a body that it cannot read', () => {
    const outcome = (gate: Gate) => gate.inspect(patch(DRAFT_URL, '{"key":1,"key":null}')).verdict.outcome;
    expect([outcome(own({ validation: 'warn' })), outcome(gate({ validation: 'warn' }))]).toEqual([
      'block',
      'pass',
    ]);
  });
});
