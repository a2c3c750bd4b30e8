import { describe, expect, it } from 'vitest';
import type { Contract } from '../../src/contract/contract.ts';
import { type Circumstances, createGate, type GateOptions } from '../../src/gate/gate.ts';
import type { GuardRule } from '../../src/model/deletion.ts';
import { pathCompiler } from '../../src/settings/globs.ts';
import { refusal } from '../support/errors.ts';
import { gate, PROJECT_URL, PROXY_DEFAULTS, patch, shippedContract } from '../support/gate.ts';

const named = (...names: string[]) => ({
  name: 'Checkout',
  languages: ['GO'],
  environments: names.map((name, index) => ({ id: index + 1, name, isEnabled: index === 0 })),
});
const KNOWN = { record: named('Production', 'Staging', 'e2e-1'), isWhole: true };

interface Asked extends Circumstances {
  options?: Partial<GateOptions>;
  url?: string;
  /** Environments that stay. */
  keeps?: string[];
}

/** Status, or `pass`; and what becomes of each environment that would be lost. */
function judge(rules: GuardRule[], { options, url = PROJECT_URL, keeps = [], ...more }: Asked = {}) {
  const body = {
    ...KNOWN.record,
    environments: KNOWN.record.environments.filter(({ name }) => keeps.includes(name)),
  };
  const one = gate({ guardPolicy: rules, ...options });
  const { verdict } = one.inspect(patch(url, body), undefined, { known: KNOWN, ...more });
  const fates = (verdict.effects ?? []).flatMap((effect) =>
    effect.kind === 'environment-deleted'
      ? [`${effect.name} ${effect.protected ? 'protected' : effect.allowed ? 'allowed' : 'asked'}`]
      : [],
  );
  return [verdict.status ?? 'pass', ...fates];
}

const rule = (deletion: GuardRule['deletion'], more: Partial<GuardRule> = {}): GuardRule => ({
  deletion,
  ...more,
});

describe('what is deleted', () => {
  const keeps = ['Production', 'Staging'];

  it('goes with an approval where the policy says nothing of it', () => {
    for (const rules of [
      [],
      [rule('allow', { environments: ['x'] })],
      [rule('protect', { environments: ['x'] })],
    ]) {
      expect(judge(rules, { keeps })).toEqual([409, 'e2e-1 asked']);
      expect(judge(rules, { keeps, approval: 'approved' })).toEqual(['pass', 'e2e-1 asked']);
    }
  });

  it('never goes where it is protected, whatever is approved', () => {
    const rules = [rule('protect', { environments: ['e2e-?'] })];
    const lost = [409, 'e2e-1 protected'];
    expect(judge(rules, { keeps })).toEqual(lost);
    expect(judge(rules, { keeps, approval: 'approved' })).toEqual(lost);
    for (const validation of ['warn', 'off'] as const)
      expect(judge(rules, { keeps, options: { validation } })).toEqual(lost);
    // In a replay nothing is deleted; a file that is checked may be sent.
    const options = { guard: 'off' } as const;
    expect(judge(rules, { keeps, options })[0]).toBe('pass');
    expect(judge(rules, { keeps, options, file: '/repo/body.json' })).toEqual(lost);
    expect(judge(rules, { keeps: ['Staging', 'e2e-1'], approval: 'approved' })).toEqual([
      'pass',
      'Production asked',
    ]);
  });

  it('goes without asking where that is allowed', () => {
    expect(judge([rule('allow', { environments: ['e2e-*'] })], { keeps })).toEqual(['pass', 'e2e-1 allowed']);
    expect(judge([], { keeps, options: { allowDelete: ['e2e-*'] } })).toEqual(['pass', 'e2e-1 allowed']);
  });

  it('is said with its reason', () => {
    const one = gate({ guardPolicy: [rule('protect', { reason: 'the shop sells by it' })] });
    const { verdict } = one.inspect(patch(PROJECT_URL, named()), undefined, { known: KNOWN });
    expect(verdict.effects?.[0]).toMatchObject({ protected: true, reason: 'the shop sells by it' });
    const { hint } = verdict.findings.find(({ rule }) => rule === 'project.environment-deleted') ?? {};
    expect(hint).toBe(
      'the guard policy protects it (the shop sells by it): no approval deletes it; send all environments that are to stay',
    );
  });

  it('may be known by several names: one that is protected is enough', () => {
    const environments = [...KNOWN.record.environments, { id: 3, name: 'Live', isEnabled: false }];
    const known = { record: { ...KNOWN.record, environments }, isWhole: true };
    const all = rule('allow');
    expect(judge([all, rule('protect', { environments: ['Live'] })], { keeps, known })).toEqual([
      409,
      'Live protected',
    ]);
    expect(judge([rule('allow', { environments: ['Live'] })], { keeps, known })).toEqual([409, 'Live asked']);
  });
});

describe('of several rules', () => {
  const keeps = ['Production', 'Staging'];

  it('the later ones count; those of --allow-delete come first, those of --protect last', () => {
    const all = rule('protect');
    const some = rule('allow', { environments: ['e2e-*'] });
    expect(judge([all, some], { keeps })).toEqual(['pass', 'e2e-1 allowed']);
    expect(judge([some, all], { keeps })).toEqual([409, 'e2e-1 protected']);
    expect(judge([rule('approve')], { keeps, options: { allowDelete: ['*'] } })).toEqual([
      409,
      'e2e-1 asked',
    ]);
    expect(judge([some], { keeps, options: { protect: ['e2e-1'] } })).toEqual([409, 'e2e-1 protected']);
  });

  it('those for another project or path do not count', async () => {
    const paths = (...globs: string[]) => ({ paths: { globs, compile } });
    const compile = await pathCompiler();
    expect(judge([rule('allow', { projects: ['42', '7'] })], { keeps })[0]).toBe('pass');
    expect(judge([rule('allow', { projects: ['421'] })], { keeps })[0]).toBe(409);
    expect(judge([rule('allow', paths('/accounts/*/projects/4?'))], { keeps })[0]).toBe('pass');
    expect(judge([rule('allow', paths('/accounts/7/**'))], { keeps })[0]).toBe(409);
    expect(refusal('bad-config', () => judge([rule('allow', paths('/shops/**'))]))).toContain('guardPolicy');
  });
});

it('an account may have two names: what protects one of them protects both', async () => {
  const compile = await pathCompiler();
  const at = (...globs: string[]) => rule('protect', { paths: { globs, compile } });
  const keeps = ['Production', 'Staging'];
  const url = (account: string) => PROJECT_URL.replace('current', account);
  const statusOf = (glob: string, account: string) =>
    judge([rule('allow'), at(glob)], { keeps, url: url(account) })[0];
  for (const glob of ['/accounts/196/**', '**/accounts/19?/projects/42', '/accounts/{196,7}/**'])
    expect([glob, statusOf(glob, 'current')]).toEqual([glob, 409]);
  expect(statusOf('/accounts/current/**', '196')).toBe(409);
  expect(statusOf('/accounts/196/**', '197')).toBe('pass');
  expect(statusOf('/accounts/196/drafts/**', 'current')).toBe('pass');
  // What is milder holds only where it is sure.
  const allow = rule('allow', { paths: { globs: ['/accounts/196/**'], compile } });
  expect(judge([allow], { keeps })[0]).toBe(409);
});

it('a path that does not name a project is not a way round its rule', () => {
  const options = { validation: 'off' } as const;
  for (const id of ['042', '+42', '42.0']) {
    const url = PROJECT_URL.replace('42', id);
    const rules = [rule('protect', { projects: ['42'] })];
    expect([
      id,
      judge(rules, { keeps: ['Production'], url, options, approval: 'approved' })[0],
    ]).not.toContain('pass');
  }
});

it('many others that are lost do not hide it', () => {
  const environments = [...Array(1001).keys()].map((id) => ({ id, name: `e${id}`, isEnabled: id === 0 }));
  const known = {
    record: { ...named(), environments: [...environments, { id: 5000, name: 'P', isEnabled: false }] },
    isWhole: true,
  };
  const one = gate({ guardPolicy: [rule('protect', { environments: ['P'] })] });
  const { verdict } = one.inspect(patch(PROJECT_URL, named('new')), undefined, {
    known,
    approval: 'approved',
  });
  expect(verdict.status).toBe(409);
});

it('an environment without a name may be one that is protected', () => {
  const known = { record: named('Production', ''), isWhole: true };
  const rules = [rule('allow'), rule('protect', { environments: ['Staging'] })];
  expect(judge(rules, { keeps: ['Production'], known })[0]).toBe(409);
  expect(judge([rule('allow', { environments: ['*'] })], { keeps: ['Production'], known })[0]).toBe(409);
});

it('needs a contract with the rules that guard', () => {
  const options = { ...PROXY_DEFAULTS, protect: ['P'] };
  const { updateProject } = shippedContract().entries;
  const entries = {
    ...shippedContract().entries,
    updateProject: { ...updateProject, rules: ['project.state-unknown'] },
  };
  const contract = { ...shippedContract(), entries } as Contract;
  expect(refusal('bad-config', () => createGate(contract, options))).toContain('project.environment-deleted');
});

describe('where it is not known what is lost', () => {
  const nothing = { known: undefined, keeps: ['Staging'] };

  it('nothing goes that may be protected', () => {
    const rules = [rule('protect', { projects: ['42'], environments: ['Production'] })];
    expect(judge(rules, nothing)[0]).toBe(409);
    expect(judge(rules, { ...nothing, approval: 'approved' })[0]).toBe(409);
    expect(
      judge(rules, { known: { ...KNOWN, isWhole: false }, keeps: ['Production', 'Staging', 'e2e-1'] })[0],
    ).toBe(409);
    expect(judge(rules, { ...nothing, url: PROJECT_URL.replace('42', '43') })[0]).toBe('pass');
  });

  it('a file is judged by what is known alone', () => {
    expect(judge([rule('protect')], { ...nothing, file: '/repo/body.json' })[0]).toBe('pass');
  });
});
