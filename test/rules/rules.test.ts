import { describe, expect, it } from 'vitest';
import { isObject } from '../../src/json/json.ts';
import type { Known, RecordKind } from '../../src/model/record.ts';
import { contextOf, type Example, type Rule } from '../../src/model/rule.ts';
import { RULES } from '../../src/rules/index.ts';
import { effectsOf } from '../../src/state/effects.ts';
import { plainRecord } from '../../src/state/lists.ts';
import { shippedContract } from '../support/gate.ts';
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
        effectsOf(known.record, body, (name) =>
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
