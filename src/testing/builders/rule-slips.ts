import { isObject, type JsonValue } from '../../json/json.ts';
import type { FailingExample } from '../../model/rule.ts';
import { before } from './before.ts';
import type { Blueprint } from './blueprint.ts';
import type { Slip } from './invalid-body.ts';
import { overlay } from './overlay.ts';

/** What the rules of an operation find in their own examples, each in several forms, the best one first. */
export function* ruleSlips(blueprint: Blueprint, body: JsonValue): Iterable<readonly Slip[]> {
  for (const { name, examples } of blueprint.rules)
    for (const example of examples.fails) {
      const { pointers, recordId } = example;
      const expected = pointers.map((pointer) => ({ rule: name, pointer }));
      const at = [...new Set(pointers)].map((pointer) => pointer || 'the body').join(', ');
      yield bodiesFrom(example, body, blueprint, name).map((invalid) => {
        const state = stateBefore(example, invalid);
        return {
          name: `${name} at ${at}`,
          body: invalid,
          expected,
          ...(recordId !== undefined && { id: recordId }),
          ...(state && { state }),
        };
      });
    }
}

/** A good body with what the example says, as good as it can be otherwise; and the example alone. */
function bodiesFrom(
  { body }: FailingExample,
  good: JsonValue,
  { fitted }: Blueprint,
  rule: string,
): JsonValue[] {
  const laid = overlay(good, body);
  const replaced = isObject(good) && isObject(body) ? [{ ...good, ...body }] : [];
  const bodies = [laid, ...replaced, body];
  return [...bodies.map((one) => fitted(one, () => 0, rule)), ...bodies];
}

function stateBefore({ known, effects }: FailingExample, body: JsonValue) {
  return known ?? (effects && isObject(body) ? before(body, effects) : undefined);
}
