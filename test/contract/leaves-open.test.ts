import { expect, it } from 'vitest';
import { leavesOpen } from '../../src/contract/leaves-open.ts';
import { tokensOf } from '../../src/model/pointer.ts';
import { shippedContract } from '../support/gate.ts';

const isOpen = (operation: string, pointer: string) =>
  shippedContract().load(operation).leavesOpen(tokensOf(pointer));

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

it('reads further fields that have a schema of their own', () => {
  const schema = { type: 'object', additionalProperties: { type: 'integer' } };
  expect(leavesOpen(schema, ['anything'], new Map())).toBe(false);
  expect(leavesOpen({ type: 'object', additionalProperties: true }, ['anything'], new Map())).toBe(true);
  expect(leavesOpen({ type: 'object', additionalProperties: {} }, ['anything'], new Map())).toBe(true);
});

it('follows references between files', () => {
  const schemas = new Map([['b.json', { $defs: { x: { $ref: '#/$defs/y' }, y: { enum: [1] } } }]]);
  expect(leavesOpen({ properties: { a: { $ref: 'b.json#/$defs/x' } } }, ['a'], schemas)).toBe(false);
  expect(leavesOpen({ properties: { a: { $ref: 'none.json' } } }, ['a'], schemas)).toBe(true);
});
