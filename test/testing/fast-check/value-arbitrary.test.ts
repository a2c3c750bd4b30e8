import fc from 'fast-check';
import { expect, it } from 'vitest';
import { blueprintOf } from '../../../src/testing/builders/blueprint.ts';
import { schemaReader } from '../../../src/testing/builders/forms.ts';
import { ValueArbitraries } from '../../../src/testing/fast-check/value-arbitrary.ts';
import { brief } from '../../support/gate.ts';

it.each(['updateProject', 'updateFeature', 'updateDraft'])('needs no second try for %s', (operation) => {
  for (const isStrict of [true, false]) {
    const blueprint = blueprintOf(operation, { guard: true }, isStrict);
    const { reader, schemas, parts, fitted, objections } = blueprint;
    const readers = isStrict ? [reader] : [reader, schemaReader(schemas, true)];
    const values = new ValueArbitraries(readers).of(parts) ?? fc.constant(null);
    for (const value of fc.sample(values, { seed: 3, numRuns: 30 }))
      expect(brief(objections(fitted(value, () => 0)))).toEqual([]);
  }
});

it('knows of nothing that a schema takes', () => {
  const of = (at: unknown) =>
    new ValueArbitraries([schemaReader(new Map(), true)]).of([{ document: at, at }]);
  expect(of({ type: 'string', allOf: [{ type: 'integer' }] })).toBeUndefined();
  expect(of({ type: 'object', required: ['a'], properties: { a: false } })).toBeUndefined();
  expect(of({ type: 'integer', minimum: 2, exclusiveMaximum: 2 })).toBeUndefined();
});
