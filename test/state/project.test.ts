import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/json/json.ts';
import { projectEffects } from '../../src/state/effects.ts';
import { plainRecord } from '../../src/state/lists.ts';
import { environmentsOf, isSameProject, languagesOf } from '../../src/state/project.ts';
import { project } from '../support/bodies.ts';

test('environments are those that have an id', () => {
  const environments = [
    { id: 3, name: 'A', isEnabled: true },
    null,
    { id: '4' },
    { id: 1.5 },
    { id: -1, name: 7 },
  ];
  expect(environmentsOf({ environments })).toEqual([
    { id: 3, name: 'A', isEnabled: true, index: 0 },
    { id: -1, name: '', isEnabled: false, index: 4 },
  ]);
  for (const odd of [undefined, null, 'x', [], { environments: { 0: { id: 1 } } }])
    expect(environmentsOf(odd as never)).toEqual([]);
});

test('languages are texts, each once', () => {
  expect([...languagesOf({ languages: ['GO', 5, 'GO', null, 'PHP'] })]).toEqual(['GO', 'PHP']);
  expect([...languagesOf({ languages: 'GO' })]).toEqual([]);
});

it('says of what is the same that it is', () => {
  expect(isSameProject(plainRecord('project', project()), project())).toBe(true);
  const further = {
    ...project(),
    id: 42,
    environments: project().environments.map((one) => ({ ...one, x: 1 })),
  };
  expect(isSameProject(plainRecord('project', project()), further)).toBe(true);
});

const environment = fc.oneof(
  fc.record(
    {
      id: fc.constantFrom<JsonValue>(1, 2, '1', null),
      name: fc.constantFrom<JsonValue>('A', 'B', '', 5),
      isEnabled: fc.constantFrom<JsonValue>(true, false, 0),
    },
    { requiredKeys: [] },
  ),
  fc.constant(null),
);
const odd = fc.record(
  {
    name: fc.constantFrom<JsonValue>('X', 'Y', 7),
    languages: fc.oneof(
      fc.array(fc.constantFrom<JsonValue>('GO', 'PHP', 3), { maxLength: 2 }),
      fc.constant(null),
    ),
    environments: fc.oneof(fc.array(environment, { maxLength: 3 }), fc.constant({})),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;

it('never says so where there is an effect, or something else to keep', () => {
  fc.assert(
    fc.property(odd, odd, (known, sent) => {
      if (!isSameProject(known, sent)) return;
      expect(projectEffects(known, sent, () => 'approve')).toEqual([]);
      expect(plainRecord('project', sent)).toEqual(plainRecord('project', known));
    }),
    { numRuns: 5000 },
  );
});
