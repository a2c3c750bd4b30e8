import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/json/json.ts';
import { plainRecord, recordIn, unionOf } from '../../src/state/records.ts';
import { oddValues } from '../support/odd-values.ts';

const project: JsonObject = {
  name: 'Checkout',
  languages: ['GO'],
  environments: [{ id: 1, name: 'Production', isEnabled: true }],
};
const inAnswer = (answer: unknown, id = '42') => recordIn('project', answer as JsonValue, id);

describe('a whole record in an answer', () => {
  it('is the answer, or what one member of it holds', () => {
    expect(inAnswer(project)).toBe(project);
    expect(inAnswer({ _data: project, status: 200 })).toBe(project);
    expect(inAnswer({ whatever: project })).toBe(project);
    expect(inAnswer(JSON.parse(`{"__proto__": ${JSON.stringify(project)}}`))).toEqual(project);
  });

  it('is not deeper, in a list, or one of several', () => {
    expect(inAnswer({ _data: { project } })).toBeUndefined();
    expect(inAnswer({ _data: [project] })).toBeUndefined();
    expect(inAnswer([project])).toBeUndefined();
    expect(inAnswer({ before: project, after: project })).toBeUndefined();
    expect(inAnswer(Object.create(project))).toBeUndefined();
  });

  it('is not another record', () => {
    expect(inAnswer({ ...project, id: 42 })).toBeDefined();
    expect(inAnswer({ _data: { ...project, id: '42' } })).toBeDefined();
    for (const id of [43, '042', null, {}, [], '']) {
      expect(inAnswer({ ...project, id })).toBeUndefined();
      expect(inAnswer({ _data: { ...project, id } })).toBeUndefined();
    }
    // The id of the wrapping is not the record's.
    expect(inAnswer({ id: 7, _data: project })).toBeDefined();
  });

  it.each([
    ['no name', { name: undefined }],
    ['a name that is no text', { name: 5 }],
    ['no languages', { languages: undefined }],
    ['languages that are no texts', { languages: ['GO', 1] }],
    ['no environments', { environments: undefined }],
    ['environments that are no list', { environments: {} }],
    ['an environment without an id', { environments: [{ name: 'A' }] }],
    ['an environment with a text for an id', { environments: [{ id: '1', name: 'A' }] }],
    ['an environment without a name', { environments: [{ id: 1 }] }],
    ['an environment that is none', { environments: [null] }],
  ])('is none with %s', (_, changes) => {
    expect(inAnswer({ ...project, ...changes })).toBeUndefined();
  });

  it('is a feature by its variables, a draft by its variations', () => {
    expect(recordIn('feature', { data: { variables: [] } }, '7')).toEqual({ variables: [] });
    expect(recordIn('feature', { data: { variations: [] } }, '7')).toBeUndefined();
    expect(recordIn('draft', { variations: [], id: 8 }, '7')).toBeUndefined();
    expect(recordIn('draft', { variations: [] }, '7')).toEqual({ variations: [] });
  });

  it('is looked for in whatever there is', { tags: 'slow' }, () => {
    for (const value of oddValues(['name', 'languages', 'environments', 'variables', 'variations'], 2000))
      for (const kind of ['project', 'feature', 'draft'] as const) recordIn(kind, value, '1');
    expect(inAnswer(Array(100_000).fill(project))).toBeUndefined();
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`m${index}`, {}]));
    expect(inAnswer({ ...wide, _data: project })).toBe(project);
  });
});

describe('what is kept of a record', () => {
  it('is what a PATCH can be held against', () => {
    const value = { ...project, id: 42, owner: { x: 1 }, languages: ['GO', 'GO', 1] };
    expect(plainRecord('project', value)).toEqual(project);
    expect(plainRecord('project', { environments: [{ id: 1, extra: 2 }, 'x'] })).toEqual({
      environments: [{ id: 1, name: '', isEnabled: false }],
    });
    expect(
      plainRecord('feature', {
        name: 'x',
        setting: {},
        goals: 'none',
        variables: [{ id: 1, variableName: 'v', dataType: 'int', defaultValue: {} }, null],
        variations: [{ key: 'on', variables: [] }],
      }),
    ).toEqual({
      name: 'x',
      variables: [{ id: 1, variableName: 'v', dataType: 'int' }],
      variations: [{ key: 'on' }],
    });
  });

  it('is nothing that leads astray, of whatever there is', { tags: 'slow' }, () => {
    for (const value of oddValues(['name', 'languages', 'environments', 'variables', 'key'], 2000))
      for (const kind of ['project', 'feature', 'draft'] as const) {
        const plain = plainRecord(kind, value);
        expect(Object.getPrototypeOf(plain)).toBe(Object.prototype);
        expect(Object.keys(plain)).not.toContain('__proto__');
        // Keeping it once more changes nothing.
        expect(plainRecord(kind, plain)).toEqual(plain);
      }
  });
});

describe('what either of two records has', () => {
  it('is each item of both, once, the later word last', () => {
    const first = {
      name: 'A',
      languages: ['GO', 'PHP'],
      environments: [
        { id: 1, name: 'x', isEnabled: true },
        { id: 2, name: 'y', isEnabled: false },
      ],
    };
    const second = {
      name: 'B',
      languages: ['GO'],
      environments: [
        { id: 1, name: 'x', isEnabled: false },
        { id: 2, name: 'z', isEnabled: true },
      ],
    };
    expect(unionOf(first, second)).toEqual({
      name: 'B',
      languages: ['PHP', 'GO'],
      environments: [
        { id: 2, name: 'y', isEnabled: false },
        { id: 1, name: 'x', isEnabled: false },
        { id: 2, name: 'z', isEnabled: true },
      ],
    });
  });

  it('has a list that only one of them has', () => {
    expect(unionOf({ languages: ['GO'] }, { environments: [] })).toEqual({
      languages: ['GO'],
      environments: [],
    });
  });

  it('does not reach into prototypes', () => {
    const odd = JSON.parse('{"__proto__": [1], "constructor": [2]}');
    const union = unionOf(odd, JSON.parse('{"__proto__": [3], "constructor": [4]}'));
    expect(JSON.stringify(union)).toBe('{"__proto__":[1,3],"constructor":[2,4]}');
    expect(Object.getPrototypeOf(union)).toBe(Object.prototype);
    unionOf({}, odd);
    expect(({} as Record<string, unknown>)[0]).toBeUndefined();
  });
});
