import { describe, expect, it } from 'vitest';
import type { Contract } from '../../src/contract/contract.ts';
import { createGate, type GateOptions } from '../../src/gate/gate.ts';
import { refusal } from '../support/errors.ts';
import { gate, PROJECT_URL, PROXY_DEFAULTS, patch, shippedContract } from '../support/gate.ts';

const named = (...names: string[]) => ({
  name: 'Checkout',
  languages: ['GO'],
  environments: names.map((name, index) => ({ id: index + 1, name, isEnabled: index === 0 })),
});
const known = { record: named('Production', 'Staging'), isWhole: true };
const losing = (options: Partial<GateOptions>, more = {}) =>
  gate(options).inspect(patch(PROJECT_URL, named('Production')), undefined, { known, ...more }).verdict;

it.each([
  ['Production', 409, false],
  ['production', 409, true],
  ['e2e-1', undefined, false],
  ['Staging', 409, true],
  // Both name it.
  ['Live', 409, false],
])('an environment %s that is left out: %s, approvable: %s', (name, status, isApprovable) => {
  const judged = gate({ allowDelete: ['e2e-*', 'Live'], protect: ['Production', 'L*'] }).inspect(
    patch(PROJECT_URL, named('First')),
    undefined,
    { known: { record: named('First', name), isWhole: true } },
  );
  expect([judged.verdict.status, judged.isApprovable ?? false]).toEqual([status, isApprovable]);
});

describe('what is protected', () => {
  const protect = ['Staging'];

  it.each(['enforce', 'warn', 'off'] as const)('never goes, whatever is approved: %s', (validation) => {
    for (const more of [{}, { approval: 'approved' as const }]) {
      const { status, effects, findings } = losing({ protect, validation }, more);
      expect([status, effects]).toEqual([409, [expect.objectContaining({ id: 2, protected: true })]]);
      expect(findings.find(({ rule }) => rule === 'project.environment-deleted')?.hint).toBe(
        'it is protected: no approval deletes it; send all environments that are to stay',
      );
    }
  });

  it('counts in a file that is checked, and not where nothing is guarded', () => {
    expect(losing({ protect, guard: 'off' }).outcome).toBe('pass');
    expect(losing({ protect, guard: 'off' }, { isInFile: true }).status).toBe(409);
  });

  it('may be what is lost where that is not known', () => {
    for (const unknown of [undefined, { ...known, isWhole: false }])
      expect(losing({ protect: ['Live'] }, { known: unknown, approval: 'approved' }).status).toBe(409);
    expect(losing({ protect: ['Live'] }, { known: undefined, isInFile: true }).outcome).toBe('pass');
  });

  it('needs the rules that find it', () => {
    const { updateProject } = shippedContract().entries;
    const entries = {
      ...shippedContract().entries,
      updateProject: { ...updateProject, rules: ['project.state-unknown'] },
    };
    const contract = { ...shippedContract(), entries } as Contract;
    expect(refusal('bad-config', () => createGate(contract, { ...PROXY_DEFAULTS, protect }))).toContain(
      'or leave out --protect',
    );
  });
});
