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

it('does not draw for ever where hardly anything fits', () => {
  const draw = (at: object) => {
    const values = new ValueArbitraries([schemaReader(new Map(), true)]).of([{ document: at, at }]);
    return fc.sample(values ?? fc.constant(null), { seed: 3, numRuns: 20 });
  };
  const hundredths = { type: 'number', multipleOf: 0.01, exclusiveMinimum: 0, exclusiveMaximum: 0.03 };
  expect(new Set(draw(hundredths))).toEqual(new Set([0.01, 0.02]));
  expect(new Set(draw({ type: 'integer', minimum: 2 ** 60, maximum: 2 ** 61 }))).toEqual(
    new Set([2 ** 60, 2 ** 61]),
  );
  expect(() => draw({ type: 'object', minProperties: 9, additionalProperties: {} })).toThrow(
    'no value with 9 or more members could be made\n  make bodies of this operation with arbitraries of your own',
  );
  expect(() => draw({ type: 'string', pattern: '^(?!a)' })).toThrow('no text can be made of the pattern');
});

it('stays small where a schema holds itself in many ways', () => {
  const sides = ['left', 'right', 'above', 'below', 'before', 'after', 'inner', 'outer'];
  const at = { type: 'object', properties: Object.fromEntries(sides.map((side) => [side, { $ref: '#' }])) };
  const values = new ValueArbitraries([schemaReader(new Map(), true)]).of([{ document: at, at }]);
  const drawn = fc
    .sample(values ?? fc.constant(null), { seed: 3, numRuns: 20 })
    .map((value) => JSON.stringify(value));
  expect(drawn.some((text) => text.includes('"left":{"'))).toBe(true);
  expect(Math.max(...drawn.map(({ length }) => length))).toBeLessThan(20_000);
});
