import type { JsonValue } from '../json/json.ts';
import type { RuleContext } from '../model/rule.ts';

/** What a rule of one's own is shown: a copy that it cannot change, since others read the same body after it. */
export function frozenContext({ body, recordId, known, effects }: RuleContext): RuleContext {
  return {
    body: frozenCopy(body),
    recordId,
    known: known && { ...known, record: frozenCopy(known.record) },
    effects: effects && Object.freeze(effects.map((effect) => Object.freeze({ ...effect }))),
  };
}

function frozenCopy<T extends JsonValue>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map(frozenCopy)
    : Object.fromEntries(Object.entries(value).map(([name, item]) => [name, frozenCopy(item)]));
  return Object.freeze(copy) as T;
}
