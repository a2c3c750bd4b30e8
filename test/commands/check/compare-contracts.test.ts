import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gateOf as composedGate } from '../../../src/app/compose-gate.ts';
import {
  comparing,
  finishComparison,
  gateAgainst,
  remarksOnLost,
} from '../../../src/commands/check/compare-contracts.ts';
import { loadContract } from '../../../src/contract/load-contract.ts';
import { createGate, type Gate, type GateOptions } from '../../../src/gate/gate.ts';
import type { ContractFile } from '../../../src/model/contract.ts';
import type { Rule } from '../../../src/model/rule.ts';
import { changeOf, fails, type Subject, subjectOf, summaryOf } from '../../../src/reporters/report.ts';
import { resolveConfig } from '../../../src/settings/config.ts';
import { project } from '../../support/bodies.ts';
import { checkedFile } from '../../support/checked.ts';
import { withValue } from '../../support/edit-json.ts';
import { laterRefusal, refusal } from '../../support/errors.ts';
import { FEATURE_URL, PROJECT_URL, PROXY_DEFAULTS, patch, SCHEMAS } from '../../support/gate.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A gate without a guard, as `check` has it, whose project schema or contract differs from what the product ships. */
function gateOf(
  change: { pointer: string; value: unknown; file?: string } | undefined,
  options: Partial<GateOptions> = {},
): Gate {
  const folder = temporaryFolder();
  cpSync(SCHEMAS, folder, { recursive: true });
  if (change) {
    const file = join(folder, change.file ?? 'update-project.json');
    const changed = withValue(JSON.parse(readFileSync(file, 'utf8')), change.pointer, change.value);
    writeFileSync(file, JSON.stringify(changed));
  }
  return createGate(loadContract(folder), { ...PROXY_DEFAULTS, guard: 'off', lazy: true, ...options });
}

const shipped = gateOf(undefined);
const stricter = gateOf({ pointer: '/properties/languages/items/enum', value: ['NODEJS', 'PHP'] });
const { operations } = JSON.parse(readFileSync(join(SCHEMAS, 'contract.json'), 'utf8')) as ContractFile;
const { updateFeature: _, ...others } = operations;
const narrower = gateOf({ file: 'contract.json', pointer: '/operations', value: others });

function judge(gate: Gate, url: string, body: unknown): Subject {
  const facts = { pointer: '', method: 'PATCH', path: url };
  const file = checkedFile('a.json', subjectOf(facts, gate.inspect(patch(url, body)).verdict));
  return finishComparison([file])[0]?.subjects[0] as Subject;
}

/** The answers of both, and their findings: `+` new, `=` in both, `-` gone. */
function said(subject: Subject): string[] {
  const { outcome, before, findings } = subject;
  const text = (sign: string) => (finding: { rule: string; severity: string; pointer: string }) =>
    `${sign} ${finding.rule} ${finding.severity} ${finding.pointer}`;
  return [
    `${before?.outcome} -> ${outcome}`,
    ...findings.flatMap((one) => text(one.excuse?.by === 'old-contract' ? '=' : '+')(one)),
    ...(before?.gone ?? []).map(text('-')),
  ];
}

const failing = (subject: Subject, failOn: 'error' | 'warn' = 'error') =>
  fails({ files: [checkedFile('a.json', subject)] }, failOn);

describe('a stricter contract', () => {
  const gate = comparing(stricter, shipped);

  it('breaks what passed before', () => {
    const subject = judge(gate, PROJECT_URL, project());
    expect(said(subject)).toEqual(['pass -> block', '+ schema.enum error /languages/1']);
    expect([changeOf(subject), failing(subject)]).toEqual(['breaks', true]);
    expect(summaryOf({ files: [checkedFile('a.json', subject)] })).toMatchObject({ breaks: 1, allows: 0 });
  });

  it('breaks nothing that was blocked in the same way', () => {
    const subject = judge(gate, PROJECT_URL, { ...project(), languages: ['NODEJS', 'BASIC'] });
    expect(said(subject)).toEqual(['block -> block', '= schema.enum error /languages/1']);
    expect([changeOf(subject), failing(subject, 'warn')]).toEqual([undefined, false]);
  });

  it('fails where it has more to say of what was blocked before', () => {
    const subject = judge(gate, PROJECT_URL, { ...project(), name: 1 });
    expect(said(subject)).toEqual([
      'block -> block',
      '= schema.type error /name',
      '+ schema.enum error /languages/1',
    ]);
    expect(failing(subject)).toBe(true);
  });

  it('says nothing of what passes as it did', () => {
    const subject = judge(gate, PROJECT_URL, { ...project(), languages: ['PHP'] });
    expect([said(subject), failing(subject, 'warn')]).toEqual([['pass -> pass'], false]);
  });
});

describe('a looser contract', () => {
  it('allows what was blocked before, and tells what is gone and where', () => {
    const subject = judge(comparing(shipped, stricter), PROJECT_URL, project());
    expect(said(subject)).toEqual(['block -> pass', '- schema.enum error /languages/1']);
    expect(subject.before?.gone[0]).toMatchObject({ line: 1, column: 42 });
    expect(subject.before?.gone[0]).not.toHaveProperty('isGone');
    expect([changeOf(subject), failing(subject, 'warn')]).toEqual(['allows', false]);
  });

  it('allows, too, where it judges no longer', () => {
    const subject = judge(comparing(narrower, shipped), FEATURE_URL, { name: 1 });
    expect(said(subject)).toEqual(['block -> pass', '- schema.type error /name']);
    expect(subject.operation).toBeUndefined();
    expect(changeOf(subject)).toBe('allows');
  });

  it('tells of a request that passes as it did, yet is judged no longer', () => {
    const finished = (by: Gate) =>
      remarksOnLost([checkedFile('a.json', judge(by, FEATURE_URL, { name: 'x' }))]);
    expect(finished(comparing(narrower, shipped))).toMatchObject([
      { severity: 'warn', message: expect.stringContaining(`such as PATCH ${FEATURE_URL} (a.json)`) },
    ]);
    for (const by of [comparing(shipped, narrower), comparing(shipped, shipped), shipped])
      expect(finished(by)).toEqual([]);
  });
});

describe('an operation that the old contract has not', () => {
  const gate = comparing(shipped, narrower);

  it('breaks what it blocks', () => {
    const subject = judge(gate, FEATURE_URL, { name: 1 });
    expect(said(subject)).toEqual(['unjudged -> block', '+ schema.type error /name']);
    expect([changeOf(subject), failing(subject)]).toEqual(['breaks', true]);
  });

  it('is known with its record', () => {
    for (const either of [gate, comparing(narrower, shipped)]) {
      const match = either.match({ method: 'PATCH', url: FEATURE_URL, headers: [] });
      expect(match && either.recordOf(match)).toMatchObject({ kind: 'feature', id: '7' });
    }
    expect(comparing(narrower, shipped).recordAt(FEATURE_URL)).toMatchObject({ kind: 'feature', id: '7' });
    expect(comparing(narrower, shipped).operations).toContain('updateFeature');
  });
});

it('what neither contract judges, is not judged', () => {
  const by = comparing(shipped, stricter);
  expect(refusal('bad-usage', () => by.inspectBody('no', Buffer.from('{}')))).toContain('no operation "no"');
  expect(
    comparing(shipped, stricter).match({ method: 'GET', url: PROJECT_URL, headers: [] }),
  ).toBeUndefined();
});

it('a body that is judged as an operation alone is compared as well', () => {
  const body = Buffer.from(JSON.stringify(project()));
  const gate = comparing(stricter, shipped);
  const head = { method: '', url: '', headers: ['content-type', 'application/json'] };
  const match = { operation: 'updateProject', parameters: {}, findings: [] };
  for (const { verdict } of [
    gate.inspectBody('updateProject', body),
    gate.inspect({ ...head, body }, match),
  ]) {
    const [file] = finishComparison([checkedFile('a.json', subjectOf({ pointer: '' }, verdict))]);
    expect(said(file?.subjects[0] as Subject)).toEqual(['pass -> block', '+ schema.enum error /languages/1']);
  }
});

it('a severity that was raised is new', () => {
  const raised = gateOf(undefined, { severities: { 'project.unique-language': 'error' } });
  const subject = judge(comparing(raised, shipped), PROJECT_URL, { ...project(), languages: ['GO', 'GO'] });
  expect(said(subject)).toEqual([
    'pass -> block',
    '+ project.unique-language error /languages/1',
    '- project.unique-language warn /languages/1',
  ]);
});

describe('of what is alike', () => {
  /** A gate with so many findings of one rule at one place. */
  const finding = (count: number, omitted = 0): Gate => {
    const deleted = { rule: 'project.environment-deleted', severity: 'error', basis: 'stated' } as const;
    const findings = Array.from({ length: count }, (_, i) => ({ ...deleted, pointer: '', message: `${i}` }));
    const verdict = { outcome: 'block' as const, findings, omitted };
    return { ...shipped, inspect: () => ({ verdict, json: undefined }) };
  };
  const signs = (gate: Gate) =>
    said(judge(gate, PROJECT_URL, project()))
      .slice(1)
      .map(([sign]) => sign)
      .join('');

  it('as many are old as there were, and as many gone as there are not', () => {
    expect(signs(comparing(finding(3), finding(1)))).toBe('=++');
    expect(signs(comparing(finding(1), finding(3)))).toBe('=--');
  });

  it('nothing is said to be gone where some were left out', () => {
    expect(signs(comparing(finding(1, 7), finding(3)))).toBe('=');
  });
});

describe('another contract', () => {
  const rule = (name: string): Rule => ({
    name,
    severity: 'warn',
    basis: 'stated',
    says: 'a body is welcome to the team',
    source: 'the team',
    *check({ body }) {
      if (JSON.stringify(body).includes('unwelcome'))
        yield { pointer: '', message: 'the body is not welcome' };
    },
    examples: { passes: [{ body: {} }], fails: [{ body: { name: 'unwelcome' }, pointers: [''] }] },
  });

  it('settings count for the contract before, as far as it has the operations', async () => {
    const old = temporaryFolder();
    cpSync(SCHEMAS, old, { recursive: true });
    const file = join(old, 'contract.json');
    const contract = JSON.parse(readFileSync(file, 'utf8')) as ContractFile;
    const { updateProject } = contract.operations;
    writeFileSync(file, JSON.stringify({ ...contract, operations: { updateProject } }));
    const settings = {
      customRules: {
        updateProject: [rule('team.project')],
        updateFeature: [rule('team.feature')],
      },
      rules: { 'team.project': 'error', 'team.feature': 'error', 'project.empty-list': 'error' },
      overrides: [
        { paths: ['/accounts/*/features/*'], rules: { 'team.feature': 'off', 'schema.type': 'warn' } },
      ],
    };
    const cwd = temporaryFolder();
    const { config } = await resolveConfig(settings, { guard: 'off' }, {}, cwd);
    const gate = await gateAgainst(await composedGate(config, { lazy: true }), config, old);
    const { verdict } = gate.inspect(
      patch(PROJECT_URL, { name: 'unwelcome', languages: [], environments: [] }),
    );
    expect(verdict.findings.map((one) => [one.rule, one.severity, 'excuse' in one && one.excuse])).toEqual([
      ['project.empty-list', 'error', { by: 'old-contract' }],
      ['project.empty-list', 'error', { by: 'old-contract' }],
      ['team.project', 'error', { by: 'old-contract' }],
    ]);
  });

  it('refuses a contract that does not load, and names it', async () => {
    const cwd = temporaryFolder();
    const { config } = await resolveConfig({}, { guard: 'off' }, {}, cwd);
    const gate = await composedGate(config, { lazy: true });
    const none = join(cwd, 'none');
    expect(await laterRefusal('bad-contract', gateAgainst(gate, config, none))).toContain(
      `--against-contract ${none}: cannot read the contract`,
    );
  });
});
