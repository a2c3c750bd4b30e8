import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject, type JsonValue } from '../../src/json/json.ts';
import type { Known, RecordKind } from '../../src/model/record.ts';
import { contextOf, type Example, type Rule } from '../../src/model/rule.ts';
import { bindRules } from '../../src/rules/bind-rules.ts';
import { RULES } from '../../src/rules/index.ts';
import { effectsOf } from '../../src/state/effects.ts';
import { plainRecord } from '../../src/state/lists.ts';
import { draft, feature, project } from '../support/bodies.ts';
import { withValue } from '../support/edit-json.ts';
import { brief, shippedContract } from '../support/gate.ts';
import { oddValues } from '../support/odd-values.ts';

const entries = Object.values(shippedContract().entries);
const named = entries.flatMap(({ rules }) =>
  rules.map((rule) => (typeof rule === 'string' ? rule : rule.name)),
);

const pointersOf = (rule: Rule, example: Example) =>
  [...rule.check(contextOf(example))].map(({ pointer }) => pointer);

describe.each(RULES)('$name', (rule) => {
  it('passes and fails as its examples say', () => {
    const { passes, fails } = rule.examples;
    expect(passes.length).toBeGreaterThan(0);
    expect(fails.length).toBeGreaterThan(0);
    for (const example of passes) expect(pointersOf(rule, example)).toEqual([]);
    for (const example of fails) {
      expect(example.pointers.length).toBeGreaterThan(0);
      expect(pointersOf(rule, example)).toEqual(example.pointers);
    }
  });

  it('is named by an operation', () => {
    expect(named).toContain(rule.name);
  });

  it('reads whatever JSON there is', () => {
    const names = ['environments', 'languages', 'variables', 'variations', 'percentSplit', 'percentTraffic'];
    const more = ['isEnabled', 'dataType', 'defaultValue', 'variableId', 'value', 'draftId'];
    const kind = rule.name.split('.')[0] as RecordKind;
    const ids = ['', '7', 'x', '__proto__'];
    let known: Known | undefined;
    for (const [index, body] of oddValues([...names, ...more], 2000).entries()) {
      const effects =
        known &&
        effectsOf(kind, known.record, body, (name) =>
          name === 'x' ? 'allow' : name === 'y' ? 'protect' : 'approve',
        );
      const recordId = ids[index % ids.length] as string;
      for (const context of [
        { body, recordId },
        { body, recordId, known, effects },
      ])
        for (const { pointer, message, hint = '' } of rule.check(context)) {
          expect(pointer).toMatch(/^(\/|$)/);
          expect(message + hint).not.toMatch(/undefined|NaN|\[object|\(\)/);
        }
      // The next body is held against this one: as it is, as a file may have it, and as it is learnt.
      const record = index % 2 === 0 ? plainRecord(kind, body) : body;
      if (isObject(record)) known = { record, isWhole: index % 3 > 0 };
    }
  });

  it('changes nothing of what it is given', () => {
    for (const example of [...rule.examples.passes, ...rule.examples.fails]) {
      const before = structuredClone(example);
      pointersOf(rule, example);
      expect(example).toEqual(before);
    }
  });
});

it('every operation names rules that there are, each once', () => {
  for (const { rules } of entries) {
    const names = rules.map((rule) => (typeof rule === 'string' ? rule : rule.name));
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(RULES.map((rule) => rule.name)).toContain(name);
  }
});

/** What all rules of an operation that are not off say of a body. */
function say(operation: string, body: unknown, recordId = '1001', known?: JsonObject): string[] {
  const rules = bindRules(shippedContract().entries[operation]?.rules ?? [], 'contract.json');
  const context = contextOf({ body: body as JsonValue, recordId, ...(known && { known }) });
  return brief(
    rules.flatMap(({ check }) => check(context)).filter(({ severity }) => severity !== 'off') as never,
  );
}

describe('project', () => {
  it('is left alone where all is well', () => {
    expect(say('updateProject', project())).toEqual([]);
  });

  it('is told of each repeated environment id, from the second one on', () => {
    const environments = [3, 4, 3, '3', 4, 3].map((id) => ({ id, name: 'x', isEnabled: false }));
    environments[0] = { ...environments[0], isEnabled: true } as never;
    expect(say('updateProject', { ...project(), environments })).toEqual([
      'project.unique-environment-id error /environments/2/id',
      'project.unique-environment-id error /environments/4/id',
      'project.unique-environment-id error /environments/5/id',
    ]);
  });

  it('has one default environment', () => {
    const with_ = (...flags: unknown[]) =>
      say('updateProject', { ...project(), environments: flags.map((isEnabled, id) => ({ id, isEnabled })) });
    const told = ['project.one-default-environment warn /environments'];
    expect(with_(true)).toEqual([]);
    expect(with_(false)).toEqual(told);
    expect(with_(true, true, 'x')).toEqual(told);
    // One that cannot be read might be it.
    expect(with_(false, 'true')).toEqual([]);
    expect(with_(false, undefined)).toEqual([]);
  });
});

describe('feature', () => {
  const values = (dataType: unknown, ...list: unknown[]) =>
    list.filter(
      (defaultValue) => say('updateFeature', { variables: [{ dataType, defaultValue }] }).length > 0,
    );
  const ALL = ['x', '', 1, 0.5, 0, 1e300, true, null, [], {}];

  it.each([
    ['string', ['x', '']],
    ['integer', [1, 0, 1e300]],
    ['int', [1, 0, 1e300]],
    ['float', [1, 0.5, 0, 1e300]],
    ['boolean', [true]],
    ['json', [{}]],
    ['double', ALL],
    ['String', ALL],
    ['constructor', ALL],
    [undefined, ALL],
    [5, ALL],
  ])('a variable of dataType %s takes %j', (dataType, taken) => {
    const texts = taken.map((value) => JSON.stringify(value));
    expect(values(dataType, ...ALL)).toEqual(ALL.filter((value) => !texts.includes(JSON.stringify(value))));
  });

  it('judges the values of variations by the variable of that id in the body', () => {
    const body = {
      variables: [
        { id: 1, dataType: 'string' },
        { id: 2, dataType: 'json' },
        { id: 3, dataType: 'boolean' },
        { id: 3, dataType: 'int' },
        { id: '4', dataType: 'boolean' },
        { id: 5 },
      ],
      variations: [
        {
          variables: [
            { variableId: 1, value: 1 },
            { variableId: 1, value: 'x' },
            { variableId: 2, value: [] },
            { variableId: 3, value: 7 },
            { variableId: 3, value: 'x' },
            { variableId: 4, value: 'x' },
            { variableId: 5, value: 'x' },
            { variableId: 6, value: 'x' },
            { variableId: 1 },
            { value: 1 },
          ],
        },
        'x',
        { variables: [{ variableId: 1, value: null }] },
      ],
    };
    expect(say('updateFeature', body).filter((text) => !text.includes('unique'))).toEqual([
      'feature.value-matches-data-type error /variations/0/variables/0/value',
      'feature.value-matches-data-type error /variations/0/variables/2/value',
      'feature.value-matches-data-type error /variations/0/variables/4/value',
      'feature.value-matches-data-type error /variations/2/variables/0/value',
    ]);
  });

  it('is left alone where all is well, or empty in parts', () => {
    expect(say('updateFeature', feature())).toEqual([]);
    expect(say('updateFeature', { name: 'x' })).toEqual([]);
    expect(say('updateFeature', {})).toEqual(['feature.empty-update warn']);
  });
});

describe('draft', () => {
  it('is left alone where all is well', () => {
    expect(say('updateDraft', draft())).toEqual([]);
  });

  it('has the id of its path, where both can be read', () => {
    expect(say('updateDraft', draft(), '1002')).toEqual(['draft.id-matches-path error /draftId']);
    expect(say('updateDraft', draft(), '')).toEqual([]);
    expect(say('updateDraft', withValue(draft(), '/draftId', '1001'), '1002')).toEqual([]);
    expect(say('updateDraft', withValue(draft(), '/draftId', 1001.5))).toEqual([
      'draft.id-matches-path error /draftId',
    ]);
  });

  it('has percentages that are some, and shares that sum to 100 where each has one', () => {
    const shares = (...list: unknown[]) =>
      say('updateDraft', { variations: list.map((percentSplit, id) => ({ id, percentSplit })) });
    expect(shares(100)).toEqual([]);
    expect(shares(33, 33, 34)).toEqual([]);
    expect(shares(33, 33, 33)).toEqual(['draft.split-sums-to-100 warn /variations']);
    expect(shares(33, 33, '34')).toEqual([]);
    expect(shares(150, -50)).toEqual([
      'draft.percentage-range warn /variations/0/percentSplit',
      'draft.percentage-range warn /variations/1/percentSplit',
    ]);
    expect(say('updateDraft', { percentTraffic: 101 })).toEqual([
      'draft.percentage-range warn /percentTraffic',
    ]);
    expect(say('updateDraft', { percentTraffic: 0 })).toEqual([]);
  });
});
