import { describe, expect, test } from 'vitest';
import { afterPatch } from '../../../src/upstreams/fake/after-patch.ts';

const PRODUCTION = { id: 1, name: 'Production', isEnabled: true };
const STAGING = { id: 2, name: 'Staging', isEnabled: false };
const project = { name: 'Checkout', languages: ['NODEJS', 'PYTHON'], environments: [PRODUCTION, STAGING] };

describe('a project', () => {
  test('is what the PATCH says, whole', () => {
    const patch = { name: 'Cart', languages: ['GO'], environments: [STAGING] };
    expect(afterPatch('project', project, patch)).toEqual(patch);
  });

  test('loses an environment whose id is left out, even under the same name', () => {
    const renumbered = { ...PRODUCTION, id: 10 };
    const after = afterPatch('project', project, { ...project, environments: [renumbered, STAGING] });
    expect(after.environments).toEqual([renumbered, STAGING]);
  });

  test('keeps an environment that is not enabled', () => {
    const disabled = { ...PRODUCTION, isEnabled: false };
    const after = afterPatch('project', project, { ...project, environments: [disabled, STAGING] });
    expect(after.environments).toEqual([disabled, STAGING]);
  });

  test('keeps what the operation has no say in, and takes nothing else from the PATCH', () => {
    const known = { id: 42, ...project };
    expect(afterPatch('project', known, { ...project, name: 'Cart', id: 43, owner: 'me' })).toEqual({
      ...known,
      name: 'Cart',
    });
  });

  test('keeps a mandatory field that an unjudged PATCH lacks', () => {
    expect(afterPatch('project', project, { name: 'Cart' })).toEqual({ ...project, name: 'Cart' });
  });
});

describe.each(['feature', 'draft'] as const)('a %s', (kind) => {
  test('has the fields that the PATCH carries replaced, the others kept', () => {
    const record = { name: 'New cart', goals: [{ metricId: 11 }, { metricId: 12 }], setting: { a: 1, b: 2 } };
    expect(afterPatch(kind, record, { goals: [{ metricId: 13 }], setting: { b: 3 } })).toEqual({
      name: 'New cart',
      goals: [{ metricId: 13 }],
      setting: { b: 3 },
    });
  });
});

test('neither the record nor the PATCH is changed', () => {
  const record = { id: 42, ...project };
  const patch = { ...project, name: 'b' };
  const before = JSON.stringify([record, patch]);
  afterPatch('project', record, patch);
  afterPatch('draft', record, patch);
  expect(JSON.stringify([record, patch])).toBe(before);
});

test('a member named __proto__ stays a member', () => {
  const patch = JSON.parse('{"__proto__": {"polluted": true}}');
  const after = afterPatch('feature', {}, patch);
  expect(JSON.stringify(after)).toBe('{"__proto__":{"polluted":true}}');
  expect(after.polluted).toBeUndefined();
});
