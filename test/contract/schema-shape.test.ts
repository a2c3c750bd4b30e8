import { expect, it } from 'vitest';
import { type Shape, shapeOf } from '../../src/contract/schema-shape.ts';
import { tokensOf } from '../../src/json/pointer.ts';
import { shippedContract } from '../support/gate.ts';

/** Whether the value at a pointer, no object or list itself, is left open. */
function isOpenAt(shape: Shape, pointer: string): boolean {
  const tokens = tokensOf(pointer);
  return tokens.reduce((at, token) => at.below(token), shape).isOpen;
}

const isOpen = (operation: string, pointer: string) =>
  isOpenAt(shippedContract().load(operation).bodies[0].shape, pointer);

it.each([
  ['updateFeature', '/variables/0/defaultValue'],
  ['updateFeature', '/variables/0/defaultValue/a/0'],
  ['updateFeature', '/variations/3/variables/0/value'],
  ['updateFeature', '/variations/3/variables/0/value/deep/er'],
  ['updateFeature', '/unlisted'],
  ['updateFeature', '/variables/0/unlisted/0'],
  ['updateFeature', '/setting/associatedCampaigns/0'],
  ['updateProject', '/environments/0/unlisted'],
  ['updateDraft', '/goals/0/cssSelectors/0'],
  ['updateDraft', '/integrations/heatrecorder/unlisted'],
  // A further key that holds no object is an unlisted field.
  ['updateDraft', '/integrations/heatrecorder'],
])('%s leaves %s open', (operation, pointer) => {
  expect(isOpen(operation, pointer)).toBe(true);
});

it.each([
  ['updateProject', ''],
  ['updateProject', '/name'],
  ['updateProject', '/languages/0'],
  ['updateProject', '/environments/0'],
  ['updateProject', '/environments/17/id'],
  ['updateFeature', '/goals/0/metricId'],
  ['updateFeature', '/variables/0/id'],
  ['updateFeature', '/variations/0/variables/0/variableId'],
  ['updateDraft', '/draftId'],
  ['updateDraft', '/urls/0/value'],
  ['updateDraft', '/goals/0/urls/0/type'],
  ['updateDraft', '/variations/0/editorData/stack/0/el'],
  ['updateDraft', '/globalSegment/id'],
  ['updateDraft', '/integrations/ga/slot'],
  ['updateDraft', '/integrations/heatrecorder/enabled'],
])('%s says what %s is', (operation, pointer) => {
  expect(isOpen(operation, pointer)).toBe(false);
});

it.each([
  [{ type: 'object', additionalProperties: { type: 'integer' } }, false],
  [{ type: 'object', additionalProperties: true }, true],
  [{ type: 'object', additionalProperties: {} }, true],
  [{ properties: { a: { allOf: [{ minimum: 1 }, { type: 'integer' }] } } }, false],
  [{ allOf: [{ properties: { a: { anyOf: [{ const: 1 }, { const: 2 }] } } }] }, false],
  [{ if: { required: ['b'] }, else: { properties: { a: { enum: [1] } } } }, false],
  [{ properties: { a: { allOf: [{ minimum: 1 }] } } }, true],
  [{ patternProperties: { '^a': { type: 'integer' } } }, false],
  [{ unevaluatedProperties: { type: 'integer' } }, false],
  [{ dependentSchemas: { a: { properties: { a: { type: 'integer' } } } } }, false],
  [{ properties: { a: { $dynamicRef: '#x' } } }, true],
  [{ anyOf: [{ $ref: '#' }], properties: { a: { $ref: '#' } } }, true],
])('reads %j', (schema, isLeftOpen) => {
  expect(isOpenAt(shapeOf([{ document: schema, at: schema }], new Map()), '/a')).toBe(isLeftOpen);
});

it('follows references between files', () => {
  const schemas = new Map([['b.json', { $defs: { x: { $ref: '#/$defs/y' }, y: { enum: [1] } } }]]);
  const shapeOfA = (reference: string) => {
    const at = { properties: { a: { $ref: reference } } };
    return shapeOf([{ document: at, at }], schemas);
  };
  expect(isOpenAt(shapeOfA('b.json#/$defs/x'), '/a')).toBe(false);
  expect(isOpenAt(shapeOfA('./b.json#/$defs/x'), '/a')).toBe(false);
  expect(isOpenAt(shapeOfA('none.json'), '/a')).toBe(false);
});
