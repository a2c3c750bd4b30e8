import { expect, it } from 'vitest';
import { annotationsOf } from '../../src/contract/annotations.ts';
import { draft, feature, project } from '../support/bodies.ts';
import { withValue } from '../support/edit-json.ts';
import { check, type Operation } from '../support/fields.ts';

it.each<[Operation, unknown, string, string]>([
  ['updateProject', project(), '/name', 'service-api 2.1'],
  ['updateProject', project(), '/environments/0/id', 'service-api 2.1'],
  ['updateFeature', feature(), '/variations/0/variables/0/variableId', 'service-api 2.2'],
  ['updateDraft', draft(), '/variations/1/editorData/stack/0/op/html', 'service-api 2.3'],
  ['updateDraft', draft(), '/goals/0/urls/0/value', 'service-api 2.3'],
  ['updateDraft', draft(), '/integrations/heatrecorder/enabled', 'service-api 2.3'],
])('%s rests, at any depth, on its paragraph: %#', (operation, body, pointer, source) => {
  expect(check(operation, withValue(body, pointer, null))).toMatchObject([{ pointer, source }]);
});

it('a subschema has its own annotations, and the source of what it stands in', () => {
  const inner = { type: 'string', basis: 'inferred', severity: 'warn', hint: 'look' };
  const named = { type: 'object', properties: { source: { type: 'string' }, hint: { type: 'string' } } };
  const schema = { source: 'page 1', allOf: [{ properties: { inner } }, { source: 'page 2', not: named }] };
  const annotationOf = annotationsOf([schema]);
  const plain = { basis: 'stated', severity: undefined, hint: undefined };
  expect(annotationOf(inner)).toEqual({
    basis: 'inferred',
    severity: 'warn',
    hint: 'look',
    source: 'page 1',
  });
  expect(annotationOf(schema)).toEqual({ ...plain, source: 'page 1' });
  // Fields that are called like annotations are none.
  expect(annotationOf(named.properties)).toEqual({ ...plain, source: 'page 2' });
  expect(annotationOf({ type: 'string' })).toEqual({ ...plain, source: undefined });
});
